# SPDX-License-Identifier: Apache-2.0
"""Result pages: plain HTML files that need no server, no script and no other file."""

# SPDX-License-Identifier: Apache-2.0
"""Cards for tasks and prepared folders, made from the literals."""

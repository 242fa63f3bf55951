# SPDX-License-Identifier: Apache-2.0
"""Language models by prompting: prompts, shots, backends, answers."""

# SPDX-License-Identifier: Apache-2.0
"""The commands, one module each; its ``register`` adds the command. Nothing heavy is imported before one runs."""

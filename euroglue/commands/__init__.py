# SPDX-License-Identifier: Apache-2.0
"""The commands, one module each; a module's ``register`` adds its command. Nothing heavy is imported before one runs."""

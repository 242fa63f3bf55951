# SPDX-License-Identifier: Apache-2.0
"""Fine-tuning encoders: one loop (``loop``), a module per kind of task (``kinds``), a folder per run (``run_folder``).

``train(task, model, output)`` and ``predict(task, checkpoint, output)`` are the two ways in; torch and transformers are
imported when one of them is called.
"""

from euroglue.training.run import predict, train

__all__ = ["predict", "train"]

# SPDX-License-Identifier: Apache-2.0
"""What the tasks of EuroEval's Slovene suite share: its home page, language, citation, recipe and seeds."""

from euroglue.task import Recipe

HOMEPAGE = "https://euroeval.com/datasets/slovene/"
SLOVENE = "slv-Latn"
CITATION = """@inproceedings{nielsen-2023-scandeval,
  title     = {{ScandEval}: A Benchmark for {S}candinavian Natural Language Processing},
  author    = {Nielsen, Dan},
  booktitle = {Proceedings of the 24th Nordic Conference on Computational Linguistics (NoDaLiDa)},
  year      = {2023}
}"""

SEED, OTHER_SEED = 4242, 42
"""The two seeds of the published builds."""
CHOICES_WORD = "Možnosti"
"""What stands before the choices in a text."""

RECIPE = Recipe(
    learning_rate=2e-5,
    epochs=10,
    batch_size=32,
    warmup=0.01,
    source=(
        "EuroEval: AdamW without weight decay, batches of 32, linear decay, gradients clipped at 1.0; it trains for up "
        "to 10,000 steps with early stopping, here a number of epochs stands for that"
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""What the tasks of bgGLUE share: the address of the release, its licence statements, the paper's recipe."""

from euroglue.task import Licence, LicenceId, Recipe

RELEASE = "https://github.com/bgGLUE/bgglue/raw/main/data/"
HOMEPAGE = "https://bgglue.github.io"
BULGARIAN = "bul-Cyrl"

RECIPE = Recipe(
    learning_rate=2e-5,
    epochs=5,
    batch_size=16,
    weight_decay=1e-8,
    warmup=0.06,
    max_length=512,
    choice_loss="binary",
    source="bgGLUE paper, appendix A (its learning rates 2e-5 to 5e-5 are printed as e-04; the released scripts have e-05)",
)

NO_LICENCE = Licence(
    id=LicenceId.NONE_STATED,
    terms="None stated by the authors; the bgGLUE paper offers the data for research.",
    redistribute=False,
)

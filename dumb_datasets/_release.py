# SPDX-License-Identifier: Apache-2.0
"""What the tasks of DUMB share: its home page and seed, the paper's recipe, terms of the Dutch Language Institute."""

from euroglue.task import UNPINNED, Gate, Licence, LicenceId, Recipe, Source

HOMEPAGE = "https://dumbench.nl"
DUTCH = "nld-Latn"
SEED = 872_691
"""The seed of the published build."""
SOFT_HYPHEN = "\u00ad"
NLP_NL = "https://github.com/wietsedv/NLP-NL/"

LASSY = "CONLLU/*.conllu"
MMAX = "SONAR1/NE/SONAR_1_NE/MMAX/"
DOCUMENTS = MMAX + "*.mmax"

LASSY_SIGN_AT = "https://taalmaterialen.ivdnt.org/download/lassy-klein-corpus6/"
SONAR_SIGN_AT = "https://taalmaterialen.ivdnt.org/download/tstc-sonar-corpus/"


def recipe(epochs: int) -> Recipe:
    """The paper's recipe with a number of epochs from the task's printed grid."""
    return Recipe(
        learning_rate=5e-5,
        epochs=epochs,
        batch_size=32,
        warmup=0.0,
        source=(
            "DUMB paper, appendix B: Adam without weight decay, batches of 32, linear decay, gradients clipped at 1.0; "
            "learning rate, warm-up and epochs are searched there per model, these are values of the printed grid"
        ),
    )


def institute(sign_at: str) -> Licence:
    """The terms of a corpus that the Dutch Language Institute (INT) gives out."""
    return Licence(
        id=LicenceId.RESEARCH,
        terms="The institute's own terms: non-commercial, not to be passed on.",
        redistribute=False,
        gate=Gate.FORM,
        sign_at=sign_at,
    )


LASSY_SMALL = Source(
    file="CONLLU",
    obtain="The folder CONLLU of Lassy Small 6.0, which the Dutch Language Institute gives out.",
    members={LASSY: UNPINNED},
    beside="lassy-pos",
)

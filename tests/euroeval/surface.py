# SPDX-License-Identifier: Apache-2.0
"""What of a sentence no reading is needed for: its first character, length and spacing, and how well they tell its label."""

import re

import numpy as np
import pandas as pd

from euroglue.prepare import Prepared

ODD_SPACES = (r" [.,;:!?)»]", r"[(«] ", r"[.,;:!?)][^\W\d_]", r"[.,;:!?]{2}", r"\s{2}")


def surface(text: str) -> list[float]:
    """Case and class of the first character, length, words, share of spaces, odd spaces."""
    first = text[0]
    spaces = [text.count(" ") / len(text), *(len(re.findall(odd, text)) for odd in ODD_SPACES)]
    return [first.isupper(), first.islower(), first.isdigit(), text[1:2] == " ", len(text), len(text.split()), *spaces]


def labelled(prepared: Prepared) -> pd.DataFrame:
    """All rows of all splits, with the id of the sentence that each is made of."""
    rows = pd.concat([prepared.table(split).assign(split=split) for split in prepared.splits], ignore_index=True)
    return rows.assign(sentence=rows["id"].str.removesuffix("@2"))


def accuracy(texts, labels, groups) -> float:
    """The better of a linear and a boosted classifier on ``surface``, five-fold, a sentence's rows in one fold."""
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    seen, gold = np.array([surface(text) for text in texts], dtype=float), np.asarray(labels)
    models = (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        GradientBoostingClassifier(n_estimators=50, random_state=0),
    )
    predicted = (cross_val_predict(model, seen, gold, groups=groups, cv=GroupKFold(5)) for model in models)
    return max(float((values == gold).mean()) for values in predicted)

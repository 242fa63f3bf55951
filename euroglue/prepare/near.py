# SPDX-License-Identifier: Apache-2.0
"""Near duplicates out, found as the audit finds them."""

from __future__ import annotations

import pandas as pd

from euroglue.prepare.leakage import near_pairs
from euroglue.prepare.text import Key
from euroglue.task import step


@step
def drop_near(table: pd.DataFrame, by: Key, threshold: float = 0.8) -> pd.DataFrame:
    """Drop the rows whose text is nearly that of an earlier row, by the shingles that the leakage audit compares.

    Args:
        by: gives the texts; ``same_words`` is what the audit compares.
        threshold: the Jaccard similarity of sets of five characters from which texts are nearly the same.

    >>> from euroglue.prepare.text import same_words
    >>> rows = pd.DataFrame({"t": ["Foto: Ana Novak, arhiv", "(re/foto: Ana Novak, arhiv)", "Dežuje."]})
    >>> drop_near(same_words("t"), threshold=0.7)(rows)["t"].tolist()
    ['Foto: Ana Novak, arhiv', 'Dežuje.']
    """
    later = {after for _, after in near_pairs(by(table).tolist(), threshold)}
    return table.loc[[place not in later for place in range(len(table))]]

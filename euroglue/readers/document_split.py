# SPDX-License-Identifier: Apache-2.0
"""Two corpora over partly the same documents: what one of them holds, with the split that both share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from euroglue.prepare.documents import document_names, shared_document_split
from euroglue.task import Reader, reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles


@reader
def in_shared_split(
    files: RawFiles, read: Reader, first: str, second: str, seed: int, test: float, validation: float
) -> pd.DataFrame:
    """Read one of two corpora and add the document split that both share (``shared_document_split``).

    Where one corpus is not at hand the split is drawn from the other alone: it is reported not to be the shared one.

    Args:
        read: the reader of the corpus; its table has a column ``document``.
        first: pattern of the first corpus' members, one per document and named by it.
        second: the same of the second corpus.
        seed: of the draw.
        test: share of the documents.
        validation: share of the documents.

    Raises:
        FormatError: two members of a corpus are called like one document.
    """
    table = read(files)
    names = {pattern: list(document_names(files.names(pattern))) for pattern in (first, second)}
    for pattern, documents in names.items():
        if not documents:
            files.report(f"{pattern}: the other corpus is not at hand: the document split is not the shared one")
    split = shared_document_split(names[first], names[second], seed, test, validation)
    return table.assign(split=table["document"].map(split).astype(object))

# SPDX-License-Identifier: Apache-2.0
"""Readers: one module per raw format. A reader turns verified raw files into one table, a row an example.

A table has the published columns (labels still by name), the task's id column and, where the files say so, ``split``.
"""

from euroglue.readers.conllu import conllu, conllu_documents
from euroglue.readers.conllu_text import conllu_text
from euroglue.readers.csv_table import csv_table
from euroglue.readers.dcoi import dcoi
from euroglue.readers.document_split import in_shared_split
from euroglue.readers.exams import arc, bg_rc, together
from euroglue.readers.film_blocks import film_blocks
from euroglue.readers.folders import folders
from euroglue.readers.iob import iob
from euroglue.readers.jsonl import jsonl
from euroglue.readers.mmax import mmax
from euroglue.readers.offsets import offsets
from euroglue.readers.questions import mmlu, prompts
from euroglue.readers.semeval import semeval
from euroglue.readers.sheet import sheet
from euroglue.readers.squad import squad
from euroglue.readers.tsv import tsv

__all__ = [
    "arc",
    "bg_rc",
    "conllu",
    "conllu_documents",
    "conllu_text",
    "csv_table",
    "dcoi",
    "film_blocks",
    "folders",
    "in_shared_split",
    "iob",
    "jsonl",
    "mmax",
    "mmlu",
    "offsets",
    "prompts",
    "semeval",
    "sheet",
    "squad",
    "together",
    "tsv",
]

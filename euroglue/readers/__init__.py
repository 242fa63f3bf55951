# SPDX-License-Identifier: Apache-2.0
"""Readers: one module per raw format. A reader turns verified raw files into one table, a row an example.

A table has the published columns (labels still by name), the task's id column and, where the files say so, ``split``.
"""

from euroglue.readers.conllu import conllu
from euroglue.readers.exams import arc, bg_rc, together
from euroglue.readers.film_blocks import film_blocks
from euroglue.readers.iob import iob
from euroglue.readers.jsonl import jsonl
from euroglue.readers.offsets import offsets
from euroglue.readers.sheet import sheet
from euroglue.readers.tsv import tsv

__all__ = ["arc", "bg_rc", "conllu", "film_blocks", "iob", "jsonl", "offsets", "sheet", "together", "tsv"]

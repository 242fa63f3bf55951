# SPDX-License-Identifier: Apache-2.0
"""Submissions: predictions of one model on a suite's tasks in one archive; packed, checked and scored.

The layout is bgGLUE's: ``predictions/TASK/predictions.jsonl`` (see ``euroglue.predictions``), with ``metadata.json`` beside
``predictions``, which says who predicted and on what data.
"""

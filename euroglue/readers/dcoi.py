# SPDX-License-Identifier: Apache-2.0
"""D-Coi XML (SoNaR-500) with the word senses of DutchSemCor: one row per word whose sense is annotated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from euroglue.errors import FormatError, MissingRawFileError
from euroglue.prepare.documents import document_names
from euroglue.readers.jsonl import read_json
from euroglue.readers.markup import attribute, local, root_of
from euroglue.readers.skipped import Skipped
from euroglue.task import SPLITS, reader

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles

XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_TOKEN = re.compile(r"([^.]+)\..*\.w\.\d+")


class Sense(NamedTuple):
    """An annotation: lemma, part of speech (``a``, ``n`` or ``v``) and sense of one token."""

    lemma: str
    pos: str
    sense: str


class Place(NamedTuple):
    """Where a token stands: its sentence, the words of that, and its number among them, from 0."""

    sentence: str
    words: list[str]
    number: int


@reader
def dcoi(files: RawFiles, texts: str, senses: str, lemma_lists: str = "") -> pd.DataFrame:
    """Read annotated words in their sentences; what cannot be found is skipped, counted and reported.

    Only documents that an annotation names are opened. Skipped are annotations of documents that are not among the
    texts (those of the spoken corpus CGN, for one), of tokens that a document does not have, and of tokens that have two
    senses.

    Args:
        texts: pattern of the members ``…/<document>.dcoi.xml``.
        senses: pattern of the members with ``<token lemma pos sense token_id>``.
        lemma_lists: member that says which lemma goes to which split (see ``read_lemma_lists``), used where it is at
            hand; words of lemmas that it does not list are skipped.

    Returns:
        ``id`` (the token's id), ``sentence`` (its id), ``lemma``, ``pos``, ``sense``, ``tokens``, ``index`` (of the word
        among the tokens, from 0) and ``split`` (None without lists).

    Raises:
        FormatError: a file is no such XML, two members are one document, or the lists are none.
        MissingRawFileError: the texts or the annotations are not at hand.
    """
    for pattern in (texts, senses):
        if not files.names(pattern):
            raise MissingRawFileError(f"{pattern}: expected such members among the raw files, there are none")
    skipped = Skipped()
    splits = read_lemma_lists(files, lemma_lists) if lemma_lists and files.names(lemma_lists) else None
    members = {name.removesuffix(".dcoi"): member for name, member in document_names(files.names(texts)).items()}
    rows: list[tuple] = []
    for document, tokens in _by_document(read_senses(files, senses, skipped), skipped).items():
        if document not in members:
            for token in tokens:
                skipped.add("annotation skipped, its document is not among the texts", token)
            continue
        rows += _rows(tokens, _places(files, members[document], set(tokens)), splits, skipped)
    skipped.report(files)
    columns = ["id", "sentence", "lemma", "pos", "sense", "tokens", "index", "split"]
    return pd.DataFrame(rows, columns=columns).astype(object)


def _rows(
    tokens: Mapping[str, Sense], places: Mapping[str, Place], splits: Mapping[str, str] | None, skipped: Skipped
) -> Iterator[tuple]:
    for token, about in tokens.items():
        if token not in places:
            skipped.add("annotation skipped, its document has no such token", token)
        elif splits is not None and about.lemma not in splits:
            skipped.add("annotation skipped, its lemma is on no list", token)
        else:
            sentence, words, index = places[token]
            yield (token, sentence, *about, words, index, splits[about.lemma] if splits is not None else None)


def read_senses(files: RawFiles, pattern: str, skipped: Skipped) -> dict[str, Sense]:
    """Token id → annotation, sorted; a token with two different annotations is skipped.

    Raises:
        FormatError: a member is no such XML.
    """
    found: dict[str, set[Sense]] = {}
    for member in files.names(pattern):
        for element in root_of(files, member):
            token = attribute(member, element, "token_id")
            about = Sense(*(attribute(member, element, name) for name in Sense._fields))
            found.setdefault(token, set()).add(about)
    for token in sorted(found):
        if len(found[token]) > 1:
            skipped.add("token skipped, it has two senses", token)
    return {token: about for token, (about, *more) in sorted(found.items()) if not more}


def _by_document(senses: Mapping[str, Sense], skipped: Skipped) -> dict[str, dict[str, Sense]]:
    documents: dict[str, dict[str, Sense]] = {}
    for token, about in senses.items():
        if match := _TOKEN.fullmatch(token):
            documents.setdefault(match[1], {})[token] = about
        else:
            skipped.add("annotation skipped, its token_id names no word", token)
    return documents


def _places(files: RawFiles, member: str, wanted: set[str]) -> dict[str, Place]:
    """Wanted token id → where it stands."""
    places: dict[str, Place] = {}
    for sentence in root_of(files, member).iter():
        if local(sentence) != "s":
            continue
        words = [word for word in sentence if local(word) == "w" and (word.text or "").strip()]
        forms = [(word.text or "").strip() for word in words]
        for index, word in enumerate(words):
            key = attribute(member, word, XML_ID)
            if key in wanted:
                if key in places:
                    raise FormatError(f"{member}: the id {key} occurs twice; expected every id once")
                places[key] = Place(attribute(member, sentence, XML_ID), forms, index)
    return places


def read_lemma_lists(files: RawFiles, member: str) -> dict[str, str]:
    """Lemma → split, from a JSON object of three lists or from the published Python file; nothing is executed.

    A list is known by ``train``, ``valid`` (or ``dev``) and ``test`` in its name, as in ``{"train": […], …}`` or in
    ``_TRAIN_LEMMAS = […]``.

    Raises:
        FormatError: the file is neither, lacks a list, or has a lemma on two lists.
    """
    text = files.text(member)
    try:
        lists = read_json(member, text)
    except FormatError:
        lists = _assigned_lists(member, text)
    if not isinstance(lists, dict):
        raise FormatError(f"{member}: expected an object of three lists of lemmas, got {type(lists).__name__}")
    splits: dict[str, str] = {}
    for split, words in zip(SPLITS, (("train",), ("valid", "dev"), ("test",))):
        named = [value for name, value in lists.items() if any(word in name.lower() for word in words)]
        if len(named) != 1 or not isinstance(named[0], list) or not all(isinstance(one, str) for one in named[0]):
            raise FormatError(f"{member}: expected one list of lemmas for {split}, got the names {', '.join(lists)}")
        for lemma in named[0]:
            if splits.setdefault(lemma, split) != split:
                raise FormatError(f"{member}: the lemma {lemma!r} is on the lists of {splits[lemma]} and of {split}")
    return splits


def _assigned_lists(member: str, text: str) -> dict[str, list]:
    """The lists that a Python file assigns to names; it is parsed, not run."""
    try:
        body = ast.parse(text).body
        assigned = [node for node in body if isinstance(node, ast.Assign) and isinstance(node.value, ast.List)]
        return {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in assigned
            if isinstance(node.targets[0], ast.Name)
        }
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FormatError(f"{member}: expected JSON or Python lists of lemmas, got neither ({error})") from error

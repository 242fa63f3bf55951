# SPDX-License-Identifier: Apache-2.0
"""ScaLA: which sentences are used, what the published corruptions do, and what the checked ones never do."""

import random
import re
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from euroglue.errors import ContractError
from euroglue.prepare.corrupt import (
    correct_and_incorrect,
    corrupt_as_published,
    deletable,
    delete,
    flip_neighbours,
    join_tokens,
    partners,
    scala_filters,
    swappable,
)
from euroglue.prepare.corrupt_checked import Sentence, corrupt_checked, deletions, swapped, swaps, without
from euroglue.prepare.text import without_punctuation

CHECKED = corrupt_checked("id", "text", "tokens", "tags", "lemmas", "spaces", seed=4242)


def sentence(written: str) -> Sentence:
    """A sentence from ``form/TAG/lemma`` with spaces; ``~`` glues a token to the one before."""
    tokens = [item.removeprefix("~").split("/") for item in written.split()]
    glued = [item.startswith("~") for item in written.split()[1:]]
    forms, tags, lemmas = zip(*((form, tag, (rest or [form.lower()])[0]) for form, tag, *rest in tokens))
    return Sentence(list(forms), list(tags), list(lemmas), [not one for one in glued] + [True])


def table(*written: str) -> pd.DataFrame:
    """Sentences as the reader gives them."""
    rows = [sentence(one) for one in written]
    lists = {name: pd.Series([list(getattr(row, name)) for row in rows], dtype=object) for name in Sentence._fields}
    texts = ["".join(form + " " * space for form, space in zip(row.tokens, row.spaces)).strip() for row in rows]
    return pd.DataFrame({"id": [f"s{at}" for at in range(len(rows))], "text": texts, **lists})


# The published rules

VECTORS = [
    ("Potem/ADV je/AUX nekdo/PRON planil/VERB na/ADP sejo/NOUN ./PUNCT", [1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]),
    ("Janez/PROPN Novak/PROPN spi/VERB", [2], [1, 2]),
    ("Ljubljana/PROPN je/AUX glavno/ADJ mesto/NOUN Slovenije/PROPN ./PUNCT", [0, 1], [0, 1, 2, 3, 4]),
    ("Danes/ADV ,/PUNCT", [], []),
]


@pytest.mark.parametrize(("written", "may_go", "may_move"), VECTORS)
def test_which_words_may_go_and_move(written, may_go, may_move):
    tags = sentence(written).tags
    assert (deletable(tags), swappable(tags)) == (may_go, may_move)


@pytest.mark.parametrize(
    ("written", "at", "expected", "why"),
    [
        (VECTORS[0][0], 0, [1], "the first goes right"),
        (VECTORS[0][0], 1, [0], "auxiliary before a pronoun: left"),
        (VECTORS[0][0], 2, [1, 3], "a pronoun after an auxiliary: either side, the fault of the published rule"),
        (VECTORS[0][0], 5, [4], "a full stop on the right"),
        (VECTORS[2][0], 3, [2, 4], "an adjective and a name: either side"),
        (VECTORS[2][0], 4, [3], "a full stop on the right"),
        (VECTORS[1][0], 2, [1], "the last goes left"),
        (
            "da/SCONJ ,/PUNCT kdo/PRON je/AUX",
            2,
            [1],
            "pronoun before an auxiliary: left, although a comma stands there",
        ),
        ("mi/PRON jaz/PRON sem/AUX tu/ADV", 1, [0], "the same, although the left neighbour has the same tag"),
        ("je/AUX ,/PUNCT zdaj/ADV tu/VERB", 2, [3], "a comma on the left"),
        ("in/X dan/NOUN noč/NOUN je/AUX", 2, [3], "the same tag on the left"),
    ],
)
@pytest.mark.issue("EuroEval#scala-rule-3")
def test_whom_a_word_is_swapped_with(written, at, expected, why):
    assert partners(sentence(written).tags, at) == expected, why


@pytest.mark.parametrize(
    ("tokens", "text", "why"),
    [
        ('Rekel je : " Pridi " ! ( zdaj ) » da «', 'Rekel je: "Pridi"! (zdaj) » da «', "Slovene marks are not known"),
        ("a , b ; c ? [ d ] { e } .", "a, b; c? [d] {e}.", "every mark"),
        ('" Da " in " ne "', '"Da" in "ne"', "two pairs"),
        ('" Da', '" Da', "an odd number of marks: as it is"),
        ("finančno - računovodske 05 / 6418", "finančno - računovodske 05 / 6418", "hyphens and strokes are not known"),
    ],
)
def test_how_tokens_are_joined(tokens, text, why):
    assert join_tokens(tokens.split()) == text, why


def outcomes(corrupt, written, draws=300):
    tokens, tags, *_ = sentence(written)
    return {corrupt(tokens, tags, random.Random(seed)) for seed in range(draws)}


@pytest.mark.parametrize(
    ("written", "texts"),
    [
        ("Janez/PROPN Novak/PROPN spi/VERB", {"Janez Novak"}),
        (VECTORS[2][0], {"je glavno mesto Slovenije.", "Ljubljana glavno mesto Slovenije."}),
        ("Danes/ADV ,/PUNCT", {None}),
    ],
)
@pytest.mark.issue("EuroEval#scala-case")
def test_every_deletion_there_is(written, texts):
    assert outcomes(delete, written) == texts


@pytest.mark.parametrize(
    ("written", "texts"),
    [
        ("Janez/PROPN Novak/PROPN spi/VERB", {"Janez spi Novak"}),
        ("V/ADP Celju/PROPN sneži/VERB", {"Celju V sneži", "V sneži Celju"}),
        ("Susan/PROPN ga/PRON je/AUX", {"Ga susan je", "Susan je ga"}),
        ("Danes/ADV ,/PUNCT", {None}),
        ("da/SCONJ ,/PUNCT kdo/PRON je/AUX", {"da kdo, je", "da, je kdo"}),
    ],
)
@pytest.mark.issue("EuroEval#scala-case")
def test_every_swap_there_is(written, texts):
    assert outcomes(flip_neighbours, written) == texts


class Fixed(random.Random):
    """Draws the second candidate, and this number."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def choice(self, seq):
        return seq[1]

    def random(self):
        return self.number


@pytest.mark.parametrize(
    ("number", "text"), [(0.51, "je Potem nekdo"), (0.5, "Potem nekdo je"), (0.0, "Potem nekdo je")]
)
def test_of_two_sides_a_number_above_a_half_means_the_left(number, text):
    swapped_words = flip_neighbours(["Potem", "je", "nekdo"], ["ADV", "AUX", "DET"], Fixed(number))
    assert swapped_words.lower() == text.lower()


FILTERED = [
    ("Včeraj/ADV je/AUX Ana/PROPN v/ADP Celju/PROPN spala/VERB ./PUNCT", True, "7 tokens, 6 tags"),
    ("Včeraj/ADV je/AUX v/ADP Celju/PROPN ./PUNCT", False, "5 tokens"),
    ("Včeraj/ADV je/AUX Ana/PROPN v/ADP Celju/PROPN ./PUNCT ./PUNCT", False, "5 tags"),
    ('"/X Včeraj/ADV je/AUX Ana/PROPN v/ADP Celju/PROPN spala/VERB ./PUNCT', False, "one quotation mark"),
    ('"/X Včeraj/ADV je/AUX "/X Ana/PROPN v/ADP Celju/PROPN spala/VERB ./PUNCT', True, "two quotation marks"),
    ("-/PUNCT Včeraj/ADV je/AUX Ana/PROPN v/ADP Celju/PROPN spala/VERB", False, "begins with punctuation"),
    ("%/SYM Včeraj/ADV je/AUX Ana/PROPN v/ADP Celju/PROPN spala/VERB", False, "begins with a symbol"),
    ("a=b/X Včeraj/ADV je/AUX Ana/PROPN v/ADP Celju/PROPN spala/VERB", True, "one equals sign"),
    ("a=b=c/X Včeraj/ADV je/AUX Ana/PROPN v/ADP Celju/PROPN spala/VERB", False, "two equals signs"),
    ("SLUTORD/X Včeraj/ADV je/AUX Ana/PROPN v/ADP Celju/PROPN spala/VERB", False, "the end mark"),
]


@pytest.mark.parametrize(("written", "kept", "why"), FILTERED)
def test_which_sentences_are_used(written, kept, why):
    rows = table(written)
    for step in scala_filters("text", "tokens", "tags"):
        rows = step(rows)
    assert len(rows) == kept, why


def test_a_text_is_used_once():
    rows = table(FILTERED[0][0], FILTERED[0][0])
    assert scala_filters("text", "tokens", "tags")[0](rows)["id"].tolist() == ["s0"]


def test_the_published_corruption_goes_by_its_seed_and_names_what_it_did():
    rows = table(*[VECTORS[0][0]] * 200)
    one, two, other = (corrupt_as_published("tokens", "tags", seed=seed)(rows) for seed in (1, 1, 2))
    assert one.equals(two) and not one.equals(other)
    assert set(one["corruption_type"]) == {"delete", "flip_neighbours"}
    words = [len(text.rstrip(".").split()) for text in one["corrupted"]]
    assert [count == 5 for count in words] == (one["corruption_type"] == "delete").tolist()
    assert 0.4 < (one["corruption_type"] == "delete").mean() < 0.6


def test_a_sentence_that_cannot_be_corrupted_is_refused_where_the_published_build_does_not_end():
    with pytest.raises(ContractError, match="no word to delete and none to swap in 'Danes ,'"):
        corrupt_as_published("tokens", "tags", seed=1)(table("Danes/ADV ,/PUNCT"))


def test_rows_are_made_of_sentences_with_ids_and_places_of_their_own():
    rows = corrupt_as_published("tokens", "tags", seed=1)(table(VECTORS[0][0], VECTORS[1][0])).set_axis([3, 7])
    out = correct_and_incorrect("id")(rows)
    assert sorted(out["id"]) == ["s0", "s0@2", "s1", "s1@2"]
    assert out["id"].str.removesuffix("@2").tolist() == ["s0", "s1"] * 2
    assert out["label"].tolist() == ["correct"] * 2 + ["incorrect"] * 2
    assert out["corruption_type"].tolist()[:2] == ["", ""] and out.index.tolist() == [3, 7, 8, 9]
    assert "corrupted" not in out and len(correct_and_incorrect("id")(rows[:0])) == 0


# The checked rules


@pytest.mark.parametrize(
    ("written", "texts", "why"),
    [
        (
            "V/ADP/v Celju/PROPN/Celje sneži/VERB ~./PUNCT",
            ["Celju sneži.", "V sneži.", "V Celju."],
            "capital and mark stay",
        ),
        ("Ana/PROPN/Ana ~,/PUNCT pridi/VERB ~!/PUNCT", [], "a comma would stand at the head or beside another mark"),
        ("Res/ADV ~,/PUNCT Ana/PROPN/Ana ~,/PUNCT pridi/VERB zdaj/ADV ~!/PUNCT", ["Res, Ana, zdaj!"], "no two commas"),
        (
            "Rekel/VERB je/AUX ~:/PUNCT »/PUNCT ~Pridi/VERB domov/ADV ~./PUNCT ~«/PUNCT",
            ["Je: »Pridi domov.«", "Rekel: »Pridi domov.«", "Rekel je: »Domov.«"],
            "the capital at the head of a quotation stays there",
        ),
        ("To/DET je/AUX »/PUNCT ~hiša/NOUN ~«/PUNCT", ["To »hiša«"], "quotation marks around nothing"),
        (
            "Bil/VERB je/AUX finančno/ADJ ~-/PUNCT ~vodja/NOUN ~./PUNCT",
            ["Je finančno-vodja.", "Bil finančno-vodja."],
            "half of a hyphenated word stays",
        ),
        ("Dr./NOUN/dr. Kos/PROPN/Kos je/AUX tu/ADV", ["Dr. Kos tu"], "what ends in a full stop of its own stays"),
        ("je/AUX videti/VERB dobro/ADV", ["videti dobro", "je dobro"], "a sentence without a capital gets none"),
    ],
)
def test_deletions_leave_a_written_sentence(written, texts, why):
    one = sentence(written)
    assert [without(one, at) for at in deletions(one)] == texts, why


@pytest.mark.parametrize(
    ("written", "texts", "why"),
    [
        (
            "V/ADP/v Celju/PROPN/Celje sneži/VERB",
            ["Celju v sneži", "V sneži Celju"],
            "one-letter preposition, proper noun",
        ),
        ("Ana/PROPN/Ana spi/VERB", ["Spi Ana"], "a name keeps its capital"),
        ("Janezov/ADJ/Janezov pes/NOUN spi/VERB", ["Pes Janezov spi", "Janezov spi pes"], "so does its possessive"),
        ("ZDA/PROPN/ZDA niso/AUX tu/ADV", ["Niso ZDA tu", "ZDA tu niso"], "and an abbreviation in capitals"),
        ("Jaz/PRON sem/AUX tu/ADV", ["Jaz tu sem"], "pronoun and auxiliary, in this order"),
        (
            "Zdaj/ADV je/AUX on/PRON ~,/PUNCT kdo/PRON pa/CCONJ ti/PRON",
            ["Je zdaj on, kdo pa ti", "Zdaj je on, pa kdo ti", "Zdaj je on, kdo ti pa"],
            "and in the other; no swap across a comma",
        ),
        (
            "Rekel/VERB je/AUX ~:/PUNCT »/PUNCT ~Pridi/VERB domov/ADV ~./PUNCT ~«/PUNCT",
            ["Je rekel: »Pridi domov.«", "Rekel je: »Domov pridi.«"],
            "the capital at the head of a quotation, marks and spaces stay",
        ),
        ("Velika/ADJ hiša/NOUN ~(/PUNCT", ["Hiša velika("], "an odd space stays"),
        ("Cena/NOUN 5/NUM ~%/SYM raste/VERB", [], "what is written together stays together"),
        ("3./ADJ člen/NOUN določa/VERB", ["3. določa člen"], "an ordinal number stays"),
        ("6/NUM je/AUX res/ADV", ["Je 6 res", "6 res je"], "a word after a number at the head gets the capital"),
        ("dan/NOUN noč/NOUN", [], "the same tag"),
    ],
)
@pytest.mark.issue("EuroEval#scala-case")
def test_swaps_leave_a_written_sentence(written, texts, why):
    one = sentence(written)
    assert [swapped(one, at) for at in swaps(one)] == texts, why


def test_the_checked_corruption_of_a_sentence_does_not_hang_on_the_others_or_on_their_order():
    rows = table(*(f"{word}/NOUN je/AUX tu/ADV res/PART dolgo/ADJ spal/VERB ~./PUNCT" for word in "ABCDEFGH"))
    whole, part = CHECKED(rows), CHECKED(rows[::-1][2:])
    assert part.sort_index()["corrupted"].tolist() == whole["corrupted"].tolist()[:6]
    other = corrupt_checked("id", "text", "tokens", "tags", "lemmas", "spaces", seed=1)(rows)
    assert other["corrupted"].tolist() != whole["corrupted"].tolist()


def test_a_corruption_that_is_none_is_refused():
    only = "Tudi/ADV spi/VERB ~./PUNCT"  # may lose its verb, or be swapped
    assert set(CHECKED(table(only))["corrupted"]) <= {"Tudi.", "Spi tudi."}
    taken = table(only, "Spi/VERB ~,/PUNCT tudi/ADV ~!/PUNCT", "Tudi/ADV ~!/PUNCT")
    assert "s0" not in CHECKED(taken)["id"].tolist(), "both are sentences of the table, but for case and punctuation"
    same = table("To/PRON to/DET")  # two tags, one word: the swap changes nothing
    assert CHECKED(same)["corrupted"].tolist() == ["To"], "the swap is refused, the deletion is not"


WORDS = st.sampled_from(
    [
        "hiša/NOUN",
        "Ana/PROPN/Ana",
        "je/AUX",
        "on/PRON",
        "v/ADP",
        "V/ADP/v",
        "Lepo/ADV/lepo",
        "in/CCONJ",
        "star/ADJ",
        "5/NUM",
    ]
)
MARKS = st.sampled_from(["~,/PUNCT", "~./PUNCT", "»/PUNCT", "~«/PUNCT", "(/PUNCT", "~)/PUNCT", "%/SYM", "~-/PUNCT"])
WRITTEN = st.tuples(WORDS, st.lists(WORDS | WORDS | WORDS | MARKS, min_size=1, max_size=14)).map(
    lambda parts: " ".join([parts[0], *parts[1]])
)


@settings(max_examples=300, deadline=None)
@given(WRITTEN)
def test_checked_corruptions_lose_one_word_or_none_and_no_mark(written):
    one = sentence(written)
    letters = Counter(without_punctuation(" ".join(one.tokens)).split())
    marks = [mark for mark in re.findall(r"[^\w\s]", "".join(one.tokens))]
    for at in deletions(one):
        text = without(one, at)
        assert sum(map(len, (letters - Counter(without_punctuation(text).split())))) <= len(one.tokens[at])
        assert re.findall(r"[^\w\s]", text) == marks and "  " not in text
        assert one.tags[at] not in {"ADJ", "ADV", "PUNCT", "SYM", "NUM"}
    for at in swaps(one):
        text = swapped(one, at)
        assert Counter(without_punctuation(text).split()) == Counter(without_punctuation(join(one)).split())
        assert [len(part) for part in re.findall(r"\w+|\W+", text)].count(0) == 0
        assert re.sub(r"\w+", "w", text) == re.sub(r"\w+", "w", join(one)), "marks and spaces stay where they are"


def join(one: Sentence) -> str:
    return "".join(token + " " * space for token, space in zip(one.tokens, one.spaces)).strip()


@settings(max_examples=200, deadline=None)
@given(WRITTEN)
def test_checked_words_are_among_those_of_the_published_rules(written):
    one = sentence(written)
    assert set(deletions(one)) <= set(deletable(one.tags))
    moved = {at for pair in swaps(one) for at in (pair, pair + 1)}
    assert moved <= set(swappable(one.tags))

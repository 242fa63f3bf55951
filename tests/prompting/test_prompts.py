# SPDX-License-Identifier: Apache-2.0
"""Prompts of every task: they fit it, are in its language, and what they ask for can be read back without loss."""

from __future__ import annotations

import re
import unicodedata

import pytest

from euroglue.prepare import prepare
from euroglue.prompting.build import Builder
from euroglue.prompting.clean import clean
from euroglue.prompting.fields import is_entity_tagging
from euroglue.prompting.kinds import kind_of
from euroglue.prompting.prompt import Prompt
from euroglue.prompting.shots import Rows, Shots
from euroglue.prompting.tagging import Span, locate
from euroglue.registry import SUITES, find_task
from euroglue.scoring import metric_for, score
from euroglue.task import Kind
from euroglue.template import PLACEHOLDER

TASKS = [task for suite in SUITES.values() for task in suite.tasks.values()]
each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.path)
SCRIPTS = {"Cyrl": "CYRILLIC", "Latn": "LATIN"}
NO_WORDS = r"JSON|Universal|Dependencies|[A-H]\b"


def rows_of(split, task):
    return Rows(prepare(task, "sample").table(split))


@each_task
def test_every_task_has_a_prompt_in_its_script(task):
    prompt = task.prompt
    assert prompt is not None
    texts = [prompt.prefix, prompt.template, prompt.instruction, *prompt.words.values()]
    bare = [re.sub(NO_WORDS, "", PLACEHOLDER.sub("", text)) for text in texts]
    letters = {unicodedata.name(char).split()[0] for text in bare for char in text if char.isalpha()}
    assert letters == {SCRIPTS[task.language.partition("-")[2]]}


@pytest.mark.issue("EuroEval#v16.1.1")
@pytest.mark.issue("EuroEval#v15.8.1")
@each_task
def test_an_instruction_tells_every_word_that_may_be_answered(task):
    kind, row = kind_of(task, task.prompt), rows_of("test", task)[0]
    told = kind.fill(task.prompt.instruction, row)
    if task.kind is not Kind.MULTIPLE_CHOICE and task.kind is not Kind.REGRESSION:
        assert [word for word in kind.words(row) if word not in told] == []
    if task.prompt.no_answer:
        assert task.prompt.no_answer in told
    if task.kind is Kind.TOKEN_CLASSIFICATION and not is_entity_tagging(task):
        assert f'"{task.prompt.key}"' in told


@pytest.mark.issue("EuroEval#v14.3.0")
@each_task
@pytest.mark.parametrize("chat", [False, True], ids=["base", "chat"])
def test_a_request_shows_the_example_and_not_its_answer(task, chat):
    kind, train = kind_of(task, task.prompt), rows_of("train", task)
    shots = Shots(kind, train, count=3, seed=1, fixed=False)
    builder = Builder(kind, chat=chat)
    for row in list(rows_of("test", task))[:5]:
        key = str(row[task.id_column])
        request = builder.request(key, row, shots.of(key, row))
        said = "\n".join(m.content for m in request.messages) if chat else request.shared + request.text
        assert not PLACEHOLDER.search(said.replace(str(row), ""))
        assert said == said.rstrip()
        assert said.endswith(task.prompt.cue.split("}")[-1] + ":") or task.prompt.turn
        shown = [kind.gold(shot) for shot in shots.of(key, row)]
        answers = [m.content for m in request.messages if m.role == "assistant"] if chat else shown
        assert answers == shown
        assert all(f"{task.prompt.cue}: {one}\n\n" in said for one in shown) or chat
        if request.choices:
            assert kind.gold(row) in [choice.strip() for choice in request.choices]
            assert all(choice.startswith(" ") != chat for choice in request.choices)


@each_task
def test_a_perfect_answer_is_read_back_and_an_unreadable_one_is_wrong(task):
    kind, rows = kind_of(task, task.prompt), list(rows_of("test", task))
    gold = [row[task.target] for row in rows]
    perfect = score(task, [kind.read(clean(kind.gold(row)), row) for row in rows], gold)
    assert perfect.value == pytest.approx(1.0)
    assert not [warning for warning in perfect.warnings if "unknown" in warning]
    garbage = ["???" if task.kind is not Kind.QUESTION_ANSWERING else "" for _ in rows]
    assert [kind.read(clean(text), row) for text, row in zip(garbage, rows)] == [None] * len(rows)
    worst = score(task, [kind.unreadable(row) for row in rows], gold)
    chance = score(task, [0.5] * len(rows), gold).value if task.kind is Kind.RANKING else max(metric_for(task).low, 0)
    assert worst.value <= chance


@each_task
def test_probabilities_of_the_words_give_the_same_as_the_words(task):
    kind, rows = kind_of(task, task.prompt), list(rows_of("test", task))[:10]
    if not kind.scored:
        pytest.skip("answers are free")
    for row in rows:
        right = kind.gold(row)
        scores = {word: 0.0 if word == right else -40.0 for word in kind.words(row)}
        assert kind.weigh(scores, row) == pytest.approx(kind.read(right, row))
        assert kind.weigh({**scores, right: float("nan")}, row) is None
        assert kind.weigh({word: scores[word] for word in list(scores)[1:]}, row) is None


MENTIONS = [
    ([("Ana", "PER"), ("Ana Novak", "PER")], "Ana Novak in Ana", [(0, 2), (3, 4)], 0, "longer mentions first"),
    ([("Ana", "PER")] * 2, "Ana vidi Ano in Ana", [(0, 1), (4, 5)], 0, "each mention once, no other form"),
    ([("Ana", "PER")] * 3, "Ana in Ana", [(0, 1), (2, 3)], 1, "more mentions than there are"),
    ([("in", "LOC")], "Martin in Tina", [(1, 2)], 0, "no part of a word"),
    ([("Novak", "PER")], "pri Novaku", [], 1, "no inflected form"),
    ([("ana", "PER")], "Ana", [], 1, "case counts"),
    ([("U.S.", "LOC")], "U . S .", [(0, 4)], 0, "spaces do not count"),
    ([("Cˇ", "LOC")], "C", [], 1, "not in the sentence"),
    ([("C\u030ce", "LOC")], "Če", [(0, 1)], 0, "decomposed letters"),
    ([("", "LOC"), (" ", "LOC")], "Ana", [], 2, "empty mentions"),
]


@pytest.mark.issue("EuroEval#ner-substring")
@pytest.mark.parametrize(("mentions", "text", "expected", "lost", "why"), MENTIONS, ids=[case[-1] for case in MENTIONS])
def test_mentions_are_brought_back_to_whole_tokens(mentions, text, expected, lost, why):
    found, missing = locate(mentions, text.split())
    assert [(span.start, span.end) for span in found] == expected
    assert missing == lost
    assert all(isinstance(span, Span) for span in found)


ENTITY_ANSWERS = [
    ('{"лице": ["Ана"], "място": ["Рим"], "организация": []}', ["B-PER", "O", "B-LOC"], "as asked"),
    ("Ето: {'лице': ['Ана']} готово", ["B-PER", "O", "O"], "single quotes, prose, keys missing"),
    ('{"резултат": {"Лице": ["Ана"]}}', ["B-PER", "O", "O"], "nested, a capital in the key"),
    ('{"лице": "Ана", "място": null}', ["B-PER", "O", "O"], "a text in place of a list"),
    ('{"лице": ["Ана", 3, ["x"]]}', ["B-PER", "O", "O"], "what is no text is left out"),
    ("{}", ["O", "O", "O"], "an empty object: no entity"),
    ('{"person": ["Ана"]}', None, "keys of another language"),
    ('{"лице": ["Ана"', None, "cut off"),
    ("Няма имена.", None, "no JSON"),
]


@pytest.mark.issue("EuroEval#v15.4.0")
@pytest.mark.parametrize(("text", "expected", "why"), ENTITY_ANSWERS, ids=[why for *_, why in ENTITY_ANSWERS])
def test_entities_are_read_from_json(text, expected, why):
    task = find_task("bgglue", "wikiannbg")
    row = {"tokens": ["Ана", "видя", "Рим"]}
    assert kind_of(task, task.prompt).read(text, row) == expected


def test_listed_items_that_are_no_text_are_counted():
    task = find_task("bgglue", "wikiannbg")
    kind = kind_of(task, task.prompt)
    kind.read('{"лице": [{"text": "Ана"}, 3], "място": null, "организация": []}', {"tokens": ["Ана"]})
    assert kind.notes["listed items that are no text"] == 2


TAG_ANSWERS = [
    ('{"етикети": ["Ана/PROPN", "спи/VERB", "./PUNCT"]}', ["PROPN", "VERB", "PUNCT"], "as asked"),
    ('{"етикети": ["Ана/propn", "./PUNCT"]}', ["PROPN", None, "PUNCT"], "a token left out"),
    (
        '{"етикети": ["x/X", "Ана/PROPN", "спи/ГЛАГОЛ", "./PUNCT"]}',
        ["PROPN", None, "PUNCT"],
        "one too many, an unknown tag",
    ),
    ('{"tags": ["Ана/PROPN"]}', None, "another key"),
]


@pytest.mark.parametrize(("text", "expected", "why"), TAG_ANSWERS, ids=[why for *_, why in TAG_ANSWERS])
def test_tags_of_every_token_are_read_from_json(text, expected, why):
    task = find_task("bgglue", "udep")
    kind, row = kind_of(task, task.prompt), {"tokens": ["Ана", "спи", "."]}
    wrong = kind.unreadable(row)[0]
    assert kind.read(text, row) == (None if expected is None else [tag or wrong for tag in expected])


ANSWERS = [
    ("geen antwoord", "", "none"),
    ("Er is geen antwoord in de tekst.", "", "none in a sentence"),
    ("op geen antwoord van de burgemeester wachtte hij langer dan vandaag", None, "an answer with these words in it"),
    ("in 1284", "in 1284", "an answer"),
]


@pytest.mark.parametrize(("text", "expected", "why"), ANSWERS, ids=[why for *_, why in ANSWERS])
def test_no_answer_is_told_from_an_answer(text, expected, why):
    task = find_task("dumb", "squadnl")
    read = kind_of(task, task.prompt).read(text, {})
    assert read == (text if expected is None else expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"template": "{label} {text}"}, "ends with {label}"),
        ({"template": "{label} is {label}"}, "which it has once"),
        ({"prefix": "{label}"}, "must not hold"),
        ({"shots": -1}, "0 or more"),
        ({"words": {"a": "x", "b": "x"}}, "two labels have one word"),
        ({"scale": ("0", "half")}, "a scale has numbers, got 'half'"),
    ],
)
def test_a_wrong_prompt_is_refused_at_once(change, message):
    with pytest.raises(ValueError, match=message):
        Prompt(**{"prefix": "", "template": "{text}: {label}", **change})


def test_two_prompts_have_two_digests():
    one, two = (Prompt(prefix="", template="{text}: {label}", shots=shots) for shots in (1, 2))
    assert one.digest != two.digest
    assert one.digest == Prompt(prefix="", template="{text}: {label}", shots=1).digest

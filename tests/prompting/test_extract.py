# SPDX-License-Identifier: Apache-2.0
"""Answers are read as what they say, or not at all: never as the answer they resemble most."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from euroglue.prompting.clean import CONTINUATION, clean
from euroglue.prompting.extract import label_of, number_of, span_of
from euroglue.prompting.json_objects import objects

SENTIMENT = ("pozitivno", "nevtralno", "negativno")
YES, LETTERS, CAPITALS = ("da", "ne"), ("a", "b", "c", "d"), ("A", "B", "C", "D")
BULGARIAN, DUTCH = ("да", "може би", "не"), ("positief", "negatief")

LABELS = [
    ("pozitivno", SENTIMENT, "pozitivno", "exact"),
    (" Pozitivno.", SENTIMENT, "pozitivno", "a capital and a full stop"),
    ("**'negativno'**", SENTIMENT, "negativno", "marks around"),
    ("„да“", BULGARIAN, "да", "Bulgarian quotation marks"),
    ("POZITIVNO", SENTIMENT, "pozitivno", "capitals"),
    (r"The answer is $\boxed{c}$", LETTERS, "c", "boxed"),
    (r"\boxed{a} … no: \boxed{\text{b}}", LETTERS, "b", "the last box"),
    ('{"label": "b"}', LETTERS, "b", "JSON"),
    ("```json\n{'sentiment': 'negativno'}\n```", SENTIMENT, "negativno", "JSON in Python's way, fenced"),
    ('{"label": "a", "other": "b"}', LETTERS, None, "JSON that names two"),
    ("Answer: c", LETTERS, "c", "an English cue"),
    ("Pravilen odgovor je c", LETTERS, "c", "the prompt's cue and a verb"),
    ("Odgovor: b. Priznanje je zgolj deklarativno, a ne odločilno", LETTERS, "b", "the conjunction a is no answer"),
    ("Ampak c", LETTERS, "c", "a letter at the end"),
    ("b. Priznanje je zgolj deklarativno", LETTERS, "b", "the letter with its choice"),
    ("B) deklarativno", LETTERS, "b", "a capital letter with a bracket"),
    ("a je pravilno", LETTERS, "a", "a letter and a verb"),
    ("A nekaj mi ni jasno", LETTERS, None, "a word of the language: not read as an answer"),
    ("a. ali b.", LETTERS, None, "two letters"),
    ("a is correct", CAPITALS, "A", "a letter and an English verb"),
    ("The correct one is B, not that.", CAPITALS, "B", "a capital in prose"),
    ("В", CAPITALS, "B", "Cyrillic letter that looks like it"),
    ("Отговор: С", CAPITALS, "C", "Cyrillic look-alike after the cue"),
    ("Г", CAPITALS, None, "Cyrillic letter that looks like none"),
    ("B.", CAPITALS, "B", "letter and full stop"),
    ("E", CAPITALS, None, "a letter beyond the choices"),
    ("nedvomno da", YES, "da", "no subsequence of letters: ne is in nedvomno"),
    ("odgovor je pravilen", YES, None, "da is no word of it"),
    ("Da, stavek je pravilen.", YES, "da", "a sentence"),
    ("Da.\n\nRazlaga: stavek ne vsebuje napak.", YES, "da", "an explanation after it"),
    ("da ali ne", YES, None, "two"),
    ("Ne vem", YES, None, "I do not know"),
    ("Mislim, da ni pravilna", YES, None, "the conjunction da is no answer"),
    ("Mislim, da je odgovor ne.", YES, "ne", "after the conjunction"),
    ("не знам", BULGARIAN, None, "I do not know"),
    ("да ✅", BULGARIAN, "да", "a sign after it"),
    ("ne", YES, "ne", "a negation that is itself an answer"),
    ("ni pozitivno, ampak negativno", SENTIMENT, None, "two named"),
    ("ni pozitivno", SENTIMENT, None, "negated"),
    ("Sentiment: pozitivno", SENTIMENT, "pozitivno", "the cue repeated"),
    ("Sentiment: positive", SENTIMENT, None, "another language's word"),
    ("pozitivno in negativno", SENTIMENT, None, "two"),
    ("pozitivno, pozitivno", SENTIMENT, "pozitivno", "one, twice"),
    ("pozitivnost", SENTIMENT, None, "another word"),
    ("", SENTIMENT, None, "nothing"),
    ("???", SENTIMENT, None, "marks only"),
    ("може би", BULGARIAN, "може би", "two words"),
    ("може би не", BULGARIAN, None, "maybe not"),
    ("Het oordeel is niet positief", DUTCH, None, "negated in Dutch"),
    ("Het oordeel is niet echt positief", DUTCH, None, "negated with a word between"),
    ("Ton ni bil pozitivno", SENTIMENT, None, "negated with a verb between"),
    ("Niet best geschreven, dus negatief", DUTCH, "negatief", "a negation in another clause"),
    ("pozitivno " * 20_000, SENTIMENT, "pozitivno", "a loop without end takes no long time"),
    ("cˇ pozitivno", SENTIMENT, "pozitivno", "odd marks before"),
    ("nevtra\u200blno", SENTIMENT, "nevtralno", "a zero-width space inside"),
    ("pozitivno\u00a0", SENTIMENT, "pozitivno", "a no-break space"),
    ("Answer: A or B", ("A", "B", "C", "D"), None, "two letters after the cue"),
    ("Answer: A, because B is wrong", ("A", "B", "C", "D"), "A", "another letter later in the sentence"),
    ("Answer: не знам", ("да", "не"), None, "a particle of a verb after the cue"),
    ("Answer: не, защото", ("да", "не"), "не", "an answer and a reason after the cue"),
    ("Not A.", ("A", "B", "C", "D"), None, "a letter that is negated"),
    ("It is not B but C.", ("A", "B", "C", "D"), None, "one letter negated, another named"),
    ('{"result": {"x": "да"}, "other": "не"}', ("да", "не"), None, "two answers at different depths of JSON"),
    ('{"result": [{"x": "да"}]}', ("да", "не"), "да", "an answer deep in JSON"),
    ("Може  \nби", ("да", "не", "може би"), "може би", "an answer of two words with white space in it"),
]


NEWS, NLI, ROUGH = ("достоверна", "фалшива"), ("да", "може би", "не"), ("neutraal", "kwetsend", "grof")
TONES, JA = ("negativen", "nevtralen", "pozitiven"), ("nee", "ja")
DENIED = [
    ("Едва ли е достоверна", NEWS, None, "hardly"),
    ("Съмнително е дали е достоверна", NEWS, None, "doubtful whether"),
    ("Не мога да преценя дали новината е достоверна", NEWS, None, "cannot tell whether, five words before the cue"),
    ("Не мисля, че новината е достоверна", NEWS, None, "do not think that: a comma is no end of it"),
    ("Няма как да е достоверна", NEWS, None, "there is no way"),
    ("Мисля, че новината е достоверна", NEWS, "достоверна", "think that"),
    ("Без съмнение е достоверна", NEWS, "достоверна", "without doubt denies nothing"),
    ("Достоверна ли е новината? Не.", NEWS, None, "the question repeated"),
    ("Фалшива. Новината не е достоверна, защото", NEWS, "фалшива", "the other one denied in the reason"),
    ("Фалшива. Не е фалшива.", NEWS, None, "said and denied"),
    ("Фалшива (не достоверна)", NEWS, "фалшива", "the other one denied in brackets"),
    ("достоверна не е", NEWS, None, "denied by what follows"),
    ("Отговорът не е да.", NLI, None, "the negation is an answer too, and none here"),
    ("Отговор: не да", NLI, None, "not yes"),
    ("не\nда", NLI, None, "two lines that say two things"),
    ("дa", NLI, "да", "a Latin letter in a Cyrillic word"),
    ("pozitivеn", TONES, "pozitiven", "a Cyrillic letter in a Latin word"),
    ("Ne mislim, da je pozitiven.", TONES, None, "do not think that, in Slovene"),
    ("Mislim, da je pozitiven", TONES, "pozitiven", "think that, in Slovene"),
    ("Ni mogoče reči, ali je pozitiven", TONES, None, "cannot be said whether"),
    ("težko bi rekli, da je pozitiven", TONES, None, "it would be hard to say that"),
    ("Ton je pozitiven, saj ni negativen", TONES, "pozitiven", "the cue's answer, the other denied"),
    ("brez dvoma negativen", TONES, "negativen", "without doubt, in Slovene"),
    ("Ik denk niet dat de recensent positief is.", DUTCH, None, "do not think that, in Dutch"),
    ("Ik kan niet zeggen of het positief is.", DUTCH, None, "cannot say whether, in Dutch"),
    ("allesbehalve positief", DUTCH, None, "anything but"),
    ("negatief omdat het niet boeit", DUTCH, "negatief", "a negation in the reason"),
    ("neutraal, niet kwetsend", ROUGH, "neutraal", "one named and another denied after it"),
    ("niet kwetsend, neutraal", ROUGH, None, "one denied and another named after it"),
    ("Nee ze verwijzen niet naar hetzelfde", JA, "nee", "no word of the sentence denies the interjection before it"),
    ("Het antwoord is niet nee", JA, None, "not no"),
    ("Отговорът не е A", CAPITALS, None, "a letter denied in Bulgarian"),
    ("Всички освен A", CAPITALS, None, "all but one"),
    ("A е грешен", CAPITALS, None, "a letter that is wrong"),
    ("A is wrong", CAPITALS, None, "the same in English"),
    ("Odgovor A ni pravilen.", CAPITALS, None, "the same in Slovene, after the cue"),
    ("The answer can't be A", CAPITALS, None, "cannot be"),
    ("Is the answer A? No.", CAPITALS, None, "a question"),
    ("В този случай не се знае", CAPITALS, None, "a Bulgarian word of one letter"),
    ("С други думи, D", CAPITALS, "D", "another one, before an answer"),
    ("A nekaj mi ni jasno", CAPITALS, None, "a Slovene word of one letter, capital as the choices are"),
    ("A car is needed", CAPITALS, None, "an English article"),
    ("A in C", CAPITALS, None, "two letters joined"),
]


@pytest.mark.parametrize(("text", "words", "expected", "why"), DENIED, ids=[why for *_, why in DENIED])
def test_what_is_denied_excepted_or_asked_is_no_answer(text, words, expected, why):
    cues = {NEWS: "Новината е", NLI: "Отговор", TONES: "Ton", DUTCH: "Oordeel", CAPITALS: "Верен отговор"}
    assert label_of(clean(text), words, cues.get(words, "Antwoord"))[0] == expected


LONG = [
    "1",
    "<",
    "<think",
    "<|thought",
    "1 ",
    "4 a (",
    "не A ",
    "A, ",
    "answer: a ",
    "{'a':",
    "\\boxed{",
    "(",
    " ",
    "\n \n",
    ", da ",
    "<|",
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", LONG)
def test_no_text_takes_long_to_read(unit):
    text = clean(unit * 10_000, CONTINUATION)
    for words in (YES, CAPITALS, BULGARIAN):
        label_of(text, words, "Odgovor")
    number_of(text, 0, 5, "Звезди")
    assert span_of(text, "Antwoord") is not None


@pytest.mark.issue("EuroEval#v12.10.1")
@pytest.mark.issue("EuroEval#v12.10.2")
@pytest.mark.issue("EuroEval#extraction")
@pytest.mark.parametrize(("text", "words", "expected", "why"), LABELS, ids=[why for *_, why in LABELS])
def test_a_label_is_read_as_it_is_named_or_not_at_all(text, words, expected, why):
    cue = "Sentiment" if words is SENTIMENT else "Отговор" if "О" in text else "Odgovor"
    assert label_of(clean(text), words, cue)[0] == expected


CLEANED = [
    ("<think>pozitivno? ne, negativno</think>\nnegativno", "negativno", "thinking before it"),
    ("pozitivno?</think>negativno", "negativno", "the opening tag was in the prompt"),
    ("<think>pozitivno", "", "thinking that never ends"),
    ("<|channel|>analysis<|message|>hm<|end|><|channel|>final<|message|>da", "da", "channels"),
    ("<|START_THINKING|>pozitivno?<|END_THINKING|><|START_RESPONSE|>ne<|END_RESPONSE|>", "ne", "Cohere's tokens"),
    (
        "<|begin_of_thought|>da<|end_of_thought|>\n<|begin_of_solution|>ne<|end_of_solution|>",
        "ne",
        "tokens of open models",
    ),
    ("◁think▷da◁/think▷ne", "ne", "signs for brackets"),
    ("<|think_start|>da<|think_end|>ne", "ne", "the end named last"),
    ("<seed:think>da</seed:think>ne", "ne", "a name before it"),
    ("<reasoning_steps>da</reasoning_steps>ne", "ne", "a longer name"),
    ("<|START_THINKING|>da", "", "tokens of thinking that never ends"),
    ("<|think_start|>da", "", "the same, the beginning named last"),
    ("I <thought> da", "", "an opening tag in the middle"),
    ("ne<|im_end|>\n<|im_start|>user\nda", "ne", "an end token"),
    ("<s> da</s>", "da", "begin and end tokens"),
    ("da<|eot_id|>", "da", "another end token"),
    ("da <end_of_turn>ne", "da", "another one"),
    ("1 < 2 | 3 > 2", "1 < 2 | 3 > 2", "no tokens at all"),
]


@pytest.mark.parametrize(("text", "expected", "why"), CLEANED, ids=[why for *_, why in CLEANED])
def test_what_is_no_part_of_the_answer_goes(text, expected, why):
    assert clean(text) == expected


def test_a_base_model_s_own_examples_are_cut_off():
    assert clean(" da\n\nStavek: Naslednji\nSlovnično pravilno: ne", CONTINUATION) == "da"


NUMBERS = [
    ("4,5", 4.5, "a decimal comma"),
    ("4.5", 4.5, "a decimal point"),
    ("Звезди: 3", 3.0, "the cue"),
    ("Давам 4 от 5", 4.0, "of five"),
    ("4/5", 4.0, "a fraction of the highest"),
    ("Звезди: 4, макар че първата част заслужава 2", 4.0, "the one after the cue"),
    ("3 или 4", None, "two numbers"),
    ("3-4", None, "a range"),
    ("6", None, "above the scale"),
    ("-1", None, "below the scale"),
    ("4.5.2013", None, "a date"),
    (r"\boxed{2}", 2.0, "boxed"),
    ("Звезди: 4/10", None, "out of another highest"),
    ("8/10", None, "the same without the cue"),
    ("5/5/2013", None, "a date that begins with a fraction"),
    ("3 звезди (от 5)", 3.0, "of five, a word between"),
    ("4 stars out of 5", 4.0, "the same in English"),
    ("3%", None, "per cent"),
    ("не 4", None, "denied"),
    ("Не бих дал 4.", None, "denied with words between"),
    ("Филмът не е лош, 4", 4.0, "a negation in another clause"),
    ("поне 4", None, "at least"),
    ("по-малко от 3", None, "less than"),
    ("1" * 20_000, None, "digits without end"),
    ("пет", None, "a word"),
    ("", None, "nothing"),
]


@pytest.mark.parametrize(("text", "expected", "why"), NUMBERS, ids=[why for *_, why in NUMBERS])
def test_a_number_is_read_where_there_is_one(text, expected, why):
    assert number_of(text, 0, 5, "Звезди") == expected


SPANS = [
    ("in 1284", "in 1284", "as it is"),
    ("Antwoord: in 1284", "in 1284", "the cue"),
    ("“in 1284”.", "in 1284", "quoted"),
    ("in 1284\n\nDe tekst zegt dat.", "in 1284", "an explanation after it"),
    ("**Antwoord:** in 1284", "in 1284", "the cue in bold"),
    ("```\nin 1284\n```", "in 1284", "fenced"),
    ('```json\n{"antwoord": "in 1284"}\n```', "in 1284", "the one text of JSON"),
    ('{"a": "x", "b": "y"}', '{"a": "x", "b": "y"}', "JSON with two texts: left as it is"),
    ("het jaar '14", "het jaar '14", "an apostrophe is no quotation"),
    ('"A" en "B"', 'A" en "B', "quotation marks at both ends"),
    ("", "", "nothing"),
]


@pytest.mark.parametrize(("text", "expected", "why"), SPANS, ids=[why for *_, why in SPANS])
def test_the_text_of_an_answer(text, expected, why):
    assert span_of(text, "Antwoord") == expected


JSON = [
    ('{"oseba": ["Ana"]}', [{"oseba": ["Ana"]}], "plain"),
    ("Here: {'oseba': ['Ana']} ok", [{"oseba": ["Ana"]}], "single quotes, prose around"),
    ('Odgovor {ni} … {"oseba": ["A"]}', [{"oseba": ["A"]}], "a stray brace"),
    ('{"oseba": ["A {B} C"]}', [{"oseba": ["A {B} C"]}], "braces inside an entity"),
    ("{'oseba': ['A {B} C']}", [{"oseba": ["A {B} C"]}], "the same in single quotes"),
    ('{"oseba": ["Ana",],}', [{"oseba": ["Ana"]}], "trailing commas"),
    ("{'oseba': [\"D'Artagnan\"]}", [{"oseba": ["D'Artagnan"]}], "an apostrophe"),
    ("{“oseba”: [“Ana”]}", [{"oseba": ["Ana"]}], "typographic quotes"),
    ('{"oseba": ["Ana"], "oseba": ["Bor"]}', [{"oseba": ["Ana", "Bor"]}], "a key twice"),
    ('{"oseba": ["Ana", "Bo', [], "cut off"),
    ("{__import__('os'): 1}", [], "code is not run"),
    ("{" * 5000, [], "braces without end"),
    ('{"a":' * 41 + "1" + "}" * 41, [], "nested beyond reason"),
    ('{"a":' * 700 + '{"oseba": ["Ana"]}' + "}" * 700, [], "nested as deep as the parser goes"),
    ('{"a":' * 39 + "1" + "}" * 39, None, "nested deep"),
    ('{"a":' * 3000 + "1" + "}" * 3000, None, "nested beyond the parser"),
]


@pytest.mark.issue("EuroEval#v9.0.0")
@pytest.mark.issue("EuroEval#json-stray-brace")
@pytest.mark.parametrize(("text", "expected", "why"), JSON, ids=[why for *_, why in JSON])
def test_json_objects_are_found_in_prose(text, expected, why):
    found = list(objects(text))
    assert found == expected or (expected is None and len(found) <= 1)


@given(st.text(max_size=60), st.sampled_from([SENTIMENT, YES, LETTERS, CAPITALS, BULGARIAN]))
def test_any_text_is_read_without_an_error_and_only_as_one_of_the_words(text, words):
    word, reason = label_of(clean(text), words, "Odgovor")
    assert word is None or word in words
    assert reason
    assert all(isinstance(found, dict) for found in objects(text))


@given(st.sampled_from(SENTIMENT), st.text(alphabet="xyzčš ,.", max_size=20))
def test_a_word_among_others_is_found_wherever_it_stands(word, rest):
    assert label_of(clean(f"{rest} {word} {rest[::-1]}"), SENTIMENT)[0] == word

# SPDX-License-Identifier: Apache-2.0
"""EuroEval's prompts are read from its page, which is found, verified and never copied."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from euroglue.errors import FormatError, MissingRawFileError, RawFileError, UnknownNameError
from euroglue.prompting import PROMPTS, euroeval
from euroglue.prompting.euroeval import documented, read_page, run
from euroglue.prompting.kinds import kind_of
from euroglue.registry import find_task
from euroglue.task import Kind, Labels


def task(name: str):
    """A task of the suite, as far as a prompt is concerned."""
    kept = {"metric": "mcc", "label_columns": (), "groups": ()}
    base = replace(find_task("euroeval_sl", "sentinews"), name=name, **kept)
    shapes = {
        "sentinews": {
            "features": {"id": "string", "text": "string", "label": Labels("negative", "neutral", "positive")}
        },
        "scala-sl": {"features": {"id": "string", "text": "string", "label": Labels("correct", "incorrect")}},
        "ssj500k-ner": {
            "features": {"id": "string", "tokens": ["string"], "label": [_entity_labels()]},
            "inputs": ("tokens",),
            "kind": Kind.TOKEN_CLASSIFICATION,
        },
        "multi-wiki-qa-sl": {
            "features": {"id": "string", "context": "string", "question": "string", "label": {"text": ["string"]}},
            "inputs": ("question", "context"),
            "kind": Kind.QUESTION_ANSWERING,
        },
        "mmlu-sl": {
            "features": {
                "id": "string",
                "text": "string",
                "label": Labels("a", "b"),
                "question": "string",
                "choices": [{"label": "string", "text": "string"}],
            },
            "inputs": ("question", "choices"),
            "kind": Kind.MULTIPLE_CHOICE,
        },
    }
    return replace(base, **shapes[name])


def _entity_labels() -> Labels:
    return Labels("O", *(f"{prefix}-{kind}" for kind in ("PER", "LOC", "ORG", "MISC") for prefix in "BI"))


def section(name: str, prefix: str, template: str, turn: str, shots: int, words: dict[str, str]) -> str:
    """A section of a page in EuroEval's format, in words made up here."""

    def block(text: str) -> str:
        return "  ```text\n" + "".join(f"  {line}\n" if line else "\n" for line in text.split("\n")) + "  ```\n"

    mapping = "".join(f"  - `{label}` ➡️ `{word}`\n" for label, word in words.items())
    return (
        f"### Title of {name}\n\nSome words.\n\n```json\n{{'text': 'x'}}\n```\n\n- Number of few-shot examples: {shots}\n"
        f"- Prefix prompt:\n\n{block(prefix)}\n- Base prompt template:\n\n{block(template)}\n"
        f"- Instruction-tuned prompt template:\n\n{block(turn)}\n- Label mapping:\n{mapping}\n"
        f"```bash\neuroeval --model <model-id> --dataset {name}\n```\n\n"
    )


OPTIONS = "Izbire:\na. {option_a}\nb. {option_b}"
KEYS = {f"{p}-{k}": w for k, w in (("PER", "os"), ("LOC", "kr"), ("ORG", "or"), ("MISC", "ra")) for p in "BI"}
PAGE = (
    "# Jezik\n\n## Mnenje\n\n"
    + section(
        "sentinews",
        "Mnenja so 'plus', 'nič' ali 'minus'.",
        "Besede: {text}\nMnenje: {label}",
        "Besede: {text}\n\nDoločite mnenje. Recite 'plus', 'nič' ali 'minus', brez drugega.",
        12,
        {"positive": "plus", "neutral": "nič", "negative": "minus"},
    )
    + section(
        "ssj500k-ner",
        "Imena.",
        "Besede: {text}\nImena: {label}",
        "Besede: {text}\n\nIzpišite 'os', 'kr', 'or' in 'ra'. Naj bodo seznami.",
        8,
        KEYS,
    )
    + section(
        "scala-sl",
        "Pravilno ali ne.",
        "Besede: {text}\nPravilno: {label}",
        "Besede: {text}\n\nPresodite besede. Recite 'ja', če gre, in 'nak', če ne gre. Samo to.",
        12,
        {"correct": "ja", "incorrect": "nak"},
    )
    + section(
        "multi-wiki-qa-sl",
        "Vprašanja.",
        "Besede: {text}\nVprašanje: {question}\nKratko:",
        "Besede: {text}\n\nKratko: {question}",
        4,
        {},
    )
    + section(
        "mmlu-sl",
        "Testi.",
        f"V: {{text}}\n{OPTIONS}\nO: {{label}}",
        f"V: {{text}}\n{OPTIONS}\n\nČrka 'a' ali 'b'.",
        5,
        {},
    )
    + "### Ragtruth\n\n- Number of few-shot examples: 0 (zero-shot only)\n- Instruction prompt:\n\n  ```text\n  {prompt}\n  ```\n"
)
ROWS = {
    "sentinews": {"text": "Dež\npada."},
    "scala-sl": {"text": "Dež pada."},
    "ssj500k-ner": {"tokens": ["Ana", "gre"]},
    "multi-wiki-qa-sl": {"context": "Prva.\nDruga.", "question": "Katera?"},
    "mmlu-sl": {
        "text": "Kaj?\nIzbire:\na. ena\nb. dva",
        "question": "Kaj?",
        "choices": [{"label": "a", "text": "ena"}, {"label": "b", "text": "dva"}],
    },
}
SHOWN = [
    ("sentinews", documented, "Besede: Dež pada.\nMnenje:", "Recite 'plus', 'nič' ali 'minus', brez drugega."),
    ("sentinews", run, "Besede: Dež pada.\nMnenje:", "Recite 'plus', 'nič' ali 'minus', brez drugega."),
    ("scala-sl", documented, "Besede: Dež pada.\nPravilno:", "Recite 'ja', če gre, in 'nak', če ne gre. Samo to."),
    ("scala-sl", run, "Besede: Dež pada.\nPravilno:", "Presodite besede. Recite 'ja' ali 'nak', brez drugega."),
    ("ssj500k-ner", documented, "Besede: Ana gre\nImena:", "Izpišite 'os', 'kr', 'or' in 'ra'. Naj bodo seznami."),
    ("ssj500k-ner", run, "Besede: Ana gre\nImena:", "Izpišite 'kr', 'or', 'os' in 'ra'. Naj bodo seznami."),
    (
        "multi-wiki-qa-sl",
        run,
        "Besede: Prva. Druga.\nVprašanje: Katera?\nKratko:",
        "Besede: Prva. Druga.\n\nKratko: Katera?",
    ),
    ("mmlu-sl", documented, "V: Kaj?\nIzbire:\na. ena\nb. dva\nO:", "a. ena\nb. dva\n\nČrka 'a' ali 'b'."),
    ("mmlu-sl", run, "V: Kaj? Izbire: a. ena b. dva\nO:", "V: Kaj? Izbire: a. ena b. dva\n\nČrka 'a' ali 'b'."),
]


@pytest.mark.parametrize(("name", "version", "base", "turn"), SHOWN, ids=[f"{n}-{v.__name__}" for n, v, *_ in SHOWN])
def test_the_page_and_the_code_s_differences_from_it(name, version, base, turn):
    made = task(name)
    prompt = version(made, read_page(PAGE))
    kind = kind_of(made, prompt)
    assert kind.fill(prompt.template[: -len("{label}")], ROWS[name]).rstrip() == base
    assert kind.fill(prompt.asked, ROWS[name]).endswith(turn)


def test_numbers_words_and_shots_come_with_it():
    entries = read_page(PAGE)
    assert set(entries) == {"sentinews", "ssj500k-ner", "scala-sl", "multi-wiki-qa-sl", "mmlu-sl"}
    prompts = {name: run(task(name), entries) for name in entries}
    assert {name: (p.shots, p.max_tokens) for name, p in prompts.items()} == {
        "sentinews": (12, 10),
        "ssj500k-ner": (8, 128),
        "scala-sl": (12, 10),
        "multi-wiki-qa-sl": (4, 32),
        "mmlu-sl": (5, 10),
    }
    assert dict(prompts["ssj500k-ner"].words) == {"PER": "os", "LOC": "kr", "ORG": "or", "MISC": "ra"}
    assert all(prompt.fixed_shots and prompt.source for prompt in prompts.values())
    kind = kind_of(task("ssj500k-ner"), prompts["ssj500k-ner"])
    row = {"tokens": ["Ana", "v", "Celju"], "label": ["B-PER", "O", "B-LOC"]}
    assert kind.gold(row) == '{"os": ["Ana"], "kr": ["Celju"], "or": [], "ra": []}'
    assert kind_of(task("mmlu-sl"), prompts["mmlu-sl"]).words(ROWS["mmlu-sl"]) == ("a", "b")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("", "expected data sets with Prefix prompt"),
        (PAGE.replace("Number of few-shot examples: 12", "Few shots: 12"), "sentinews: expected 'Number of few-shot"),
    ],
)
def test_a_page_of_another_form_is_refused(page, message):
    with pytest.raises(FormatError, match=message):
        read_page(page)


def test_a_task_the_page_does_not_have_is_told():
    with pytest.raises(UnknownNameError, match="no prompt for dumb/dbrd; it has them for euroeval_sl/sentinews"):
        run(find_task("dumb", "dbrd"), read_page(PAGE))
    with pytest.raises(FormatError, match="labels that the task has not: odlično"):
        documented(task("sentinews"), read_page(PAGE.replace("`positive`", "`odlično`")))


def test_the_page_is_looked_for_verified_and_downloaded_only_if_it_is_nowhere(tmp_path, monkeypatch, home):
    asked: list[str] = []

    def download(url, file, *, advice):
        asked.append(url)
        raise MissingRawFileError(f"{url}: offline; {advice}")

    monkeypatch.setattr("euroglue.prepare.download.download", download)
    monkeypatch.setenv("EUROGLUE_RAW_DIR", str(tmp_path))
    with pytest.raises(MissingRawFileError, match=r"put slovene.md into \$EUROGLUE_RAW_DIR/euroeval_sl"):
        euroeval.page()
    assert asked == [euroeval.PAGE.url]
    (tmp_path / "euroeval_sl").mkdir()
    (tmp_path / "euroeval_sl" / "slovene.md").write_bytes(PAGE.encode())
    with pytest.raises(RawFileError, match="is not EuroEval's page at f37841c8d: expected sha256 c99ca7cb2dec51"):
        euroeval.page()
    pinned = replace(euroeval.PAGE, members={"slovene.md": hashlib.sha256(PAGE.encode()).hexdigest()})
    monkeypatch.setattr(euroeval, "PAGE", pinned)
    assert euroeval.page() == PAGE
    assert len(asked) == 1


@pytest.mark.raw
@pytest.mark.parametrize("version", ["euroeval", "euroeval-docs"])
def test_the_real_page_gives_a_prompt_for_each_task_of_the_suite(raw_dir, version):
    from euroglue.registry import SUITES

    expected = {
        "sentinews": 12,
        "ssj500k-ner": 8,
        "scala-sl": 12,
        "multi-wiki-qa-sl": 4,
        "mmlu-sl": 5,
        "winogrande-sl": 5,
    }
    suite = SUITES["euroeval_sl"]
    found = {name: PROMPTS[version](suite.tasks[name]) for name in suite.tasks}
    assert {name: prompt.shots for name, prompt in found.items()} == {name: expected[name] for name in suite.tasks}
    assert found["sentinews"].words["negative"] == "negativno"
    flat = version == "euroeval"
    assert [found["mmlu-sl"].flat, "{choices}" in found["mmlu-sl"].template] == [flat, not flat]
    assert len({prompt.digest for prompt in found.values()}) == len(found)

# SPDX-License-Identifier: Apache-2.0
"""Ask a language model every example of a task, store each answer as it comes, and score what was answered."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euroglue.errors import EuroglueError, UnknownNameError
from euroglue.predictions import write_predictions
from euroglue.prompting import PROMPTS
from euroglue.prompting.answers import AnswerFile, digest
from euroglue.prompting.build import Builder, glue
from euroglue.prompting.clean import CONTINUATION, CONVERSATION, clean
from euroglue.prompting.kinds import PromptKind, kind_of
from euroglue.prompting.request import Answer, Backend, Request
from euroglue.prompting.shots import Rows, Shots
from euroglue.results import Record, ResultStore
from euroglue.template import Row

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from euroglue.prepare import Prepared
    from euroglue.scoring import Result

SEED = 4242
METHOD = "prompted"


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How a model is asked.

    Attributes:
        prompts: which prompts, a name among ``euroglue.prompting.PROMPTS``.
        shots: how many examples are shown; by default as many as the prompt says.
        seed: of the choice of shots, and of the iterations.
        fixed_shots: whether all examples of a run are shown the same shots; by default what the prompt says.
        chat: whether to ask in conversations; by default as the model needs it.
        weighed: whether an answer of few words is found by the words' probabilities, where the backend tells them; else,
            and elsewhere, the model's own words are read.
        split: the split whose examples are asked.
        limit: at most so many examples, those whose ids come first by a hash: more are a superset of fewer.
        iterations: bootstrapped iterations as EuroEval has them: for each, train and the split are drawn anew with
            replacement, shots come from the one and examples from the other. 0 is one pass over the split itself.
    """

    prompts: str = "own"
    shots: int | None = None
    seed: int = SEED
    fixed_shots: bool | None = None
    chat: bool | None = None
    weighed: bool = True
    split: str = "test"
    limit: int | None = None
    iterations: int = 0

    def __post_init__(self) -> None:
        for name, low in (("shots", 0), ("seed", 0), ("limit", 1), ("iterations", 0)):
            value = getattr(self, name)
            if value is not None and value < low:
                raise EuroglueError(f"{name}: expected at least {low}, got {value}")
        if self.prompts not in PROMPTS:
            raise UnknownNameError(PROMPTS.unknown(self.prompts))


@dataclass(frozen=True)
class Outcome:
    """What came of asking: the record, unless the split's labels are hidden; the predictions; what was counted on the way."""

    task: str
    record: Record | None
    predictions: tuple[Path, ...]
    counts: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain values that JSON can hold."""
        record = None if self.record is None else self.record.to_dict()
        files = [str(path) for path in self.predictions]
        return {"task": self.task, "record": record, "predictions": files, "counts": dict(self.counts)}


def prompt_task(
    made: Prepared,
    backend: Backend,
    out: str | os.PathLike[str],
    asking: Asking | None = None,
    *,
    store: ResultStore | None = None,
    replace: bool = False,
) -> Outcome:
    """Ask a model all examples of a split, and score its answers.

    Every answer is stored as it comes, in ``out/answers``: the same call goes on where a killed one was, and asks nothing
    twice. Predictions are written to ``out/predictions`` in the submission format.

    Args:
        made: the prepared task.
        backend: the model.
        out: a folder.
        asking: how it is asked.
        store: where the result goes.
        replace: whether it takes the place of another result of the same key.

    Raises:
        EuroglueError: anything the user can mend: prompts, shots, the split, answers of another run, the model.
    """
    run = _Run(made, backend, Path(out), asking or Asking())
    outcome, rows = run.iterated() if run.asking.iterations else run.once()
    if store is not None and outcome.record is not None:
        store.add(outcome.record, rows, replace=replace)
    return outcome


@dataclass
class _Pass:
    """The answers to one pass over some examples: predictions by id, and what was counted."""

    predictions: dict[str, Any]
    counts: Counter[str]
    notes: Counter[str]


class _Run:
    """One task, one model, one way of asking."""

    def __init__(self, made: Prepared, backend: Backend, out: Path, asking: Asking):
        self.made, self.task, self.backend, self.out, self.asking = made, made.task, backend, out, asking
        self.prompt = PROMPTS[asking.prompts](self.task)
        self.chat = backend.chat if asking.chat is None else asking.chat
        self.count = self.prompt.shots if asking.shots is None else asking.shots
        self.fixed = self.prompt.fixed_shots if asking.fixed_shots is None else asking.fixed_shots
        self.table = _limited(made.table(asking.split), self.task.id_column, asking.limit)
        self.train = made.table("train") if self.count and "train" in made.splits else self.table[:0]

    @property
    def hidden(self) -> bool:
        """Whether the split's labels are not known."""
        return self.asking.split in self.task.editions[self.made.edition].hidden

    def about(self, **more: Any) -> dict[str, Any]:
        """What the answers hang on; the first line of their file."""
        return {
            "suite": self.task.suite,
            "task": self.task.name,
            "edition": self.made.edition,
            "split": self.asking.split,
            "fingerprint": self.made.fingerprint,
            "model": self.backend.name,
            "revision": self.backend.revision,
            "backend": dict(self.backend.settings),
            "prompts": self.asking.prompts,
            "prompt": self.prompt.digest,
            "form": "conversation" if self.chat else "continuation",
            "weighed": self.asking.weighed,
            "shots": self.count,
            "fixed_shots": self.fixed,
            "seed": self.asking.seed if self.count else None,
            **more,
        }

    def once(self) -> tuple[Outcome, Mapping[str, Sequence[float]] | None]:
        """One pass over the split itself, with a bootstrap interval."""
        from euroglue.scoring import metric_for
        from euroglue.scoring.bootstrap import Bootstrap

        kind = kind_of(self.task, self.prompt)
        shots = Shots(kind, Rows(self.train), count=self.count, seed=self.asking.seed, fixed=self.fixed)
        about = self.about()
        done = self.ask(kind, Rows(self.table), shots, about)
        predictions = self.write(about, done)
        if self.hidden:
            return Outcome(self.task.path, None, (predictions,), done.counts), None
        metric, how = metric_for(self.task), Bootstrap()
        result, rows = self.score(
            list(done.predictions.values()), self.table[self.task.target].tolist(), how.settings()
        )
        found = how.intervals(metric, rows)
        intervals = {
            key: (one.low, one.high) for key, one in found.items() if one.low is not None and one.high is not None
        }
        record = self.record(result, result.scores, done, intervals=intervals)
        kept = dict(zip(done.predictions, rows.tolist(), strict=True))
        return Outcome(self.task.path, record, (predictions,), done.counts), kept

    def iterated(self) -> tuple[Outcome, None]:
        """EuroEval's iterations: the mean of their scores, and the Monte-Carlo error of that mean."""
        from euroglue.scoring.monte_carlo import euroeval_draws, monte_carlo

        if self.hidden:
            raise EuroglueError(
                f"{self.task.path}: iterations are scored, the labels of {self.asking.split} are hidden"
            )
        sizes = {split: self.made.manifest["splits"][split]["rows"] for split in self.made.splits}
        draws = euroeval_draws({**sizes, self.asking.split: len(self.table)}, self.asking.iterations, self.asking.seed)
        results, files, total = [], [], _Pass({}, Counter(), Counter())
        for iteration in range(self.asking.iterations):
            kind = kind_of(self.task, self.prompt)
            train = Rows(self.train, draws["train"][iteration].tolist() if len(self.train) else None)
            shots = Shots(kind, train, count=self.count, seed=self.asking.seed + iteration, fixed=self.fixed)
            drawn = draws[self.asking.split][iteration].tolist()
            about = self.about(iteration=iteration, iterations=self.asking.iterations, limit=self.asking.limit)
            done = self.ask(kind, Rows(self.table, sorted(set(drawn))), shots, about)
            files.append(self.write(about, done))
            ids, gold = (self.table[name].tolist() for name in (self.task.id_column, self.task.target))
            told = {"iterations": str(self.asking.iterations), "iterations_seed": str(self.asking.seed)}
            answered = [done.predictions[str(ids[place])] for place in drawn]
            results.append(self.score(answered, [gold[place] for place in drawn], told)[0])
            total.counts.update(done.counts)
            total.notes.update(done.notes)
        means = {key: monte_carlo([result.scores[key] for result in results]) for key in results[0].scores}
        more = {
            "iteration_scores": [result.value for result in results],
            "monte_carlo_half_width": {key: one.half_width for key, one in means.items()},
        }
        record = self.record(results[0], {key: one.mean for key, one in means.items()}, total, settings=more)
        return Outcome(self.task.path, record, tuple(files), total.counts), None

    def ask(self, kind: PromptKind, rows: Rows, shots: Shots, about: Mapping[str, Any]) -> _Pass:
        """Ask what is not answered yet, then read all answers; nothing but predictions is held in memory."""
        most = None if self.backend.context is None else max(self.backend.context // 2, 1)
        builder = Builder(kind, self.chat, self.asking.weighed, self.fixed, self.fits, most)
        path = self.out / "answers" / self.task.suite / self.task.name / f"{_stem(about)}.jsonl"
        pending: dict[str, str] = {}
        with AnswerFile(path, about) as answers:
            for answer in self.backend.answer(self.requests(builder, rows, shots, answers, pending)):
                if answer.id not in pending:
                    raise EuroglueError(f"{self.backend.name} answered {answer.id!r}, which was not asked")
                answers.add(pending.pop(answer.id), answer)
            if pending:
                raise EuroglueError(f"{self.backend.name} left {len(pending)} requests open, such as {min(pending)!r}")
            done = _Pass({}, Counter(requests=len(rows)), kind.notes)
            for row in rows:
                key = str(row[self.task.id_column])
                prediction = self.read(kind, answers.get(key), row)
                done.counts["unreadable"] += prediction is None
                done.predictions[key] = kind.unreadable(row) if prediction is None else prediction
        done.counts.update(builder.counts)
        return done

    def requests(
        self, builder: Builder, rows: Rows, shots: Shots, answers: AnswerFile, pending: dict[str, str]
    ) -> Iterator[Request]:
        """The requests that have no answer, each made when it is asked for and noted in ``pending``.

        One that is beyond the model's context, shortened as it is, is not asked: its answer is empty.
        """
        for row in rows:
            key = str(row[self.task.id_column])
            request = builder.request(key, row, shots.of(key, row))
            if request in answers:
                continue
            if not self.fits(request):
                answers.add(digest(request), Answer(id=key, text=""))
            else:
                pending[key] = digest(request)
                yield request

    def fits(self, request: Request) -> bool:
        """Whether request and answer are within the model's context."""
        context = self.backend.context
        return context is None or self.backend.length(request) + request.max_tokens <= context

    def read(self, kind: PromptKind, answer: Answer, row: Row) -> Any:
        """The prediction that an answer means, or None."""
        if answer.scores is not None and kind.scored and self.asking.weighed:
            before = "" if self.chat else glue(kind)
            kind.notes["weighed"] += 1
            return kind.weigh({word: answer.scores.get(before + word, float("nan")) for word in kind.words(row)}, row)
        return kind.read(clean(answer.text, CONVERSATION if self.chat else CONTINUATION), row)

    def write(self, about: Mapping[str, Any], done: _Pass) -> Path:
        """The predictions in the submission format."""
        path = self.out / "predictions" / self.task.suite / self.task.name / f"{_stem(about)}.jsonl"
        write_predictions(path, self.task, list(done.predictions), list(done.predictions.values()))
        return path

    def score(self, predictions: list[Any], gold: list[Any], about: Mapping[str, str]) -> tuple[Result, np.ndarray]:
        """The scores, and the metric's rows."""
        from euroglue.scoring import metric_for, score

        fingerprint = None if self.asking.limit else self.made.fingerprint
        result = score(self.task, predictions, gold, fingerprint=fingerprint, about=about)
        return result, metric_for(self.task).statistics(predictions, gold)

    def record(
        self,
        result: Result,
        scores: Mapping[str, float],
        done: _Pass,
        *,
        intervals: Mapping[str, tuple[float, float]] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Record:
        """The result as the store has it."""
        told = {name: value for name, value in self.about().items() if name not in Record.__dataclass_fields__}
        told.pop("fingerprint")
        unreadable, asked = done.counts["unreadable"], done.counts["requests"]
        warnings = [f"{unreadable} of {asked} answers could not be read and count as wrong"] if unreadable else []
        return Record(
            suite=self.task.suite,
            task=self.task.name,
            model=self.backend.name,
            revision=self.backend.revision,
            method=METHOD,
            edition=self.made.edition,
            split=self.asking.split,
            primary=result.primary,
            scores=scores,
            n=result.n,
            signature=result.signature,
            shots=self.count,
            seed=self.asking.seed if self.count or self.asking.iterations else None,
            variant=self.variant,
            intervals=intervals or {},
            settings={**told, "counts": dict(done.counts), "answers": dict(done.notes), **(settings or {})},
            warnings=(*warnings, *result.warnings),
        )

    @property
    def variant(self) -> str:
        """In what the run differs from the usual one: prompts, form, reading, backend, shots, number of examples, iterations."""
        usual, asking, options = Asking(), self.asking, self.backend.settings
        parts = {
            f"prompts {asking.prompts}": asking.prompts != usual.prompts,
            "asked as a conversation" if self.chat else "asked as a continuation": self.chat != self.backend.chat,
            "written answers": not asking.weighed,
            "log-probability per token": options.get("normalise") == "tokens",
            "with thinking": bool(options.get("thinking")),
            "fixed shots" if self.fixed else "shots for each example": self.fixed != self.prompt.fixed_shots,
            f"{asking.limit} examples": asking.limit is not None,
            f"{asking.iterations} iterations": asking.iterations > 0,
        }
        return ", ".join(part for part, differs in parts.items() if differs)


def _limited(table: pd.DataFrame, id_column: str, limit: int | None) -> pd.DataFrame:
    """At most so many rows, in their order: those whose ids have the lowest hashes."""
    if limit is None or limit >= len(table):
        return table
    hashes = [hashlib.sha256(str(key).encode("utf-8")).hexdigest() for key in table[id_column]]
    kept = sorted(sorted(range(len(table)), key=hashes.__getitem__)[:limit])
    return table.iloc[kept].reset_index(drop=True)


def _stem(about: Mapping[str, Any]) -> str:
    """A file's name for one run: the model, readable, and a digest of all that tells runs apart."""
    text = json.dumps(dict(about), ensure_ascii=False, sort_keys=True)
    readable = re.sub(r"[^A-Za-z0-9]+", "-", about["model"]).strip("-")[:60].lower() or "model"
    return f"{readable}--{hashlib.sha256(text.encode('utf-8')).hexdigest()[:12]}"

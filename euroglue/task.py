# SPDX-License-Identifier: Apache-2.0
"""The vocabulary: what a suite, a task, an edition and a source are. Frozen values; nothing heavy is imported."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Union

from euroglue.frozen import Frozen
from euroglue.named import (  # noqa: F401  (part of the vocabulary)
    Check,
    Derivation,
    Reader,
    Step,
    check,
    derivation,
    describe,
    reader,
    step,
)
from euroglue.recipe import Recipe as Recipe
from euroglue.template import placeholders

if TYPE_CHECKING:
    from euroglue.prompting.prompt import Prompt
    from euroglue.registry import Registry

SPLITS = ("train", "validation", "test")
EDITIONS = ("official", "rebuilt", "sample")
SCALARS = ("string", "int64", "float64")
UNPINNED = "unpinned"
"""In place of a member's SHA-256 where the published file was not at hand; what is found goes into the manifest."""
CHOICE = "choice"
"""How a template calls the choice that is read."""
HIDDEN_CLASS = -1
"""What stands for a hidden class label or integer; a hidden float is NaN, a hidden string or list is empty."""


class Kind(str, Enum):
    """What a model predicts for one example: the closed list of kinds."""

    TOKEN_CLASSIFICATION = "token_classification"
    SEQUENCE_CLASSIFICATION = "sequence_classification"
    REGRESSION = "regression"
    RANKING = "ranking"
    MULTIPLE_CHOICE = "multiple_choice"
    SPAN_CLASSIFICATION = "span_classification"
    QUESTION_ANSWERING = "question_answering"


class Gate(str, Enum):
    """How the raw files are had: ``open``, the program may fetch them; ``form``, the user must sign or log in first."""

    OPEN = "open"
    FORM = "form"


class LicenceId(str, Enum):
    """The closed list of licences, by the Hub's identifiers where it has one."""

    BSD_2_CLAUSE = "bsd-2-clause"
    CC_BY_3 = "cc-by-3.0"
    CC_BY_NC_4 = "cc-by-nc-4.0"
    CC_BY_NC_SA_3 = "cc-by-nc-sa-3.0"
    CC_BY_NC_SA_4 = "cc-by-nc-sa-4.0"
    CC_BY_SA_4 = "cc-by-sa-4.0"
    GPL_3 = "gpl-3.0"
    MIT = "mit"
    RESEARCH = "other"
    NONE_STATED = "unknown"


@dataclass(frozen=True, kw_only=True)
class Licence:
    """Under which terms the raw data may be had, used and passed on.

    ``redistribute`` says whether prepared splits may be pushed to a public repository; ``sign_at`` where a form is.
    What may be had without a form may be kept in a private repository; what a form was signed for may not.
    """

    id: LicenceId
    terms: str
    redistribute: bool
    gate: Gate = Gate.OPEN
    sign_at: str = ""

    def __post_init__(self) -> None:
        if self.gate is Gate.FORM and not self.sign_at:
            raise ValueError(f"licence {self.terms!r}: a form needs the address where it is signed")

    def allows_pushing(self, *, private: bool) -> bool:
        """Whether prepared splits may be pushed to a repository that is private, or public."""
        return self.redistribute or (private and self.gate is Gate.OPEN)


@dataclass(frozen=True)
class Labels:
    """A closed, ordered set of label names; the order gives the integer ids, from 0."""

    names: tuple[str, ...]

    def __init__(self, *names: str):
        if len(set(names)) != len(names) or not names:
            raise ValueError(f"label names must be distinct and at least one, got {names}")
        object.__setattr__(self, "names", tuple(names))

    @property
    def index(self) -> dict[str, int]:
        """Label name → integer id."""
        return {name: i for i, name in enumerate(self.names)}


Feature = Union[str, Labels, list, Mapping[str, Any]]
"""A scalar's name (one of ``SCALARS``), ``Labels``, ``[Feature]`` for a sequence, or a mapping of names to features."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """One published file: an archive with the members that are read, or a plain file (its own single member).

    ``members`` maps a member's path (POSIX, as in the archive less nothing) to its SHA-256; a path with ``*`` stands for
    all members that match and is pinned by their tree hash (see ``euroglue.prepare.raw.tree_hash``); ``UNPINNED`` stands
    for a hash that is not known. ``url`` is where the authors publish the file; without one, ``obtain`` says in one
    sentence how a user gets it. ``package`` names the package folder that ships the file (samples only), as
    ``"package/folder"``. An ``optional`` source is used where it is at hand and never fetched. ``beside`` names another
    task of the suite whose raw folder may hold the file too.
    """

    file: str
    members: Mapping[str, str]
    url: str = ""
    obtain: str = ""
    package: str = ""
    optional: bool = False
    beside: str = ""

    def __post_init__(self) -> None:
        if not (self.url or self.obtain or self.package):
            raise ValueError(f"source {self.file}: a url, a way to obtain it or a package is required")
        for member, digest in self.members.items():
            if digest != UNPINNED and not re.fullmatch(r"[0-9a-f]{64}", digest):
                raise ValueError(
                    f"source {self.file}: {member} must be pinned by a SHA-256 of 64 hex digits, got {digest!r}"
                )
        if not self.members:
            raise ValueError(f"source {self.file}: at least one pinned member is required")
        object.__setattr__(self, "members", Frozen(self.members))

    @property
    def loose(self) -> bool:
        """Whether what is read may differ between two users of the same literal."""
        return self.optional or UNPINNED in self.members.values()


@dataclass(frozen=True, kw_only=True)
class Edition:
    """One way to make the task's splits: which files, how they are read, which steps follow, what must come out.

    ``sizes`` are the rows per split, asserted unless ``sizes_are_asserted`` is False (published figures of a source that was
    not at hand: a difference is then a finding); labels of the splits in ``hidden`` are blanked after the last step;
    ``notes`` say, a sentence each, where this edition differs from the publication and why.
    """

    sources: tuple[Source, ...]
    read: Reader
    sizes: Mapping[str, int]
    steps: tuple[Step, ...] = ()
    hidden: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sizes_are_asserted: bool = True

    @property
    def loose(self) -> bool:
        """Whether a source is optional or not pinned."""
        return any(source.loose for source in self.sources)

    @property
    def made_up(self) -> bool:
        """Whether all of it ships with a package, and so comes under the package's licence."""
        return all(source.package for source in self.sources)

    def __post_init__(self) -> None:
        for name in [*self.sizes, *self.hidden]:
            if name not in SPLITS:
                raise ValueError(f"a split must be one of {', '.join(SPLITS)}, got {name!r}")
        object.__setattr__(self, "sizes", Frozen(self.sizes))


@dataclass(frozen=True, kw_only=True)
class Task:
    """One task of a benchmark, wholly described.

    ``inputs`` are the columns a model reads, ``target`` the column it predicts, ``label_columns`` all columns that give
    the answer away (blanked where hidden). ``bounds`` are the lowest and highest value of a regression target.
    ``groups`` are columns whose values should not be shared between splits (film, topic, article). ``metric`` names an
    entry of ``euroglue.scoring.METRICS``. ``prompt`` is how language models are asked.

    ``segments`` are the one or two texts that an encoder reads, in their order, as templates over the inputs, such as
    ``{question.stem}``; of a multiple choice they are read once for each choice, whose fields are ``{choice.text}`` and
    so on. Without them each input with a text is a segment. ``extra_tokens`` are placeholders in the texts, such as
    ``@USER``, that a tokenizer should keep whole.
    """

    suite: str
    name: str
    title: str
    kind: Kind
    language: str
    description: str
    homepage: str
    citation: str
    licence: Licence
    features: Mapping[str, Feature]
    inputs: tuple[str, ...]
    target: str
    metric: str
    recipe: Recipe
    editions: Mapping[str, Edition]
    default_edition: str = "official"
    id_column: str = "id"
    label_columns: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None
    groups: tuple[str, ...] = ()
    prompt: Prompt | None = None
    segments: tuple[str, ...] = ()
    extra_tokens: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        def refuse(message: str) -> None:
            raise ValueError(f"task {self.suite}/{self.name}: {message}")

        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            refuse("a name is lower-case letters, digits and single hyphens")
        if not re.fullmatch(r"[a-z]{3}-[A-Z][a-z]{3}", self.language):
            refuse(f"a language is ISO 639-3 and a script, such as bul-Cyrl, got {self.language!r}")
        for column in (*self.inputs, self.target, self.id_column, *self.label_columns, *self.groups):
            if column not in self.features:
                refuse(f"column {column!r} is named but not among the features {list(self.features)}")
        if len(self.segments) > 2:
            refuse(f"an encoder reads one or two segments, got {len(self.segments)}")
        for path in (path for segment in self.segments for path in placeholders(segment)):
            if path.split(".")[0] not in (*self.inputs, CHOICE):
                refuse(f"the segments name {{{path}}}, which is not among the inputs {', '.join(self.inputs)}")
        for edition in self.editions:
            if edition not in EDITIONS:
                refuse(f"an edition must be one of {', '.join(EDITIONS)}, got {edition!r}")
        if self.default_edition not in self.editions:
            refuse(f"the default edition {self.default_edition!r} is not among {list(self.editions)}")
        if self.kind is Kind.REGRESSION and self.bounds is None:
            refuse("a regression task needs the bounds of its target")
        for name, feature in self.features.items():
            _check_feature(f"{self.suite}/{self.name}: {name}", feature)
        object.__setattr__(self, "label_columns", self.label_columns or (self.target,))
        object.__setattr__(self, "features", Frozen(self.features))
        object.__setattr__(self, "editions", Frozen(self.editions))

    @property
    def labels(self) -> tuple[str, ...]:
        """The label names of the target, in the order of their ids; empty for a number or a free text."""
        feature: Any = self.features[self.target]
        if isinstance(feature, list):
            feature = feature[0]
        return feature.names if isinstance(feature, Labels) else ()

    @property
    def path(self) -> str:
        """``suite/name``, as messages show it."""
        return f"{self.suite}/{self.name}"

    def edition(self, name: str | None = None) -> Edition:
        """The edition called ``name``, or the default one.

        Raises:
            UnknownNameError: the task has no such edition; the message lists those it has.
        """
        from euroglue.errors import UnknownNameError

        chosen = self.default_edition if name is None else name
        if chosen not in self.editions:
            raise UnknownNameError(f"{self.path} has no edition {chosen!r}; it has: {', '.join(self.editions)}")
        return self.editions[chosen]


def _check_feature(where: str, feature: Any) -> None:
    if isinstance(feature, list) and len(feature) == 1:
        _check_feature(where, feature[0])
    elif isinstance(feature, Mapping):
        for name, inner in feature.items():
            _check_feature(f"{where}.{name}", inner)
    elif not (isinstance(feature, Labels) or feature in SCALARS):
        raise ValueError(
            f"{where}: a feature is one of {', '.join(SCALARS)}, Labels, [feature] or a mapping, got {feature!r}"
        )


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A benchmark: its tasks and how their scores make one.

    ``tasks`` is a registry, so a further task can be registered by one literal. ``aggregate`` names an entry of
    ``euroglue.scoring.AGGREGATES``; ``expected`` lists the tasks that the published benchmark has, so that an incomplete
    set of scores is known to be one.
    """

    name: str
    title: str
    package: str
    language: str
    description: str
    homepage: str
    citation: str
    tasks: Registry[Task]
    expected: tuple[str, ...]
    aggregate: str = "mean"

    def task(self, name: str) -> Task:
        """The task called ``name``; an unknown name raises with the nearest ones."""
        return self.tasks[name]

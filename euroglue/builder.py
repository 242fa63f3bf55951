# SPDX-License-Identifier: Apache-2.0
"""The one ``datasets`` builder of all suites: it prepares an edition and hands over its Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
from datasets.download import StreamingDownloadManager

from euroglue.disk import user_path
from euroglue.errors import EuroglueError, UnknownNameError
from euroglue.prepare.columns import hub_feature
from euroglue.prepare.pipeline import prepare, prepared_name
from euroglue.prepare.raw import check_data_dir
from euroglue.publish.guard import licence_mark
from euroglue.registry import SUITES
from euroglue.task import SPLITS, Suite, Task

BATCH = 10_000


@dataclass
class SuiteConfig(datasets.BuilderConfig):
    """One task of a suite, as ``load_dataset(suite, task, **options)`` selects it.

    Attributes:
        edition: ``official``, ``rebuilt`` or ``sample``; by default the task's own default.
        allow_changed_source: accept raw files that differ from the published ones.
        allow_missing_splits: leave out the raw files that are not at hand, and the splits made of them.
    """

    suite: str = ""
    edition: str | None = None
    allow_changed_source: bool = False
    allow_missing_splits: bool = False

    def create_config_id(self, config_kwargs: dict, custom_features: datasets.Features | None = None) -> str:
        """The name of the cache folder: task, edition and content key, so that changed data never meet an old cache."""
        task = SUITES[self.suite].tasks[self.name]
        name = prepared_name(
            task,
            self.edition,
            self.data_dir,
            allow_changed=self.allow_changed_source,
            allow_missing=self.allow_missing_splits,
        )
        given = {"features": custom_features, "raw": _state(self.data_dir)}
        given = {key: value for key, value in given.items() if value}
        suffix = "-" + datasets.fingerprint.Hasher.hash(given) if given else ""
        return f"{self.name}-{name}{suffix}"


def _state(folder: str | None) -> list[tuple[str, int, int]]:
    """Path, size and time of each file below a user's folder: one state of it is not served from another's cache."""
    if folder is None:
        return []
    files = (path for path in user_path(folder).resolve().rglob("*") if path.is_file())
    return sorted((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files)


class _Configs:
    """The builder configs, made on access from the suite's registry: a task registered later is there too."""

    def __get__(self, instance: object, owner: type[SuiteBuilder]) -> list[SuiteConfig]:
        if not owner.SUITE_NAME:
            return []
        tasks = SUITES[owner.SUITE_NAME].tasks
        return [SuiteConfig(name=name, suite=owner.SUITE_NAME, version=datasets.Version("0.0.0")) for name in tasks]


class _ConfigsByName:
    """The same by name; ``datasets`` would remember the first answer for ever."""

    def __get__(self, instance: object, owner: type[SuiteBuilder]) -> dict[str, SuiteConfig]:
        return {config.name: config for config in owner.BUILDER_CONFIGS}


class SuiteBuilder(datasets.ArrowBasedBuilder):
    """Builds any task of the suite named by ``SUITE_NAME``; a suite's loading script only sets that name."""

    SUITE_NAME = ""
    BUILDER_CONFIG_CLASS = SuiteConfig
    BUILDER_CONFIGS = _Configs()
    builder_configs = _ConfigsByName()

    def __init__(self, *args: Any, data_files: Any = None, **kwargs: Any):
        if data_files is not None:
            raise EuroglueError(
                f"{self.SUITE_NAME}: data_files is not used; pass the folder with the raw files as data_dir"
            )
        super().__init__(*args, **kwargs)

    @property
    def suite(self) -> Suite:
        """The suite that is built."""
        return SUITES[self.SUITE_NAME]

    @property
    def task(self) -> Task:
        """The task that is built."""
        return self.suite.tasks[self.config.name]

    def _create_builder_config(self, config_name: str | None = None, **kwargs: Any) -> Any:
        names = list(self.suite.tasks)
        if config_name is None:
            raise UnknownNameError(
                f'{self.SUITE_NAME}: a config is needed, such as load_dataset("{self.SUITE_NAME}", "{names[0]}"); '
                f"configs: {', '.join(names)}"
            )
        task = self.suite.tasks[config_name]
        task.edition(kwargs.get("edition"))
        if kwargs.get("data_dir") is not None:
            check_data_dir(task, kwargs["data_dir"])
        return super()._create_builder_config(config_name=config_name, **kwargs)

    def _info(self) -> datasets.DatasetInfo:
        task = self.task
        edition = task.edition(self.config.edition)
        return datasets.DatasetInfo(
            description=" ".join([task.description, *edition.notes]),
            features=features(task),
            homepage=task.homepage,
            license=licence_mark(task, self.config.edition or task.default_edition),
            citation=f"{task.citation}\n{self.suite.citation}",
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        prepared = prepare(
            self.task,
            self.config.edition,
            data_dir=self.config.data_dir,
            allow_changed_source=self.config.allow_changed_source,
            allow_missing_splits=self.config.allow_missing_splits,
        )
        if not isinstance(dl_manager, StreamingDownloadManager):
            for finding in prepared.manifest["findings"]:
                datasets.logging.get_logger(__name__).warning(f"{self.task.path}: {finding}")
        return [
            datasets.SplitGenerator(name=split, gen_kwargs={"files": [str(prepared.file(split))]})
            for split in prepared.splits
        ]

    def _generate_tables(self, files: list[str]) -> Iterator[tuple[Any, pa.Table]]:
        for number, file in enumerate(files):
            with open(file, "rb") as opened, pq.ParquetFile(opened) as parquet:
                for part, batch in enumerate(parquet.iter_batches(batch_size=BATCH, use_threads=False)):
                    table = pa.Table.from_batches([batch])
                    yield _key(number, part), datasets.table.table_cast(table, self.info.features.arrow_schema)


def config_info(path: str, config_name: str | None = None, **options: Any) -> datasets.DatasetInfo:
    """What ``datasets.get_dataset_config_info`` says of a task of ours: with the names of its splits, nothing prepared.

    Args:
        path: the suite.
        config_name: the task.
        options: those of ``datasets.load_dataset_builder``.
    """
    builder = datasets.load_dataset_builder(path, name=config_name, **options)
    if builder.info.splits is None:
        splits = _splits_there_are(builder)
        builder.info.splits = {name: {"name": name, "dataset_name": path} for name in splits}
    return builder.info


def _splits_there_are(builder: SuiteBuilder) -> list[str]:
    """The splits that the edition has; where some may be missing, it has to be prepared for that."""
    config = builder.config
    if config.allow_missing_splits:
        return [one.name for one in builder._split_generators(StreamingDownloadManager())]
    return [split for split in SPLITS if split in builder.task.edition(config.edition).sizes]


def _key(number: int, part: int) -> Any:
    """The key of a table: ``datasets`` 4.5 and newer count original shards by it, older ones take any value."""
    try:
        from datasets.builder import Key
    except ImportError:
        return f"{number}_{part}"
    return Key(number, part)


def features(task: Task) -> datasets.Features:
    """The task's features as ``datasets`` knows them."""
    return datasets.Features.from_dict({name: hub_feature(feature) for name, feature in task.features.items()})

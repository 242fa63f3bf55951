# SPDX-License-Identifier: Apache-2.0
"""Lets ``datasets.load_dataset`` and ``evaluate.load`` resolve our names.

Neither library has a hook for this, so the one function by which each turns a name into a module is wrapped: a registered
name yields a reference into our package, anything else passes through untouched. ``push_to_hub`` of data sets and the
methods that write to a path are wrapped too: what came from one of our suites goes past the licence guard. A library that
is not imported yet is wrapped when it is, by a small finder on ``sys.meta_path``: importing us loads neither.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import inspect
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from euroglue.errors import EuroglueError

SUPPORTED = {"datasets": ">=3.6,<6", "evaluate": ">=0.4.6"}
_MARK = "_euroglue_wraps"


def install() -> None:
    """Make our names known to both libraries, now or when they are imported. Installing twice is harmless."""
    for name, targets in _TARGETS.items():
        module = sys.modules.get(name)
        if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
            _wrap_all(module, targets)
    if not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport())


def _wrap_all(module: ModuleType, targets: _Targets) -> None:
    for path, wrapper in targets.items():
        _wrap(module, path, wrapper)


def _wrap(module: ModuleType, path: str, wrapper: Callable[[Callable], Callable]) -> None:
    """Wrap the function at ``path``, a name in the module or in a class of it."""
    *classes, attribute = path.split(".")
    owner: Any = module
    for name in classes:
        owner = getattr(owner, name, None)
    original = getattr(owner, attribute, None)
    if original is None and path.startswith(_NEWER):
        return
    if original is None:
        library = module.__name__.partition(".")[0]
        version = getattr(sys.modules.get(library), "__version__", "unknown")
        raise EuroglueError(
            f"{module.__name__} has no {path}: expected {library} {SUPPORTED[library]}, got {version}; "
            f'install a supported one: pip install "{library}{SUPPORTED[library]}"'
        )
    if not hasattr(original, _MARK):
        wrapped = functools.wraps(original)(wrapper(original))
        setattr(wrapped, _MARK, original)
        setattr(owner, attribute, wrapped)


def _datasets_factory(original: Callable) -> Callable:
    def dataset_module_factory(path: str, *args: Any, **kwargs: Any) -> Any:
        module = _dataset_module(path)
        if module is None:
            return original(path, *args, **kwargs)
        revision = kwargs.get("revision", args[0] if args else None)
        if revision is not None:
            warnings.warn(
                f"{path}: revision {str(revision)!r} is not used: the raw files are pinned by their hashes, and the rows "
                "are those of the installed version of euroglue",
                stacklevel=2,
            )
        return module

    return dataset_module_factory


def _info_factory(original: Callable) -> Callable:
    signature = inspect.signature(original)

    def get_dataset_config_info(*args: Any, **options: Any) -> Any:
        given = signature.bind(*args, **options).arguments
        if not _is_suite(given.get("path")):
            return original(*args, **options)
        from euroglue.builder import config_info

        return config_info(**given.pop("config_kwargs", {}), **given)

    return get_dataset_config_info


def _is_suite(path: Any) -> bool:
    from euroglue.registry import SUITES

    return isinstance(path, str) and path in SUITES


def _evaluate_factory(original: Callable) -> Callable:
    def evaluation_module_factory(path: str, *args: Any, **kwargs: Any) -> Any:
        module = _evaluation_module(path)
        return module if module is not None else original(path, *args, **kwargs)

    return evaluation_module_factory


def _dataset_module(path: Any) -> Any:
    """The ``DatasetModule`` of a suite's name, or None for a name that is not ours."""
    if not _is_suite(path):
        return None
    from datasets.load import DatasetModule

    from euroglue.prepare.pipeline import code_digest
    from euroglue.registry import SUITES

    suite = SUITES[path]
    return DatasetModule(f"{suite.package}.{suite.name}", code_digest(suite.name), {"dataset_name": suite.name})


def _evaluation_module(path: Any) -> Any:
    """The ``ImportableModule`` of one of our metrics (``name`` or ``metrics/name``), or None for another name."""
    from euroglue.modules import MODULES

    name = str(path).replace("\\", "/").rstrip("/").removeprefix("./").removeprefix("metrics/")
    if name not in MODULES:
        return None
    from evaluate.loading import ImportableModule

    from euroglue.version import __version__

    return ImportableModule(MODULES[name], __version__)


def _guard_factory(original: Callable) -> Callable:
    signature = inspect.signature(original)

    def push_to_hub(self: Any, *args: Any, **options: Any) -> Any:
        from euroglue.publish.guard import refuse_data

        given = signature.bind(self, *args, **options).arguments
        refuse_data(self, given["repo_id"], private=given.get("private"), token=given.get("token"))
        return original(self, *args, **options)

    return push_to_hub


def _path_factory(original: Callable) -> Callable:
    _, first, *_ = inspect.signature(original).parameters

    def write(self: Any, *args: Any, **options: Any) -> Any:
        from euroglue.publish.guard import refuse_path

        refuse_path(self, args[0] if args else options.get(first))
        return original(self, *args, **options)

    return write


def _iterable_factory(original: Callable) -> Callable:
    def to_iterable_dataset(self: Any, *args: Any, **options: Any) -> Any:
        made = original(self, *args, **options)
        made.info.license = self.info.license  # by which the licence guard knows it
        return made

    return to_iterable_dataset


_Targets = Mapping[str, Callable[[Callable], Callable]]
_FILES = dict.fromkeys(("to_csv", "to_json", "to_parquet"), _path_factory)
_TARGETS: Mapping[str, _Targets] = {
    "datasets.load": {"dataset_module_factory": _datasets_factory},
    "datasets.inspect": {"dataset_module_factory": _datasets_factory, "get_dataset_config_info": _info_factory},
    "datasets.arrow_dataset": {
        "Dataset.push_to_hub": _guard_factory,
        "Dataset.to_iterable_dataset": _iterable_factory,
        "Dataset.save_to_disk": _path_factory,
        **{f"Dataset.{name}": wrapper for name, wrapper in _FILES.items()},
    },
    "datasets.dataset_dict": {
        "DatasetDict.push_to_hub": _guard_factory,
        "DatasetDict.save_to_disk": _path_factory,
        "IterableDatasetDict.push_to_hub": _guard_factory,
    },
    "datasets.iterable_dataset": {
        "IterableDataset.push_to_hub": _guard_factory,
        **{f"IterableDataset.{name}": wrapper for name, wrapper in _FILES.items()},
    },
    "evaluate.loading": {"evaluation_module_factory": _evaluate_factory},
    "evaluate.inspect": {"evaluation_module_factory": _evaluate_factory},
    "evaluate.evaluation_suite": {"evaluation_module_factory": _evaluate_factory},
}
_NEWER = "Iterable"
"""How classes begin whose methods an older supported version lacks: there is nothing to be wrapped then."""


class _AfterImport(importlib.abc.MetaPathFinder):
    """Finds the target modules as usual and wraps their function once they have run."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in _TARGETS:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    _run_after(spec.loader, fullname)
                return spec
        return None


def _run_after(loader: Any, fullname: str) -> None:
    run = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        run(module)
        _wrap_all(module, _TARGETS[fullname])

    loader.exec_module = exec_module

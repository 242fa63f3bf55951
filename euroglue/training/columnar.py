# SPDX-License-Identifier: Apache-2.0
"""Dataclass instances as columns of flat arrays, which are saved as plain ``.npy`` files and mapped into memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from euroglue import strict_json
from euroglue.training.kinds.kind import Feature

ABOUT = "columns.json"
FIELDS = tuple(one.name for one in dataclasses.fields(Feature))


@dataclass(frozen=True)
class Column:
    """The values of one field: ``shape`` says what they are and the arrays hold them.

    Shapes: ``none``; ``int`` and ``float``, single numbers; ``text``; ``list``, ``tuple`` and ``array``, sequences of whole
    numbers, an array perhaps of rows; ``texts``, tuples of texts. Any value may be None. Texts are kept once each.
    """

    shape: str
    count: int
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Column:
        """Put values into arrays.

        Raises:
            TypeError: they are of a type, or a mixture of types, that has no column.
        """
        given = [value for value in values if value is not None]
        present = {} if len(given) == len(values) else {"present": np.array([value is not None for value in values])}
        if not given:
            return cls("none", len(values))
        if len(kinds := set(map(type, given))) > 1 and not all(issubclass(kind, Integral) for kind in kinds):
            raise TypeError(f"no column holds a mixture of {', '.join(sorted(kind.__name__ for kind in kinds))}")
        kind = kinds.pop()
        if issubclass(kind, Integral) and kind is not bool:
            filled = [0 if value is None else int(value) for value in values]
            return cls("int", len(values), {"values": np.array(filled, dtype=np.int64), **present})
        if kind is float:
            numbers = [0.0 if value is None else value for value in values]
            return cls("float", len(values), {"values": np.array(numbers, dtype=np.float64), **present})
        if kind is str:
            codes, table = _coded(["" if value is None else value for value in values])
            return cls("text", len(values), {"codes": codes, **table, **present})
        return cls._of_sequences(kind, ["" if value is None else value for value in values], present)

    @classmethod
    def _of_sequences(cls, kind: type, rows: Sequence[Any], present: dict[str, np.ndarray]) -> Column:
        ends = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        if kind is np.ndarray:
            stacked = [row for row in rows if isinstance(row, np.ndarray)]
            if len({(row.dtype.str, row.shape[1:]) for row in stacked}) > 1:
                raise TypeError("no column holds arrays of several types or widths")
            return cls("array", len(rows), {"values": np.concatenate(stacked), "ends": ends, **present})
        flat = list(chain.from_iterable(rows))
        kinds = set(map(type, flat))
        if kind in (list, tuple) and all(issubclass(one, Integral) and one is not bool for one in kinds):
            wide = np.array(flat, dtype=np.int64)
            small = wide.astype(np.int32)
            held = {"values": small if np.array_equal(small, wide) else wide, "ends": ends}
            return cls(kind.__name__, len(rows), {**held, **present})
        if kind is tuple and kinds == {str}:
            codes, table = _coded(flat)
            return cls("texts", len(rows), {"codes": codes, "ends": ends, **table, **present})
        raise TypeError(f"no column holds {kind.__name__} of {', '.join(sorted(one.__name__ for one in kinds))}")

    def __getitem__(self, i: int) -> Any:
        if self.shape == "none" or ("present" in self.arrays and not self.arrays["present"][i]):
            return None
        if self.shape in ("int", "float"):
            return self.arrays["values"][i].item()
        if self.shape == "text":
            return self._text(self.arrays["codes"][i])
        start, end = self.arrays["ends"][i], self.arrays["ends"][i + 1]
        if self.shape == "texts":
            return tuple(self._text(code) for code in self.arrays["codes"][start:end])
        values = self.arrays["values"][start:end]
        return {"list": list, "tuple": tuple}[self.shape](values.tolist()) if self.shape != "array" else values

    def _text(self, code: int) -> str:
        start, end = self.arrays["text_ends"][code], self.arrays["text_ends"][code + 1]
        return self.arrays["texts"][start:end].tobytes().decode("utf-8", "surrogatepass")


def _coded(texts: Sequence[str]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Texts by their places in a table of distinct ones, and the table."""
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    written = [text.encode("utf-8", "surrogatepass") for text in place]
    table: dict[str, np.ndarray] = {
        "texts": np.frombuffer(b"".join(written), dtype=np.uint8),
        "text_ends": np.cumsum([0, *map(len, written)], dtype=np.int64),
    }
    return np.array([place[text] for text in texts], dtype=np.int64), table


class Part:
    """Some features, a column for each of their fields."""

    def __init__(self, columns: dict[str, Column]):
        self.columns = columns

    @classmethod
    def of(cls, features: Sequence[Feature]) -> Part:
        """The same features as columns."""
        return cls({name: Column.of([getattr(feature, name) for feature in features]) for name in FIELDS})

    def __len__(self) -> int:
        return self.columns["id"].count

    def __getitem__(self, i: int) -> Feature:
        return Feature(**{name: column[i] for name, column in self.columns.items()})

    def lengths(self) -> np.ndarray:
        """How many ids each feature has."""
        return np.diff(self.columns["input_ids"].arrays["ends"])

    def numbers(self, name: str) -> np.ndarray:
        """The column of a field that is a number."""
        return self.columns[name].arrays["values"]

    def used_ids(self) -> np.ndarray:
        """The ids that occur, each once."""
        return np.unique(self.columns["input_ids"].arrays["values"])

    def save(self, folder: Path) -> None:
        """Write the columns into a new folder."""
        folder.mkdir()
        for name, column in self.columns.items():
            for part, array in column.arrays.items():
                np.save(folder / f"{name}.{part}.npy", array, allow_pickle=False)
        about = {
            name: {"shape": column.shape, "count": column.count, "arrays": sorted(column.arrays)}
            for name, column in self.columns.items()
        }
        strict_json.write(folder / ABOUT, about)

    @classmethod
    def load(cls, folder: Path) -> Part:
        """The columns that were saved, mapped into memory.

        Raises:
            OSError, ValueError, KeyError: a file is missing or damaged.
        """
        about = strict_json.read(folder / ABOUT)
        columns = {}
        for name in FIELDS:
            held = about[name]
            arrays = {part: _mapped(folder / f"{name}.{part}.npy") for part in held["arrays"]}
            columns[name] = Column(held["shape"], held["count"], arrays)
        return cls(columns)


def _mapped(file: Path) -> np.ndarray:
    array = np.load(file, mmap_mode="r", allow_pickle=False)
    return array.view(np.ndarray)  # slices of a plain array are made faster than those of a memmap

# SPDX-License-Identifier: Apache-2.0
"""From a table to typed columns: the contract of features, hidden labels, Arrow schema, Parquet, fingerprint."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from euroglue.errors import ContractError
from euroglue.task import HIDDEN_CLASS, Feature, Labels

ROW_GROUP = 50_000
LEAST, MOST = -(2**63), 2**63 - 1
HALVES = re.compile("[\ud800-\udfff]")
"""Halves of surrogate pairs, which UTF-8 cannot hold."""
_ARROW = {"string": pa.string(), "int64": pa.int64(), "float64": pa.float64()}


def arrow_type(feature: Feature) -> pa.DataType:
    """The Arrow type of a feature; a class label is its integer id.

    >>> arrow_type(["string"])
    ListType(list<item: string>)
    """
    if isinstance(feature, Labels):
        return pa.int64()
    if isinstance(feature, list):
        return pa.list_(arrow_type(feature[0]))
    if isinstance(feature, Mapping):
        return pa.struct([(name, arrow_type(inner)) for name, inner in feature.items()])
    return _ARROW[feature]


def hub_feature(feature: Feature) -> dict[str, Any]:
    """The feature in the JSON that ``datasets`` keeps in Parquet files, in the words that versions 3 to 5 all read.

    >>> hub_feature(["string"])
    {'feature': {'dtype': 'string', '_type': 'Value'}, '_type': 'Sequence'}
    """
    if isinstance(feature, Labels):
        return {"names": list(feature.names), "_type": "ClassLabel"}
    if isinstance(feature, list):
        if isinstance(feature[0], Mapping):  # a Sequence of a mapping would mean a mapping of lists
            return [hub_feature(feature[0])]  # type: ignore[return-value]
        return {"feature": hub_feature(feature[0]), "_type": "Sequence"}
    if isinstance(feature, Mapping):
        return {name: hub_feature(inner) for name, inner in feature.items()}
    return {"dtype": feature, "_type": "Value"}


def schema(features: Mapping[str, Feature]) -> pa.Schema:
    """The Arrow schema of the features, with the metadata by which ``datasets`` knows label names."""
    hub = {"info": {"features": {name: hub_feature(feature) for name, feature in features.items()}}}
    fields = [(name, arrow_type(feature)) for name, feature in features.items()]
    return pa.schema(fields, metadata={"huggingface": json.dumps(hub, ensure_ascii=False)})


def typed(value: Any, feature: Feature) -> Any:
    """The value as the feature stores it: label names become ids, numbers of text columns become text.

    Raises:
        ValueError: the value does not fit; the message says what was expected.
    """
    if isinstance(feature, Labels):
        return _label(value, feature)
    if isinstance(feature, list):
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"expected a list, got {value!r}")
        return list(map(_text, value)) if feature[0] == "string" else [typed(item, feature[0]) for item in value]
    if isinstance(feature, Mapping):
        return {name: typed((value or {}).get(name), inner) for name, inner in feature.items()}
    return _text(value) if feature == "string" else _number(value, whole=feature == "int64")


def _text(value: Any) -> str:
    if not isinstance(value, (str, Integral)):
        raise ValueError(f"expected a text, got {value!r}")
    text = str(value)
    if not text.isascii() and HALVES.search(text):
        raise ValueError(f"expected a text, got one with half of a surrogate pair: {text[:40]!r}")
    return text


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _number(value: Any, whole: bool) -> int | float:
    if not _is_number(value):
        raise ValueError(f"expected a number, got {value!r}")
    if not whole and math.isfinite(value):
        return float(value)
    if not whole or not math.isfinite(value) or int(value) != value or not LEAST <= value <= MOST:
        raise ValueError(f"expected a {'whole' if whole else 'finite'} number, got {str(value)[:40]}")
    return int(value)


def _label(value: Any, labels: Labels) -> int:
    if isinstance(value, str):
        if value not in labels.names:
            raise ValueError(f"expected one of {', '.join(labels.names)}, got {value!r}")
        return labels.names.index(value)
    if not _is_number(value) or value not in range(len(labels.names)):
        raise ValueError(f"expected a label id from 0 to {len(labels.names) - 1}, got {value!r}")
    return int(value)


def hidden(value: Any, feature: Feature) -> Any:
    """What stands in place of a hidden value: NaN, −1, an empty text, −1 for each token, an empty list of texts.

    >>> hidden([3, 0], [Labels("O", "B-PER")]), hidden(4.5, "float64"), hidden(["PER: Ана"], ["string"])
    ([-1, -1], nan, [])
    """
    if isinstance(feature, list):
        return [] if feature[0] == "string" or not isinstance(value, list) else [hidden(v, feature[0]) for v in value]
    if isinstance(feature, Mapping):
        return {name: hidden((value or {}).get(name), inner) for name, inner in feature.items()}
    if isinstance(feature, Labels) or feature == "int64":
        return HIDDEN_CLASS
    return math.nan if feature == "float64" else ""


def typed_table(
    table: pd.DataFrame, features: Mapping[str, Feature], id_column: str, blank: tuple[str, ...]
) -> pa.Table:
    """Type every column of one split, and blank the columns in ``blank``.

    Raises:
        ContractError: a column is missing or a value does not fit its feature; column, example and value are named.
    """
    columns = []
    for name, feature in features.items():
        if name not in table:
            raise ContractError(f"column {name!r} is missing; the reader and the steps gave {', '.join(table.columns)}")
        values = []
        for key, value in zip(table[id_column], table[name]):
            try:
                values.append(hidden(value, feature) if name in blank else typed(value, feature))
            except (TypeError, ValueError, OverflowError) as error:  # the last: an integer beyond every float
                message = f"example {key}: {name}: {error}; mend the raw file or the task's labels"
                raise ContractError(message) from error
        columns.append(pa.array(values, type=arrow_type(feature)))
    return pa.table(columns, schema=schema(features))


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table so that the same rows give the same bytes under the same version of pyarrow."""
    with open(path, "wb") as file:  # not the path: pyarrow spells it in UTF-8, whatever the system does
        pq.write_table(table, file, compression="zstd", row_group_size=ROW_GROUP, version="2.6", write_statistics=False)


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a file, or some of its columns, in this thread: a process that ends at once does not wait for pyarrow's others."""
    with open(path, "rb") as file, pq.ParquetFile(file) as parquet:
        return parquet.read(columns and list(columns), use_threads=False)


def canonical_rows(table: pa.Table) -> Iterator[str]:
    """Each row as JSON with NaN as null: what the fingerprint is taken over."""
    floats = [field.name for field in table.schema if _holds_floats(field.type)]
    for batch in table.to_batches(max_chunksize=4096):
        for row in batch.to_pylist():
            plain = {**row, **{name: _without_nan(row[name]) for name in floats}}
            yield json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _holds_floats(kind: pa.DataType) -> bool:
    return pa.types.is_floating(kind) or any(_holds_floats(kind.field(i).type) for i in range(kind.num_fields))


def _without_nan(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, dict):
        return {name: _without_nan(inner) for name, inner in value.items()}
    return [_without_nan(item) for item in value] if isinstance(value, list) else value


def fingerprint(splits: Mapping[str, pa.Table]) -> str:
    """A SHA-256 over every row of every split, whatever library versions wrote them; 64 hex digits."""
    digest = hashlib.sha256()
    for name, table in splits.items():
        digest.update(f"{name}\n".encode())
        for line in canonical_rows(table):
            digest.update(line.encode() + b"\n")
    return digest.hexdigest()

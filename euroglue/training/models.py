# SPDX-License-Identifier: Apache-2.0
"""Loading encoders and tokenizers, from a folder or the Hub, with one-line errors for what users get wrong."""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from euroglue.errors import EuroglueError
from euroglue.training.kinds import KINDS, TaskKind

if TYPE_CHECKING:
    from accelerate import Accelerator
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

    from euroglue.task import Task
    from euroglue.training.settings import Settings


TYPES = "token_type_ids"
SHORTEST = 8
"""An encoder must take as many sub-words: special tokens, two marked words, something around them."""
PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt", "*.h5", "*.msgpack")
"""Weights that are not read: loading some of them runs code."""
CONTENT = ("*.safetensors", "*.json", "*.txt", "*.model", "*.py")
"""The files of a folder that make a model what it is."""
SPOILT = (OSError, ValueError, ImportError, TypeError, KeyError, AttributeError, RuntimeError)
"""What Transformers raises over files that are missing, damaged or do not belong together."""


class Loaded(NamedTuple):
    """A tokenizer, the kind of task that encodes with it, and the model."""

    tokenizer: PreTrainedTokenizerFast
    kind: TaskKind
    model: PreTrainedModel


def load(
    accelerator: Accelerator,
    task: Task,
    model: str,
    *,
    trained: bool,
    max_length: int,
    stride: int,
    choice_loss: str = "softmax",
    dropout: float | None = None,
    trust_remote_code: bool = False,
) -> Loaded:
    """Load what a task is trained or predicted with; the first process of a machine fetches, the others find it there.

    Args:
        accelerator: the processes.
        task: the task, whose kind says which head the model gets.
        model: a folder or a Hub id.
        trained: the head must be there, too; otherwise it may start fresh, drawn from torch's random numbers.
        max_length: the longest input in sub-words; less where the model takes less.
        stride: the overlap of windows in sub-words.
        choice_loss: the loss of a multiple choice, ``softmax`` or ``binary``.
        dropout: in place of every rate of dropout that the model's configuration has.
        trust_remote_code: whether code that comes with the model may run.

    Raises:
        EuroglueError: the model or its tokenizer cannot be loaded or does not fit.
    """
    kind_class = KINDS[task.kind.value]
    require_model(model)
    with accelerator.local_main_process_first():
        tokenizer = load_tokenizer(model, trust_remote_code=trust_remote_code)
        config = load_config(model, trust_remote_code=trust_remote_code)
        if trained:
            _require_order(model, task, config)
        if not tells_texts_apart(config):
            tokenizer.model_input_names = [name for name in tokenizer.model_input_names if name != TYPES]
        if not trained:
            add_tokens(tokenizer, task.extra_tokens)
        fits = min(max_length, longest_input(model, tokenizer, trust_remote_code=trust_remote_code))
        if fits < SHORTEST:
            raise EuroglueError(f"{model} reads at most {fits} sub-words: expected at least {SHORTEST}")
        kind = kind_class(task, tokenizer, max_length=fits, stride=stride, choice_loss=choice_loss)
        rates = {} if dropout is None else dropout_rates(model, dropout, trust_remote_code=trust_remote_code)
        encoder = kind.head(model, trained=trained, trust_remote_code=trust_remote_code, **rates)
        _make_room(model, encoder, tokenizer)
        _agree_on_padding(model, encoder, tokenizer)
        return Loaded(tokenizer, kind, encoder)


def _agree_on_padding(name: str, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> None:
    """Tell a model that does not know it which token fills batches up: some find the end of a text by it.

    Raises:
        EuroglueError: its tokenizer has none either.
    """
    if getattr(model.config, "pad_token_id", None) is not None:
        return
    if tokenizer.pad_token_id is None:
        raise EuroglueError(f"neither {name} nor its tokenizer names a padding token: add a pad_token to the tokenizer")
    model.config.pad_token_id = tokenizer.pad_token_id


def set_attention(model: PreTrainedModel, name: str) -> None:
    """Let the model compute attention in the way of this name: ``eager``, ``sdpa``, ``flash_attention_2``, ….

    Raises:
        EuroglueError: there is no such way, or not for this model or machine.
    """
    try:
        model.set_attn_implementation(name)
    except (ValueError, ImportError, KeyError) as error:
        reason = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise EuroglueError(f"attention {name!r} cannot be had for {type(model).__name__}: {reason}") from error


def require_model(model: str) -> None:
    """Refuse what is plainly no model: a file, a folder without a configuration or with pickled weights alone.

    Raises:
        EuroglueError: says what was expected.
    """
    if os.path.isfile(model):
        raise EuroglueError(f"{model} is a file: name the folder of a model, or its id on the Hub")
    if not os.path.isdir(model):
        return
    here = Path(model)
    if not (here / "config.json").is_file():
        raise EuroglueError(f"{model} is not the folder of a model: it holds no config.json")
    if (here / "best" / "config.json").is_file():
        raise EuroglueError(f"{model} is the folder of a run: its model is {here / 'best'}")
    pickled = sorted(file.name for pattern in PICKLES for file in here.glob(pattern))
    if pickled and not any(here.glob("*.safetensors")):
        raise EuroglueError(
            f"{model} has its weights in {pickled[0]} alone, and such a file may run code: save them as model.safetensors"
        )


def load_fresh(accelerator: Accelerator, task: Task, settings: Settings, *, trust_remote_code: bool = False) -> Loaded:
    """What a run of these settings begins with: the model, under a head that may start fresh (see ``load``)."""
    return load(
        accelerator,
        task,
        settings.model,
        trained=False,
        max_length=settings.max_length,
        stride=settings.stride,
        choice_loss=settings.choice_loss,
        dropout=settings.dropout,
        trust_remote_code=trust_remote_code,
    )


def load_tokenizer(model: str, *, trust_remote_code: bool = False) -> PreTrainedTokenizerFast:
    """The fast tokenizer of ``model``, a folder or a Hub id.

    Raises:
        EuroglueError: it cannot be loaded, or has only a slow tokenizer, which cannot tell which word a sub-word is of.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(model, trust_remote_code=trust_remote_code)
    except SPOILT as error:
        raise EuroglueError(_cannot_load("tokenizer", model, error)) from error
    if not tokenizer.is_fast:
        raise EuroglueError(
            f"the tokenizer of {model} ({type(tokenizer).__name__}) is a slow one, which cannot map sub-words to "
            "words: convert it to a fast tokenizer (a tokenizer.json beside the model) or choose another model"
        )
    if len(set(tokenizer.get_vocab().values()) - {*tokenizer.all_special_ids, *tokenizer.added_tokens_decoder}) < 2:
        raise EuroglueError(
            f"the tokenizer of {model} knows no words: its vocabulary (tokenizer.json, vocab.txt, …) is missing beside the model"
        )
    return tokenizer


def add_tokens(tokenizer: PreTrainedTokenizerFast, tokens: Sequence[str]) -> int:
    """Make the tokenizer keep words such as ``@USER`` whole, in their case; returns how many it did not know before."""
    from transformers import AddedToken

    known = tokenizer.get_vocab()
    fresh = [AddedToken(token, single_word=True, normalized=False) for token in tokens if token not in known]
    return tokenizer.add_tokens(fresh)


def _require_order(model: str, task: Task, config: PreTrainedConfig) -> None:
    """Refuse a checkpoint that was trained on the task's labels in another order: every output would be read wrongly."""
    outputs: dict[int, str] = getattr(config, "id2label", None) or {}
    names = [str(outputs[place]) for place in sorted(outputs)]
    there, here = ([name.casefold() for name in one] for one in (names, task.labels))
    if there != here and sorted(there) == sorted(here):
        raise EuroglueError(
            f"the outputs of {model} are {', '.join(names)}, the labels of {task.path} {', '.join(task.labels)}: the order "
            "differs, so that they would be read wrongly"
        )


def _make_room(name: str, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> None:
    """Give the model embeddings for the tokens that were added, if it has none to spare.

    Raises:
        EuroglueError: it has too few for the tokenizer's own words, so that these are another model's.
    """
    import torch

    embeddings = model.get_input_embeddings()
    if not isinstance(embeddings, torch.nn.Embedding) or len(tokenizer) <= embeddings.num_embeddings:
        return
    if tokenizer.vocab_size > embeddings.num_embeddings:
        raise EuroglueError(
            f"{name} has {embeddings.num_embeddings:,} embeddings, its tokenizer {tokenizer.vocab_size:,} words: they do not "
            "belong together"
        )
    with quiet():
        model.resize_token_embeddings(len(tokenizer), mean_resizing=False)


def load_config(model: str, *, trust_remote_code: bool = False) -> PreTrainedConfig:
    """The configuration of ``model``, a folder or a Hub id.

    Raises:
        EuroglueError: it cannot be loaded.
    """
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(model, trust_remote_code=trust_remote_code)
    except SPOILT as error:
        raise EuroglueError(_cannot_load("configuration", model, error)) from error


def tells_texts_apart(config: PreTrainedConfig) -> bool:
    """Whether the encoder takes the types of the two texts of a pair; a tokenizer may yield them all the same."""
    from transformers import AutoModel

    encoder: Any = AutoModel._model_mapping.get(type(config), None)
    takes = encoder is None or TYPES in inspect.signature(encoder.forward).parameters
    return takes and getattr(config, "type_vocab_size", 2) >= 2


def longest_input(model: str, tokenizer: PreTrainedTokenizerFast, *, trust_remote_code: bool = False) -> int:
    """How many sub-words the tokenizer and the model's position table allow."""
    config = load_config(model, trust_remote_code=trust_remote_code)
    positions = getattr(config, "max_position_embeddings", None)
    allowed = int(tokenizer.model_max_length)
    if not positions or positions < 0 or allowed < positions - (config.pad_token_id or 0):
        return allowed
    return min(allowed, positions - _rows_before_positions(model, config, trust_remote_code))


def _rows_before_positions(model: str, config: PreTrainedConfig, trust_remote_code: bool) -> int:
    """How many rows of the position table stand before the first position: RoBERTa counts on from its padding's id."""
    import torch
    from transformers import AutoModel

    try:
        with torch.device("meta"):
            modules = AutoModel.from_config(config, trust_remote_code=trust_remote_code).named_modules()
    except SPOILT as error:
        raise EuroglueError(_cannot_load("configuration", model, error)) from error
    tables = [one for name, one in modules if name.endswith("position_embeddings")]
    padding = [getattr(table, "padding_idx", None) for table in tables]
    return max((index + 1 for index in padding if index is not None), default=0)


def model_revision(model: str, *, trust_remote_code: bool = False) -> str:
    """The commit of a model from the Hub; empty for a folder."""
    return getattr(load_config(model, trust_remote_code=trust_remote_code), "_commit_hash", None) or ""


def model_identity(model: str, *, trust_remote_code: bool = False) -> str:
    """What the model is, whatever its name: a digest of a folder's files (16 hex digits), or the commit on the Hub.

    Raises:
        EuroglueError: there is no such model.
    """
    require_model(model)
    if not os.path.isdir(model):
        return model_revision(model, trust_remote_code=trust_remote_code)
    digest = hashlib.sha256()
    for file in sorted(file for pattern in CONTENT for file in Path(model).glob(pattern)):
        digest.update(f"{file.name} {file.stat().st_size}\n".encode())
        with open(file, "rb") as content:
            while block := content.read(2**20):
                digest.update(block)
    return digest.hexdigest()[:16]


def dropout_rates(model: str, rate: float, *, trust_remote_code: bool = False) -> dict[str, float]:
    """Every rate of dropout in the model's configuration, whatever its family calls it, set to ``rate``."""
    held = load_config(model, trust_remote_code=trust_remote_code).to_dict()
    named = {name: value for name, value in held.items() if "dropout" in name and not isinstance(value, bool)}
    return {name: rate for name, value in named.items() if value is None or isinstance(value, (int, float))}


def load_model(
    auto_class: Any, model: str, *, trained: bool, trust_remote_code: bool = False, **config: Any
) -> PreTrainedModel:
    """The model at ``model`` in 32-bit floats under the head of ``auto_class``.

    Args:
        auto_class: one of Transformers' auto classes.
        model: a folder or a Hub id.
        trained: the head must be stored there, with this number of outputs; otherwise it may start fresh.
        trust_remote_code: whether code that comes with the model may run.
        config: overrides of the model's configuration.

    Raises:
        EuroglueError: the model cannot be loaded, or ``trained`` and its head is missing or of another shape.
    """
    import torch
    from safetensors import SafetensorError

    if not trust_remote_code:
        _require_head(auto_class, model)
    try:
        with quiet():
            loaded, report = auto_class.from_pretrained(
                model,
                dtype=torch.float32,
                trust_remote_code=trust_remote_code,
                use_safetensors=True,
                ignore_mismatched_sizes=True,
                output_loading_info=True,
                **config,
            )
    except (*SPOILT, SafetensorError) as error:
        raise EuroglueError(_cannot_load("model", model, error)) from error
    _require_weights(loaded, report, model, trained)
    return loaded


def _require_head(auto_class: Any, model: str) -> None:
    """Refuse a family of models for which Transformers has no such head."""
    config = load_config(model)
    if type(config) not in auto_class._model_mapping:
        head = auto_class.__name__.removeprefix("AutoModelFor")
        raise EuroglueError(
            f"{model} is a model of the family {config.model_type!r}, for which Transformers has no head {head}: choose "
            "an encoder such as BERT, RoBERTa, DeBERTa or ModernBERT"
        )


def _require_weights(loaded: PreTrainedModel, report: Any, model: str, trained: bool) -> None:
    fresh = sorted({*report["missing_keys"], *(key for key, *_ in report["mismatched_keys"])})
    if trained and fresh:
        raise EuroglueError(
            f"{model} holds no trained head for this task ({', '.join(fresh[:3])} missing or of another shape): "
            "give the folder 'best' of a run, or train first"
        )
    encoder = f"{loaded.base_model_prefix}."
    lost = [key for key in fresh if key.startswith(encoder) and "pooler" not in key]
    if lost:
        raise EuroglueError(
            f"{model} lacks {len(lost)} weights of its encoder, such as {', '.join(lost[:3])}: the file is not whole, "
            "or belongs to another architecture than its configuration says"
        )


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Transformers' reports and bars off the terminal while a model is loaded or saved."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _cannot_load(what: str, model: str, error: Exception) -> str:
    reason = " ".join(str(error).split()) or type(error).__name__
    if "trust_remote_code" in str(error):
        reason = "it comes with code of its own, which runs only where you trust it: give --trust-remote-code"
    place = "" if os.path.isdir(model) else "no such folder here; on the Hub: "
    return f"cannot load the {what} of {model!r}: {place}{reason[:300]}"

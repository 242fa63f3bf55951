# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from euroglue.training.encode import align, best_windows, frame, needs_space, pad, windows, word_pieces


@pytest.mark.parametrize(
    ("owners", "words", "ids", "first", "why"),
    [
        ([0, 1, 2], 3, [10, 11, 12], [0, 1, 2], "one piece a word"),
        ([0, 0, 1], 2, [10, 11, 12], [0, 2], "a word of two pieces is known by its first"),
        ([1, 1], 2, [1, 10, 11], [0, 1], "the first word yields nothing"),
        ([0, 3], 4, [10, 1, 1, 11], [0, 1, 2, 3], "two in the middle yield nothing"),
        ([0], 3, [10, 1, 1], [0, 1, 2], "the last two yield nothing"),
        ([], 2, [1, 1], [0, 1], "no word yields anything"),
        ([], 0, [], [], "no words"),
    ],
)
def test_every_word_has_a_first_piece(owners, words, ids, first, why):
    assert align(range(10, 10 + len(owners)), owners, words, placeholder=1) == (ids, first), why


@given(length=st.integers(0, 300), capacity=st.integers(1, 60), overlap=st.integers(0, 80))
def test_windows_cover_everything_in_full_windows_that_overlap(length, capacity, overlap):
    spans = windows(length, capacity, overlap)
    covered = {place for start, end in spans for place in range(start, end)}
    assert covered == set(range(length))
    assert spans[-1][1] == length
    for (start, end), (following, _) in zip(spans, spans[1:]):
        assert end - start == capacity
        assert end - following >= min(overlap, capacity - 1)
        assert following > start


@given(length=st.integers(1, 300), capacity=st.integers(2, 60), overlap=st.integers(0, 59))
def test_each_position_is_read_where_no_other_window_shows_more_of_its_poorer_side(length, capacity, overlap):
    spans = windows(length, capacity, overlap)

    def context(place: int, window: int) -> int:
        start, end = spans[window]
        if not start <= place < end:
            return -1
        left = length if start == 0 else place - start
        right = length if end == length else end - 1 - place
        return min(left, right)

    for place, chosen in enumerate(best_windows(range(length), spans)):
        assert context(place, chosen) == max(context(place, window) for window in range(len(spans))) >= 0


@pytest.mark.issue("GLiNER#394")
@pytest.mark.issue("flair#1860")
@pytest.mark.issue("argilla#1264")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["Иван", "\u200b", "живее"], "zero-width space"),
        (["\u00ad", "Иван"], "soft hyphen alone"),
        (["Иван", ""], "empty"),
        (["\x00", "\x07"], "control characters only"),
        (["\u00a0", "Иван"], "a no-break space"),
        (["непознатадума"], "a word outside the vocabulary"),
        (["и\u0306", "й"], "decomposed and composed"),
        ([], "no words"),
    ],
)
def test_no_word_is_lost_on_the_way_to_pieces(encoder: Path, words, why):
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    for ids, first in word_pieces(tokenizer, [words, ["Иван"]])[:1]:
        assert len(first) == len(words), why
        assert all(0 <= place < len(ids) for place in first), why
        assert sorted(set(first)) == first, why


def test_a_word_keeps_its_pieces_beside_a_lost_one(encoder: Path):
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    alone, together = word_pieces(tokenizer, [["Иван", "живее"], ["Иван", "\u200b", "живее"]])
    ids, first = together
    assert ids[first[1]] == tokenizer.unk_token_id
    assert ids[: first[1]] + ids[first[1] + 1 :] == alone[0]


def byte_level(add_prefix_space: bool) -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<s>", "</s>", "<pad>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train_from_iterator(["Иван живее тук"] * 5, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", cls_token="<s>", sep_token="</s>")


@pytest.mark.parametrize(("add_prefix_space", "needs"), [(True, False), (False, True)])
def test_words_of_a_byte_level_tokenizer_begin_with_its_space(add_prefix_space, needs):
    tokenizer = byte_level(add_prefix_space)
    assert needs_space(tokenizer) is needs
    ((ids, first),) = word_pieces(tokenizer, [["Иван", "живее"]])
    assert [tokenizer.convert_ids_to_tokens(ids[place])[0] for place in first] == ["Ġ", "Ġ"]
    assert ids == tokenizer(" Иван живее", add_special_tokens=False)["input_ids"]


def test_the_frame_is_the_special_tokens_on_both_sides(encoder: Path):
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    assert frame(tokenizer).gaps == ((tokenizer.cls_token_id,), (tokenizer.sep_token_id,))
    assert frame(byte_level(True)).gaps == ((0,), (1,))


def test_padding_goes_to_the_right():
    assert pad([[1], [2, 3, 4]], 9).tolist() == [[1, 9, 9], [2, 3, 4]]


def test_a_tokenizer_that_makes_nothing_of_latin_letters_has_a_frame_too():
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(vocab_size=30, special_tokens=["<s>", "</s>"], show_progress=False)
    made.train_from_iterator(["мама мие рамата"], trainer)
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, cls_token="<s>", sep_token="</s>", pad_token="</s>")
    assert tokenizer("a", add_special_tokens=False)["input_ids"] == []
    assert [frame(tokenizer, texts).gaps for texts in (1, 2)] == [((0,), (1,)), ((0,), (1,), (1,))]

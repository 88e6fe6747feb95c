"""From text to token ids: the tokenizer as the model wants it, and windows over long text.

Works lazily in pieces, so that neither a long text nor one giant word costs memory or time beyond a
piece. It never runs the model.
"""

import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tokenizers import Tokenizer

from cognid_models.embedder import Window
from cognid_models.manifest import Manifest

PIECE_CHARACTERS: Final = 2_048
"""Most characters tokenized at a time: 1.4 ms during which the interpreter's lock is held."""

# Base64, hex and the like: no word in it that a question could ask for, but 50 kB of it would be
# 33,000 tokens, half a minute of CPU. Quotes, dots, colons and spaces end a run, so that URLs and
# minified JSON are read as what they are.
_ENCODED: Final = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/=_-]{200,}")

# Tokens never span white space, and rarely another non-word character: a cut there changes nothing.
_BOUNDARIES: Final = (re.compile(r"(?s:.*)\s"), re.compile(r"(?s:.*)\W"))


class Token(NamedTuple):
    """One token and the characters of the text that it stands for."""

    id: int
    start: int
    end: int


class Cutter:
    """Prepares texts for one model: prefix, special tokens, and windows of a bounded length."""

    def __init__(self, file: Path, manifest: Manifest) -> None:
        self._tokenizer = Tokenizer.from_file(str(file))
        # The file as it lies pads and truncates to 512, and would read a "[MASK]" that someone
        # typed as the model's own control token.
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._tokenizer.encode_special_tokens = True
        self._unknown = self._id_of("[UNK]")
        self._tail = (self._id_of("[SEP]"),)
        self._query_head = self._head(manifest.query_prefix)
        self._passage_head = self._head(manifest.passage_prefix)
        self._statement_head = self._head(manifest.statement_prefix)
        longest = max(len(self._passage_head), len(self._statement_head))
        self._window_body = manifest.window_tokens - longest - len(self._tail)
        self._overlap = manifest.overlap_tokens
        self.max_query_tokens = manifest.query_tokens - len(self._query_head) - len(self._tail)
        if self._window_body <= self._overlap or self.max_query_tokens < 1:
            raise ValueError("no room for words beside the prefixes")

    def query(self, text: str) -> tuple[int, ...]:
        """Prepare a query: the last tokens that fit, or nothing if none of them is known."""
        body = tuple(t.id for t in deque(self.tokens(text), self.max_query_tokens))
        if not self._is_known(body):
            return ()
        return (*self._query_head, *body, *self._tail)

    def windows(self, text: str, *, statement: bool = False) -> Iterator[Window]:
        """Yield overlapping windows whose spans cover the text; none if nothing in it is known."""
        head = self._statement_head if statement else self._passage_head
        body: list[Token] = []
        start = 0
        for token in self.tokens(text):
            if len(body) == self._window_body:
                yield self._window(head, start, body[-1].end, body)
                del body[: len(body) - self._overlap]
                start = body[0].start
            body.append(token)
        # Only a whole text can be unknown: a later window starts with tokens of the one before,
        # and two unknown tokens never stand side by side.
        if self._is_known(tuple(t.id for t in body)):
            yield self._window(head, start, len(text), body)

    def tokens(self, text: str) -> Iterator[Token]:
        """Yield the text's tokens, a run of unknown ones as a single one.

        Unknown are emoji, scripts that the vocabulary lacks, words of over 100 characters, and
        encoded data. As one token they are not lost, but do not drown the words beside them.
        """
        held: Token | None = None
        for token in self._every_token(text):
            if held is not None:
                if held.id == token.id == self._unknown:
                    held = Token(held.id, held.start, token.end)
                    continue
                yield held
            held = token
        if held is not None:
            yield held

    def count(self, text: str) -> int:
        """Count what `tokens` yields: twice as quick, since nothing has to be placed."""
        unknown = self._unknown
        count = 0
        was_unknown = False
        for ids in self._every_id(text):
            if unknown not in ids:
                count += len(ids)
                was_unknown = was_unknown and not ids
                continue
            for one in ids:
                count += one != unknown or not was_unknown
                was_unknown = one == unknown
        return count

    def _every_id(self, text: str) -> Iterator[list[int]]:
        start = 0
        for run in _ENCODED.finditer(text):
            yield from self._ids(text, start, run.start())
            yield [self._unknown]
            start = run.end()
        yield from self._ids(text, start, len(text))

    def _ids(self, text: str, start: int, stop: int) -> Iterator[list[int]]:
        for offset, end in _pieces(text, start, stop):
            yield self._tokenizer.encode(text[offset:end], add_special_tokens=False).ids

    def _every_token(self, text: str) -> Iterator[Token]:
        start = 0
        for run in _ENCODED.finditer(text):
            yield from self._words(text, start, run.start())
            yield Token(self._unknown, run.start(), run.end())
            start = run.end()
        yield from self._words(text, start, len(text))

    def _words(self, text: str, start: int, stop: int) -> Iterator[Token]:
        for offset, end in _pieces(text, start, stop):
            encoding = self._tokenizer.encode(text[offset:end], add_special_tokens=False)
            for token_id, (first, last) in zip(encoding.ids, encoding.offsets, strict=True):
                yield Token(token_id, offset + first, offset + last)

    def _window(self, head: tuple[int, ...], start: int, end: int, body: list[Token]) -> Window:
        ids = (t.id for t in body)
        return Window(start, end, (*head, *ids, *self._tail))

    def _is_known(self, ids: tuple[int, ...]) -> bool:
        return any(token_id != self._unknown for token_id in ids)

    def _head(self, prefix: str) -> tuple[int, ...]:
        encoding = self._tokenizer.encode(prefix, add_special_tokens=False)
        return (self._id_of("[CLS]"), *encoding.ids)

    def _id_of(self, token: str) -> int:
        token_id = self._tokenizer.token_to_id(token)
        if token_id is None:
            raise LookupError(token)
        return token_id


def _pieces(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield spans of at most PIECE_CHARACTERS, cut where a word ends if one does."""
    while stop - start > PIECE_CHARACTERS:
        end = limit = start + PIECE_CHARACTERS
        for boundary in _BOUNDARIES:
            if found := boundary.match(text, limit - PIECE_CHARACTERS // 2, limit):
                end = found.end()
                break
        yield start, end
        start = end
    if start < stop:
        yield start, stop

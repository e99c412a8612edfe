"""Which process learns from which sequences, so that none waits long for another: all have about as much to read."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from trainer.sequence import TokenSequence


def balanced(sequences: Sequence[TokenSequence], processes: int) -> list[list[int]]:
    """The places of the sequences that each process takes, in order; the same for the same sequences.

    Those of one prompt go together, the longest first to whoever has least, since a prompt is read once for all of
    them. Then single ones leave the process that has most for the one that has least, as long as the larger of the two
    gets smaller, with the prompt that both have to read then.
    """
    if processes == 1:
        return [list(range(len(sequences)))]
    numbers: dict[tuple[int, ...], int] = {}
    pieces = [
        _Piece(
            place,
            max(0, sequence.read - sequence.prompt_length),
            numbers.setdefault(tuple(sequence.ids[: sequence.prompt_length]), len(numbers)),
            sequence.prompt_length,
        )
        for place, sequence in enumerate(sequences)
    ]
    groups: list[list[_Piece]] = [[] for _ in numbers]
    for piece in pieces:
        groups[piece.prompt].append(piece)
    shares = [_Share() for _ in range(processes)]
    for group in sorted(groups, key=lambda group: -group[0].prompt_length - sum(piece.own for piece in group)):
        least = min(shares, key=_tokens)
        for piece in group:
            least.take(piece)
    while True:
        most, least = max(shares, key=_tokens), min(shares, key=_tokens)
        moves = [(max(most.without(piece), least.with_(piece)), place) for place, piece in enumerate(most.pieces)]
        larger, place = min(moves, default=(most.tokens, 0))
        if larger >= most.tokens:
            return [sorted(piece.place for piece in share.pieces) for share in shares]
        least.take(most.give(place))


@dataclass(frozen=True)
class _Piece:
    """A sequence: its place, the tokens after its prompt, and which prompt that is."""

    place: int
    own: int
    prompt: int
    prompt_length: int


@dataclass
class _Share:
    """What one process has to read."""

    pieces: list[_Piece] = field(default_factory=list)
    tokens: int = 0
    prompts: Counter[int] = field(default_factory=Counter)

    def with_(self, piece: _Piece) -> int:
        """Its tokens with a piece more."""
        return self.tokens + piece.own + (0 if self.prompts[piece.prompt] else piece.prompt_length)

    def without(self, piece: _Piece) -> int:
        """Its tokens with this piece less."""
        return self.tokens - piece.own - (piece.prompt_length if self.prompts[piece.prompt] == 1 else 0)

    def take(self, piece: _Piece) -> None:
        self.tokens = self.with_(piece)
        self.prompts[piece.prompt] += 1
        self.pieces.append(piece)

    def give(self, place: int) -> _Piece:
        piece = self.pieces.pop(place)
        self.tokens = self.without(piece)
        self.prompts[piece.prompt] -= 1
        return piece


def _tokens(share: _Share) -> int:
    return share.tokens

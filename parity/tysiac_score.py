"""What a hand of Tysiac does to the totals, and what the totals do to the match.

*Score* and *Match or hand* of the rules (`envs/tysiac/README.md`).
"""

from dataclasses import dataclass

from talonax.configs.tysiac.schema import Rules
from talonax.parity.game import NOBODY
from talonax.parity.tysiac_pack import TEN
from talonax.parity.tysiac_position import Ending, Position, add

Scores = tuple[int, int]

NO_REWARD = (0.0, 0.0)

#: From here up to the next ten a number is nearer to it, or as near.
HALF = TEN // 2


def rounded(raw: int, rounding: str) -> int:
    """Return a defender's points as tens: `rounding` is the flag of that name."""
    below, over = raw - raw % TEN, raw % TEN
    goes_up = {"up": over > 0, "nearest": over >= HALF, "nearest_down": over > HALF}
    return below + TEN if goes_up[rounding] else below


def locked(total: int, gain: int, lock: int | None) -> int:
    """Return a defender's new total: his gains take him as far as the lock, and no further."""
    if lock is None:
        return total + gain
    return total if total >= lock else min(total + gain, lock)


def score_hand(
    rules: Rules,
    *,
    declarer: int,
    contract: int,
    raw: tuple[int, int],
    doubling: int,
    scores: Scores,
) -> Scores:
    """Return the totals after a hand that was played to its end.

    Args:
      rules: the rules.
      declarer: his seat.
      contract: what he named.
      raw: points in cards and marriages, by seat; returned cards included where they count.
      doubling: 1, 2 or 4.
      scores: the totals before.
    """
    defender = 1 - declarer
    made = raw[declarer] >= contract
    change = (contract if made else -contract) * doubling
    gain = rounded(raw[defender], rules.rounding) * doubling
    declared = scores[declarer] + change
    defended = locked(scores[defender], gain, rules.lock)
    return (declared, defended) if declarer == 0 else (defended, declared)


def scores_after(hand: Position, scores: Scores) -> Scores:
    """Return the totals after a hand that is over, however it ended."""
    if hand.ending is Ending.PASSED_OUT:
        return scores
    if hand.ending is Ending.UNPROVEN:
        return add(scores, hand.auction.bid_by, -hand.auction.high_bid)
    return score_hand(
        hand.rules,
        declarer=hand.declarer,
        contract=hand.contract,
        raw=hand.raw,
        doubling=hand.doubling,
        scores=scores,
    )


@dataclass(frozen=True)
class Verdict:
    """How a match ended.

    Attributes:
      winner: the seat that won it, or -1.
      truncated: whether it was cut short.
    """

    winner: int
    truncated: bool = False

    @property
    def payment(self) -> tuple[float, float]:
        """What that pays each player under `reward: win`."""
        if self.winner == NOBODY:
            return NO_REWARD
        return (1.0, -1.0) if self.winner == 0 else (-1.0, 1.0)


def verdict_after(rules: Rules, hands: int, scores: Scores, declarer: int) -> Verdict | None:
    """Return how a match has ended, or None if it goes on.

    Args:
      rules: the rules.
      hands: how many hands it has had.
      scores: the totals.
      declarer: of the hand that was just scored; -1 if it had none.
    """
    ahead = NOBODY if scores[0] == scores[1] else int(scores[1] > scores[0])
    if rules.hands:
        return Verdict(ahead) if hands >= rules.hands else None
    # Without a lock both may have passed the target: the declarer is counted first.
    for player in (1, 0) if declarer == 1 else (0, 1):
        if scores[player] >= rules.target:
            return Verdict(player)
    return Verdict(ahead, truncated=True) if hands >= rules.max_hands else None

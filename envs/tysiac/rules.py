"""The rules of Tysiac as pure functions of a position (`README.md`: the same in words).

A step decides first (`decide`: what the action does, who wins what), then every field follows from
the decision (`carry_out`). What a hand that is over counts is in `score.py`.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.tysiac.schema import Rules
from talonax.envs import cards, pairs, tricks
from talonax.envs.planes import SUITS
from talonax.envs.tysiac.marriages import lowest_of, marriages_in, pair_of, proving
from talonax.envs.tysiac.state import (
    AUCTION,
    BID,
    BOMB,
    BOMBING,
    CHALLENGE,
    CONTRACT,
    CONTRACTING,
    DECLARE,
    FIRST_MUSIK,
    FREE_BID,
    HAND,
    KING,
    LAST_BID,
    LAST_CONTRACT,
    MUSIK,
    NO_CARD,
    OPENING,
    PACK,
    PASS,
    PLAYING,
    QUEEN,
    REBOMB,
    REBOMBING,
    RETURNING,
    TAKE,
    TAKING,
    TEN,
    TRICKS,
    Dealt,
    TysiacState,
    marriage_of,
    points_of,
    small,
)

_OPENING, _LAST_BID, _FREE_BID = OPENING // TEN, LAST_BID // TEN, FREE_BID // TEN
_CONTRACTS = (LAST_CONTRACT - OPENING) // TEN + 1


def duty(rules: Rules) -> tricks.Obligations:
    """Return what the follower must do."""
    return tricks.Obligations(follow=True, head=True, trump_when_void=rules.must_trump_when_void)


def lay_out(deck: Array) -> Dealt:
    """Lay out a deck, int32[24]: ten cards each, two musiki of two."""
    first, second = FIRST_MUSIK, FIRST_MUSIK + MUSIK
    piles = (deck[:HAND], deck[HAND:first], deck[first:second], deck[second:])
    sets = [cards.union_of(pile, PACK.size) for pile in piles]
    return Dealt(hands=(sets[0], sets[1]), musiks=(sets[2], sets[3]))


def may_be_challenged(rules: Rules, state: TysiacState) -> Array:
    """Return bool[]: the standing bid needs a marriage, and none that suffices was shown."""
    if rules.proof == "auto":
        return jnp.zeros_like(state.terminated)
    assert state.shown is not None
    covered = pairs.of(state.shown, state.bid_by) & proving(state.high_bid) != 0
    return (state.phase == AUCTION) & (state.high_bid > _FREE_BID) & ~covered


# What may be done -------------------------------------------------------------------------------


def legal_set(rules: Rules, state: TysiacState) -> Array:
    """Return uint32[3]: the set of legal actions."""
    hand = pairs.of(state.hands, state.current_player)
    played, declared = _playable(rules, state, hand)
    passes, raised, challenges = _biddable(rules, state, hand)
    takes = _when(state.phase == TAKING, 0b11)
    contracts = _when(
        state.phase == CONTRACTING, _contracts_from(state.high_bid.astype(jnp.int32) - _OPENING)
    )
    window = (state.phase == BOMBING) | (state.phase == REBOMBING)
    bomb, rebomb = state.phase == BOMBING, state.phase == REBOMBING
    word = cards.WORD
    return jnp.stack(
        [
            played | declared << DECLARE,
            _when(passes | window, 1)
            | raised << BID - word
            | takes << TAKE - word
            | contracts << CONTRACT - word,
            contracts >> 2 * word - CONTRACT
            | _when(bomb, 1 << BOMB - 2 * word)
            | _when(rebomb, 1 << REBOMB - 2 * word)
            | _when(challenges, 1 << CHALLENGE - 2 * word),
        ]
    )


def _playable(rules: Rules, state: TysiacState, hand: Array) -> tuple[Array, Array]:
    """Return the cards that may be played or returned, and the eight declarations as bits."""
    led, playing = state.table.astype(jnp.int32), state.phase == PLAYING
    replies = tricks.replies(PACK, duty(rules), hand, led, led, state.trump)
    cards_ = jnp.where(playing & ~state.leading, replies, hand)
    held, declared = marriages_in(hand), jnp.uint32(0)
    for suit in range(SUITS):
        declared = declared | (held >> suit & 1) * (0b11 << 2 * suit)
    free = playing | (state.phase == RETURNING)
    return _when(free, cards_), _when(playing & state.leading, declared)


def _biddable(rules: Rules, state: TysiacState, hand: Array) -> tuple[Array, Array, Array]:
    """Return whether passing is legal, the bids that are as bits, and whether challenging is."""
    auction = state.phase == AUCTION
    opened = state.high_bid > 0
    following = jnp.where(opened, state.high_bid + 1, _OPENING)
    may_raise = following <= _LAST_BID
    if rules.proof == "auto":
        may_raise = may_raise & (
            (following <= _FREE_BID) | (marriages_in(hand) & proving(following) != 0)
        )
    place = (following - _OPENING).astype(jnp.uint32)
    bids = _when(auction & may_raise, jnp.uint32(1) << place)
    passes = auction if not rules.forced_open else auction & opened
    return passes, bids, may_be_challenged(rules, state)


def _contracts_from(lowest: Array) -> Array:
    """Return the contracts from the `lowest` (0 is 100) up to 400 as bits."""
    lower: Array = (jnp.uint32(1) << lowest.astype(jnp.uint32)) - 1
    contracts: Array = jnp.uint32(2**_CONTRACTS - 1) & ~lower
    return contracts


# What an action does ----------------------------------------------------------------------------


class Talk(NamedTuple):
    """What an action does before play, decided once.

    Attributes:
      seat: int32[], who acts.
      bids: bool[], raises to the next bid.
      passes: bool[], ends the auction as the one who does not play; with no bid, ends the hand.
      challenges: bool[], asks for the marriage behind the standing bid.
      proven: bool[], it is shown; meaningful only where `challenges`.
      proof: int32[], its suit.
      takes: bool[], takes a musik.
      musik: int32[], which.
      returns: bool[], returns a card.
      card: int32[], the card returned or played, 0 if none is.
      contracts: bool[], names the contract.
      contract: int32[], in tens.
      bombs: bool[], doubles.
      rebombs: bool[], doubles again.
      closes: bool[], the bomb window is over and play begins.
    """

    seat: Array
    bids: Array
    passes: Array
    challenges: Array
    proven: Array
    proof: Array
    takes: Array
    musik: Array
    returns: Array
    card: Array
    contracts: Array
    contract: Array
    bombs: Array
    rebombs: Array
    closes: Array


class Trick(NamedTuple):
    """What an action does in play, decided once.

    Attributes:
      leads: bool[], lays a card on the empty table.
      follows: bool[], lays the second card and completes the trick.
      declares: bool[], declares the marriage of the card led.
      winner: int32[], who wins the trick; meaningful only where `follows`.
      worth: int32[], its card points.
      over: bool[], the hand is over, played or not.
    """

    leads: Array
    follows: Array
    declares: Array
    winner: Array
    worth: Array
    over: Array


TALK_BITS = {"seat": 1, "proof": 2, "musik": 1, "card": 5, "contract": 6}
TRICK_BITS = {"winner": 1, "worth": 5}


def talk_of(rules: Rules, state: TysiacState, action: Array) -> Talk:
    """Decide what an action does outside play; `IDLE` does nothing."""
    phase, seat = state.phase, state.current_player
    window = (phase == BOMBING) | (phase == REBOMBING)
    passes = action == PASS
    bombs, rebombs = action == BOMB, action == REBOMB
    contracts = (action >= CONTRACT) & (action < BOMB)
    challenges = action == CHALLENGE
    suffices = proving(state.high_bid) & marriages_in(pairs.of(state.hands, state.bid_by))
    has_card = (action >= 0) & (action < PASS)
    opened_to_bomb = bombs & rules.bomba.allow_redouble
    return Talk(
        seat=seat & 1,
        bids=(action >= BID) & (action < TAKE),
        passes=passes & (phase == AUCTION),
        challenges=challenges,
        proven=challenges & (suffices != 0),
        proof=lowest_of(suffices) & (SUITS - 1),
        takes=(action == TAKE) | (action == TAKE + 1),
        musik=action - TAKE & 1,
        returns=has_card & (phase == RETURNING),
        card=jnp.where(has_card, _card_of(action), 0),
        contracts=contracts,
        contract=jnp.where(contracts, action - CONTRACT + _OPENING, 0),
        bombs=bombs,
        rebombs=rebombs,
        closes=passes & window | rebombs | bombs & ~opened_to_bomb | _no_window(rules, contracts),
    )


def _no_window(rules: Rules, contracts: Array) -> Array:
    return jnp.zeros_like(contracts) if rules.bomba.enabled else contracts


def _card_of(action: Array) -> Array:
    """Return the card that an action plays, plainly or declaring."""
    declared = action - DECLARE
    card = PACK.card(declared >> 1, KING - (declared & 1))
    return jnp.where(declared >= 0, card, action)


def trick_of(state: TysiacState, action: Array, talk: Talk) -> Trick:
    """Decide what an action does in play, and whether it ends the hand."""
    plays = (action >= 0) & (action < PASS) & (state.phase == PLAYING)
    follows = plays & ~state.leading
    led = state.table.astype(jnp.int32)
    beaten = tricks.beats(PACK, talk.card, led, state.trump)
    winner = jnp.where(beaten, talk.seat, 1 - talk.seat)
    lost_challenge = talk.challenges & ~talk.proven
    passed_out = talk.passes & (state.high_bid == 0)
    last = follows & (state.tricks_done == TRICKS - 1)
    return Trick(
        leads=plays & state.leading,
        follows=follows,
        declares=plays & (action >= DECLARE),
        winner=winner & 1,
        worth=jnp.where(follows, points_of(talk.card) + points_of(led), 0),
        over=last | lost_challenge | passed_out,
    )


# What follows from it ---------------------------------------------------------------------------


def carry_out(rules: Rules, state: TysiacState, talk: Talk, trick: Trick) -> TysiacState:
    """Return the position after an action, in the same hand."""
    after: TysiacState = state.replace(
        **_auction(state, talk),
        **_turn(state, talk, trick),
        **_cards(rules, state, talk, trick),
        **_counts(state, talk, trick),
    )
    return after


def _auction(state: TysiacState, talk: Talk) -> dict[str, Any]:
    doubled = jnp.where(talk.bombs | talk.rebombs, 2 * state.doubling, state.doubling)
    opened = jnp.where(state.high_bid > 0, state.high_bid + 1, small(_OPENING))
    changes: dict[str, Any] = {
        "high_bid": jnp.where(talk.bids, opened, state.high_bid),
        "bid_by": jnp.where(talk.bids, small(talk.seat), state.bid_by),
        "taken": jnp.where(talk.takes, small(talk.musik), state.taken),
        "contract": jnp.where(talk.contracts, small(talk.contract), state.contract),
        "doubling": doubled,
    }
    if state.shown is not None and state.lacking is not None:
        shown = _when(talk.proven, 1 << talk.proof)
        # The lowest that suffices is shown: what would suffice and lies below it is not held
        lower = jnp.where(talk.proven, shown - 1, 2**SUITS - 1)
        lacking = _when(talk.challenges, proving(state.high_bid) & lower)
        changes["shown"] = pairs.join(state.shown, 1 - talk.seat, shown.astype(jnp.uint8))
        changes["lacking"] = pairs.join(state.lacking, 1 - talk.seat, lacking.astype(jnp.uint8))
    return changes


def _turn(state: TysiacState, talk: Talk, trick: Trick) -> dict[str, Any]:
    """Who is to move, and in which phase."""
    declarer = state.bid_by.astype(jnp.int32)
    last_return = talk.returns & (state.returned != 0)
    phase = state.phase
    for happened, following in (
        (talk.passes & (state.high_bid > 0), TAKING),
        (talk.takes, RETURNING),
        (last_return, CONTRACTING),
        (talk.contracts, BOMBING),
        (talk.bombs, REBOMBING),
        (talk.closes, PLAYING),
    ):
        phase = jnp.where(happened, small(following), phase)
    seat = state.current_player
    to_move = jnp.where(talk.bids | trick.leads, 1 - seat, seat)
    to_move = jnp.where(talk.passes | talk.bombs | talk.closes, declarer, to_move)
    to_move = jnp.where(talk.contracts & ~talk.closes, 1 - seat, to_move)
    leader = jnp.where(talk.closes, state.bid_by, state.leader)
    return {
        "phase": phase,
        "current_player": jnp.where(trick.follows, trick.winner, to_move),
        "leader": jnp.where(trick.follows, small(trick.winner), leader),
    }


def _cards(rules: Rules, state: TysiacState, talk: Talk, trick: Trick) -> dict[str, Any]:
    """Where the cards are, and what the other seat knows of them."""
    seat = talk.seat
    card = cards.single(talk.card, PACK.size)
    musik = _when(talk.takes, jnp.where(talk.musik == 0, state.musiks[0], state.musiks[1]))
    laid = _when(trick.leads | trick.follows, card)
    given = _when(talk.returns, card)
    partner = PACK.card(PACK.suit(talk.card), KING + QUEEN - PACK.rank(talk.card))
    shown = musik | _when(trick.declares, cards.single(partner, PACK.size))

    # Once the taker has returned two, what he took and what he had shown may be among them
    forgotten = talk.returns & (state.returned != 0)
    kept = _when(~forgotten, 2**PACK.size - 1)
    known = pairs.update(state.known, seat, lambda old: (old & kept | shown) & ~laid)
    proof = _when(talk.proven, pair_of(talk.proof))
    led = state.table.astype(jnp.int32)
    lacking = tricks.not_held(PACK, duty(rules), talk.card, led, led, state.trump)
    return {
        "hands": pairs.flip(state.hands, seat, musik | laid | given),
        "returned": state.returned | given,
        "played": pairs.join(state.played, seat, laid),
        "known": pairs.join(known, 1 - seat, proof),
        "denied": pairs.join(state.denied, seat, _when(trick.follows, lacking)),
        "table": jnp.where(
            trick.leads,
            small(talk.card),
            jnp.where(trick.follows, small(NO_CARD), state.table),
        ),
        "last": (
            jnp.where(trick.follows, state.table, state.last[0]),
            jnp.where(trick.follows, small(talk.card), state.last[1]),
        ),
    }


def _counts(state: TysiacState, talk: Talk, trick: Trick) -> dict[str, Any]:
    """A declaration counts at once, and its suit is trump in this very trick."""
    suit = PACK.suit(talk.card)
    married = jnp.where(trick.declares, marriage_of(suit), 0)
    bit = _when(trick.declares, 1 << suit).astype(jnp.uint8)
    points = pairs.add(state.points, talk.seat, married)
    return {
        "trump": jnp.where(trick.declares, small(suit), state.trump),
        "declared": pairs.join(state.declared, talk.seat, bit),
        "points": pairs.add(points, trick.winner, trick.worth),
        "tricks": pairs.add(state.tricks, trick.winner, trick.follows.astype(jnp.int8)),
    }


def _when(condition: Array, bits: ArrayLike) -> Array:
    """Return `bits` as uint32[] where the condition holds, else the empty set."""
    return jnp.where(condition, jnp.asarray(bits).astype(jnp.uint32), jnp.uint32(0))

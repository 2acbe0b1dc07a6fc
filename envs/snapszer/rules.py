"""The rules of Snapszer as pure functions of a position (`README.md`: the same in words).

A step is a chain of small moves, each masked by whether it is made: exchange, close, lead, follow,
draw. Nothing branches on traced values; Python branches on the rules, so that a profile compiles to
its own kernel.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.snapszer.schema import Rules
from talonax.envs import cards, pairs, tricks
from talonax.envs.pairs import Pair
from talonax.envs.planes import SUITS
from talonax.envs.snapszer.state import (
    KING,
    NO_CARD,
    QUEEN,
    SCHNEIDER,
    SIXTY_SIX,
    Dealt,
    Sizes,
    SnapszerState,
    small,
)
from talonax.envs.stage import settle

STRICT_DUTY = tricks.Obligations(follow=True, head=True, trump_when_void=True)

MARRIAGE_POINTS, TRUMP_MARRIAGE_POINTS = 20, 40
#: Actions that declare a marriage: the K and the Q of each suit.
DECLARATIONS = 2 * SUITS


def lay_out(sizes: Sizes, deck: Array) -> Dealt:
    """Lay out a deck, int32[cards]: two hands, the turned-up card, the stock."""
    hand, turned_up = sizes.hand, 2 * sizes.hand
    return Dealt(
        hands=(
            cards.union_of(deck[:hand], sizes.num_cards),
            cards.union_of(deck[hand:turned_up], sizes.num_cards),
        ),
        stock=sizes.queue.fill(deck[turned_up + 1 :]),
        turned_up=small(deck[turned_up]),
    )


def trump_of(sizes: Sizes, state: SnapszerState) -> Array:
    """Return int32[]: the trump suit."""
    return sizes.pack.suit(state.turned_up)


# What may be done -------------------------------------------------------------------------------


def legal_set(rules: Rules, sizes: Sizes, state: SnapszerState) -> Array:
    """Return the set of legal actions: uint32[], or uint32[2] where there are more than 32."""
    hand = pairs.of(state.hands, state.current_player)
    legal = playable(sizes, state, hand)
    legal = legal | _when(may_exchange(rules, sizes, state, hand), 1 << sizes.exchange)
    if rules.closing:
        legal = legal | _when(may_close(rules, state), 1 << sizes.close)
    if rules.marriage_declare == "auto":
        return legal
    declared = declarable(rules, sizes, state, hand)
    legal = legal | declared << sizes.declare
    if sizes.declare + DECLARATIONS <= cards.WORD:
        return legal
    return jnp.stack([legal, declared >> cards.WORD - sizes.declare])


def playable(sizes: Sizes, state: SnapszerState, hand: Array) -> Array:
    """Return the cards of `hand` that may be played: any, but for replies in the strict phase."""
    led = state.table.astype(jnp.int32)
    strict = tricks.replies(sizes.pack, STRICT_DUTY, hand, led, led, trump_of(sizes, state))
    return jnp.where(state.leading | ~state.strict, hand, strict)


def may_exchange(rules: Rules, sizes: Sizes, state: SnapszerState, hand: Array) -> Array:
    """Leading, not strict, enough face-down cards, and the lowest trump in hand."""
    lowest_trump = sizes.pack.card(trump_of(sizes, state), sizes.lowest)
    enough = state.stock_left >= max(1, rules.exchange_min_stock)
    holds = _holds(hand, lowest_trump)
    return state.leading & ~state.closed & enough & holds


def may_close(rules: Rules, state: SnapszerState) -> Array:
    """Leading, not strict, enough face-down cards."""
    return state.leading & ~state.closed & (state.stock_left >= rules.close_min_stock)


def declarable(rules: Rules, sizes: Sizes, state: SnapszerState, hand: Array) -> Array:
    """Return uint32[]: bit `2 * suit + (0 for the K, 1 for the Q)` for each declaration allowed."""
    may = state.leading & marriages_count(rules, state)
    king_alone, either = 0b01, 0b11
    leads = king_alone if rules.marriage_lead == "king" else either
    declared: Array = jnp.uint32(0)
    for suit in range(SUITS):
        pair = 1 << suit * sizes.pack.ranks + KING | 1 << suit * sizes.pack.ranks + QUEEN
        declared = declared | _when(may & (hand & pair == pair), leads << 2 * suit)
    return declared


def marriages_count(rules: Rules, state: SnapszerState) -> Array:
    """Return bool[]: may marriages be scored in this phase?"""
    if rules.marriage_when_strict:
        return jnp.ones_like(state.terminated)
    return ~state.strict


# A move -----------------------------------------------------------------------------------------


class Deed(NamedTuple):
    """What an action does, decided once; every field of the next position follows from it.

    Attributes:
      seat: int32[], who acts.
      card: int32[], the card played; 0 if none is.
      exchanges: bool[], swaps the lowest trump with the turned-up card.
      closes: bool[], closes the talon.
      leads: bool[], lays a card on the empty table. A marriage that wins at once does not.
      follows: bool[], lays the second card and completes the trick.
      scores: bool[], scores the marriage of the card led.
      trump: bool[], that marriage is of trumps.
      worth: int32[], card points of the trick.
      winner: int32[], who wins the trick; meaningful only where `follows`.
      draws: bool[], both draw from the stock.
      over: bool[], the deal is over.
      deal_winner: int32[], who won it; this and the next three are meaningful only where `over`.
      game_points: int32[], for how many game points.
      by_sixty_six: bool[], because a player had 66.
      closer_failed: bool[], because the closer failed.
    """

    seat: Array
    card: Array
    exchanges: Array
    closes: Array
    leads: Array
    follows: Array
    scores: Array
    trump: Array
    worth: Array
    winner: Array
    draws: Array
    over: Array
    deal_winner: Array
    game_points: Array
    by_sixty_six: Array
    closer_failed: Array


def decide(rules: Rules, sizes: Sizes, state: SnapszerState, action: Array) -> Deed:
    """Decide all that a legal action does; `IDLE` does nothing."""
    seat, trump_suit = state.current_player, trump_of(sizes, state)
    card, declares = card_of(sizes, action)
    plays = (action >= 0) & (action < sizes.exchange) | declares
    leads, follows = plays & state.leading, plays & ~state.leading

    scores = leads & marriage_scored(rules, sizes, state, card, declares)
    trump = sizes.pack.suit(card) == trump_suit
    points = pairs.add(
        state.points, seat, credited_now(rules, state, marriage_worth(scores, trump))
    )
    won_leading = jnp.bool_(False)
    if rules.sixty_six == "at_once":
        won_leading = scores & (pairs.of(points, seat) >= SIXTY_SIX)

    led = state.table.astype(jnp.int32)
    winner = jnp.where(tricks.beats(sizes.pack, card, led, trump_suit), seat, 1 - seat)
    worth = jnp.where(follows, sizes.points(card) + sizes.points(led), 0)
    points = pairs.add(points, winner, worth + waiting_for(state, winner, follows))
    won = pairs.add(state.tricks, winner, follows.astype(jnp.int8))
    last_cards = state.hands[0] | state.hands[1]
    hands_out = last_cards == cards.single(card, sizes.num_cards)
    ending = end(rules, sizes, state, Count(points, won), won_leading, follows, winner, hands_out)
    return Deed(
        seat=seat & 1,
        card=jnp.where(plays, card, 0),
        exchanges=action == sizes.exchange,
        closes=action == sizes.close,
        leads=leads & ~won_leading,
        follows=follows,
        scores=scores,
        trump=trump,
        worth=worth,
        winner=winner & 1,
        draws=follows & ~ending.over & ~state.strict,
        over=ending.over,
        deal_winner=ending.winner & 1,
        game_points=ending.game_points,
        by_sixty_six=ending.by_sixty_six,
        closer_failed=ending.closer_failed,
    )


def settled_deed(rules: Rules, sizes: Sizes, state: SnapszerState, action: Array) -> Deed:
    """Return the deed of `decide`, worked out once."""
    deed = decide(rules, sizes, state, action)
    return settle(deed, seat=1, card=5, worth=5, winner=1, deal_winner=1, game_points=2)


def card_of(sizes: Sizes, action: Array) -> tuple[Array, Array]:
    """Return int32[] the card that an action plays, and bool[] whether it declares a marriage."""
    declared = action - sizes.declare
    declares = declared >= 0
    card = sizes.pack.card(declared >> 1, KING + (declared & 1))
    return jnp.where(declares, card, action), declares


def partner_of(sizes: Sizes, card: Array) -> Array:
    """Return int32[]: the queen of a king's suit, the king of a queen's."""
    return card + jnp.where(sizes.pack.rank(card) == KING, 1, -1)


def marriage_scored(
    rules: Rules, sizes: Sizes, state: SnapszerState, card: Array, declares: Array
) -> Array:
    """Return bool[]: does leading this card score the marriage of its suit?"""
    if rules.marriage_declare == "optional":
        return declares
    rank = sizes.pack.rank(card)
    of_pair = rank == KING
    if rules.marriage_lead == "either":
        of_pair = of_pair | (rank == QUEEN)
    hand = pairs.of(state.hands, state.current_player)
    holds_partner = _holds(hand, partner_of(sizes, card))
    return of_pair & holds_partner & marriages_count(rules, state)


def marriage_worth(scores: Array, trump: Array) -> Array:
    """Return int32[]: the points of a marriage, 0 where none is scored."""
    worth = jnp.where(trump, TRUMP_MARRIAGE_POINTS, MARRIAGE_POINTS)
    return jnp.where(scores, worth, 0)


def credited_now(rules: Rules, state: SnapszerState, worth: Array) -> Array:
    """Return the part of the marriage's points that counts at once (the rest is pending)."""
    if rules.marriage_points == "at_once":
        return worth
    if rules.marriage_points == "next_trick":
        return jnp.zeros_like(worth)
    has_a_trick = pairs.of(state.tricks, state.current_player) > 0
    return jnp.where(has_a_trick, worth, 0)


def waiting_for(state: SnapszerState, winner: Array, follows: Array) -> Array:
    """Return int32[]: the pending points that the trick's winner is credited with."""
    if state.pending is None:
        return jnp.zeros_like(winner)
    return jnp.where(follows, pairs.of(state.pending, winner), 0)


# The end of a deal ------------------------------------------------------------------------------


class Count(NamedTuple):
    """Points and tricks of both seats once the action has been counted."""

    points: Pair
    tricks: Pair


class Ending(NamedTuple):
    """How a deal ended: see the fields of the same names in `Deed`."""

    over: Array
    winner: Array
    game_points: Array
    by_sixty_six: Array
    closer_failed: Array


def end(
    rules: Rules,
    sizes: Sizes,
    state: SnapszerState,
    count: Count,
    won_leading: Array,
    trick_ends: Array,
    trick_winner: Array,
    hands_out: Array,
) -> Ending:
    """Decide whether the deal is over, who won it, and for how many game points."""
    has_won = count.points[0] >= SIXTY_SIX, count.points[1] >= SIXTY_SIX
    by_sixty_six = won_leading | trick_ends & (has_won[0] | has_won[1])
    all_tricks = ~by_sixty_six & (pairs.of(count.tricks, trick_winner) == sizes.tricks)
    last_trick = trick_ends & ~by_sixty_six & ~all_tricks & hands_out

    # Whoever scored last comes first, should both have 66 (`sixty_six: after_trick`)
    scorer = jnp.where(won_leading, state.current_player, trick_winner)
    winner = jnp.where(by_sixty_six & ~pairs.of(has_won, scorer), 1 - scorer, scorer)
    failed = last_trick & state.closed
    winner = jnp.where(failed, 1 - state.closed_by.astype(jnp.int32), winner)
    if rules.closer_beaten == "fails":
        failed = failed | by_sixty_six & state.closed & (winner != state.closed_by)
    worth = table_points(rules, state, count, winner, all_tricks)
    if rules.last_trick == "wins_one":
        worth = jnp.where(last_trick, 1, worth)
    return Ending(
        over=by_sixty_six | trick_ends & (all_tricks | hands_out),
        winner=winner,
        game_points=jnp.where(failed, fail_points(rules, state), worth).astype(jnp.int32),
        by_sixty_six=by_sixty_six,
        closer_failed=failed,
    )


def table_points(
    rules: Rules, state: SnapszerState, count: Count, winner: Array, all_tricks: Array
) -> Array:
    """Return int32[]: 3 against a loser with nothing, 2 against one below 33, else 1."""
    tricks_lost = pairs.other(count.tricks, winner).astype(jnp.int32)
    points_lost = pairs.other(count.points, winner)
    if rules.stake_at == "closing" and state.closed_tricks is not None:
        closer_won = state.closed & (winner == state.closed_by)
        tricks_lost = jnp.where(closer_won, state.closed_tricks, tricks_lost)
        assert state.closed_points is not None
        points_lost = jnp.where(closer_won, state.closed_points, points_lost)
    nothing = points_lost if rules.three_when == "no_points" else tricks_lost
    worth = jnp.where(points_lost < SCHNEIDER, 2, 1)
    return jnp.where((nothing == 0) | all_tricks, 3, worth)


def fail_points(rules: Rules, state: SnapszerState) -> ArrayLike:
    """Return what a failed closing costs."""
    if not needs_stake(rules):
        return rules.closer_fail_points
    trickless = state.closed_tricks == 0
    return jnp.where(trickless, rules.closer_fail_points_trickless, rules.closer_fail_points)


# What follows from a deed -----------------------------------------------------------------------


def carry_out(rules: Rules, sizes: Sizes, state: SnapszerState, deed: Deed) -> SnapszerState:
    """Return the position after a deed, in the same deal."""
    trick = state.tricks_done.astype(jnp.int32)
    leads_next = deed.follows & ~(deed.over & deed.by_sixty_six)
    to_move = jnp.where(deed.leads, 1 - deed.seat, state.current_player)
    return _replace(
        state,
        current_player=jnp.where(deed.follows, deed.winner, to_move),
        leader=jnp.where(leads_next, small(deed.winner), state.leader),
        table=_table(state, deed),
        leads=state.leads | _when(deed.leads, deed.seat << trick).astype(jnp.uint16),
        record=_recorded(sizes, state, deed, trick),
        tricks=pairs.add(state.tricks, deed.winner, deed.follows.astype(jnp.int8)),
        closed_by=jnp.where(deed.closes, small(deed.seat), state.closed_by),
        **_hands(sizes, state, deed),
        **_stock(sizes, state, deed),
        **_points(rules, sizes, state, deed),
        **_at_closing(state, deed),
    )


def _table(state: SnapszerState, deed: Deed) -> Array:
    cleared = jnp.where(deed.follows, small(NO_CARD), state.table)
    return jnp.where(deed.leads, small(deed.card), cleared)


def _recorded(sizes: Sizes, state: SnapszerState, deed: Deed, trick: Array) -> tuple[Pair, Pair]:
    plays = deed.leads | deed.follows
    first, second = state.record
    return (
        sizes.queue.put(first, trick, _or_zero(plays & (deed.seat == 0), deed.card)),
        sizes.queue.put(second, trick, _or_zero(plays & (deed.seat == 1), deed.card)),
    )


def _hands(sizes: Sizes, state: SnapszerState, deed: Deed) -> dict[str, Any]:
    """Cards leave a hand for the table, and come from the stock and the exchange."""
    size = sizes.num_cards
    turned_up = cards.single(state.turned_up, size)
    lowest_trump = cards.single(sizes.pack.card(trump_of(sizes, state), sizes.lowest), size)
    laid = _when(deed.leads | deed.follows, cards.single(deed.card, size))
    taken = _when(deed.exchanges, turned_up)
    moved = laid | taken | _when(deed.exchanges, lowest_trump)

    last = state.stock_left == 1
    for_winner = _when(deed.draws, cards.single(sizes.queue.peek(state.stock, 0), size))
    second = cards.single(sizes.queue.peek(state.stock, 1), size)
    for_loser = _when(deed.draws, jnp.where(last, turned_up, second))
    hands = pairs.flip(state.hands, deed.seat, moved)
    hands = pairs.join(pairs.join(hands, deed.winner, for_winner), 1 - deed.winner, for_loser)

    # What the opponent knows of them: the card exchanged, the pair shown, the turned-up card drawn
    shown = _when(deed.scores, cards.single(partner_of(sizes, deed.card), size))
    shown = shown | _when(deed.scores & ~deed.leads, cards.single(deed.card, size)) | taken
    known = state.known[0] & ~laid, state.known[1] & ~laid
    known = pairs.join(known, deed.seat, shown)
    drawn_openly = _when(deed.draws & last, turned_up)
    return {"hands": hands, "known": pairs.join(known, 1 - deed.winner, drawn_openly)}


def _stock(sizes: Sizes, state: SnapszerState, deed: Deed) -> dict[str, Any]:
    left = jnp.where(deed.draws, jnp.maximum(state.stock_left - 2, 0), state.stock_left)
    lowest_trump = small(sizes.pack.card(trump_of(sizes, state), sizes.lowest))
    when = 2 * state.tricks_done + small(deed.seat)
    return {
        "stock": sizes.queue.drop(state.stock, 2, deed.draws),
        "stock_left": left,
        "turned_up": jnp.where(deed.exchanges, lowest_trump, state.turned_up),
        "exchanged": jnp.where(deed.exchanges, state.turned_up, state.exchanged),
        "exchanged_at": jnp.where(deed.exchanges, when, state.exchanged_at),
    }


def _points(rules: Rules, sizes: Sizes, state: SnapszerState, deed: Deed) -> dict[str, Any]:
    """The marriage counts now or is pending; the trick's winner gets its cards and what waited."""
    scored = marriage_worth(deed.scores, deed.trump)
    suit = _when(deed.scores, 1 << sizes.pack.suit(deed.card)).astype(jnp.uint8)
    now = credited_now(rules, state, scored)
    due = waiting_for(state, deed.winner, deed.follows)
    points = pairs.add(state.points, deed.seat, now)
    changes: dict[str, Any] = {
        "points": pairs.add(points, deed.winner, deed.worth + due),
        "marriages": pairs.join(state.marriages, deed.seat, suit),
    }
    if state.pending is not None:
        pending = pairs.add(state.pending, deed.seat, scored - now)
        changes["pending"] = pairs.add(pending, deed.winner, -due)
    return changes


def _at_closing(state: SnapszerState, deed: Deed) -> dict[str, Any]:
    if state.closed_tricks is None:
        return {}
    tricks_then = pairs.other(state.tricks, deed.seat)
    points_then = pairs.other(state.points, deed.seat)
    assert state.closed_points is not None
    return {
        "closed_tricks": jnp.where(deed.closes, tricks_then, state.closed_tricks),
        "closed_points": jnp.where(deed.closes, points_then, state.closed_points),
    }


def tally(rules: Rules, sizes: Sizes, state: SnapszerState, action: Array) -> dict[str, Array]:
    """Return int32[] counts of what a legal action did, and of how deals end."""
    deed = settled_deed(rules, sizes, state, action)
    sixty_six = deed.over & deed.by_sixty_six
    counted = {
        "deals": deed.over,
        "closed": deed.closes,
        "exchanged": deed.exchanges,
        "marriages": deed.scores & ~deed.trump,
        "trump marriages": deed.scores & deed.trump,
        "ended by a marriage": sixty_six & ~deed.follows,
        "ended by a trick": sixty_six & deed.follows,
        "ended by the last trick": deed.over & ~deed.by_sixty_six,
        "closer failed": deed.over & deed.closer_failed,
    }
    for points in (1, 2, 3):
        counted[f"paid {points}"] = deed.over & (deed.game_points == points)
    return {name: happened.astype(jnp.int32) for name, happened in counted.items()}


def needs_stake(rules: Rules) -> bool:
    """Return whether the position at closing can matter: then the state remembers it."""
    trickless_differs = rules.closer_fail_points != rules.closer_fail_points_trickless
    return rules.closing and (rules.stake_at == "closing" or trickless_differs)


def first_leader_of_deal(state: SnapszerState) -> Array:
    """Return int32[]: who led the first trick; the leader still, if no trick is done."""
    recorded = (state.leads & 1).astype(jnp.int32)
    return jnp.where(state.tricks_done == 0, state.leader.astype(jnp.int32), recorded)


def _holds(hand: Array, card: Array) -> Array:
    return (hand >> (card & (cards.WORD - 1)).astype(jnp.uint32)) & 1 != 0


def _or_zero(condition: Array, card: Array) -> Array:
    return jnp.where(condition, card, 0)


def _when(condition: Array, bits: ArrayLike) -> Array:
    """Return `bits` as uint32[] where the condition holds, else the empty set."""
    return jnp.where(condition, jnp.asarray(bits).astype(jnp.uint32), jnp.uint32(0))


def _replace(state: SnapszerState, **changes: Any) -> SnapszerState:
    changed: SnapszerState = state.replace(**changes)
    return changed

"""What always holds in Blob on the env, whatever the deck, the table and the choices.

The rules are told a second time here, in a few lines of sets, and held against every step.
"""

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.slow

SUIT = 13
#: Rules by number of players; each is compiled once.
FLAGS: dict[int, dict[str, Any]] = {
    3: {"reward": "relative", "score": "exact_or_tricks"},
    5: {"hook": False, "reward": "normalised"},
    8: {},
}

#: Where it is tried that a redeal knows no more than the player: it takes long to compile.
REDEALT = 5


@cache
def compiled(env: Any) -> Any:
    """Return what plays a game by choices; of batches: what a player sees, a redeal, the masks."""

    def play(deck: Any, table: dict[str, Any], choices: Any) -> Any:
        def step(state: Any, choice: Any) -> Any:
            mask = env.legal_action_mask(state)
            action = jnp.argmax(jnp.cumsum(mask) == choice % mask.sum() + 1)
            planes = jax.vmap(env.card_tensor, (None, 0))(state, jnp.arange(env.num_players))
            return env.step(state, action), (state, env.facts(state), mask, action, planes)

        return jax.lax.scan(step, env.deal(deck, **table), choices)[1]

    def show(state: Any, player: Any) -> Any:
        return env.observe(state, player), env.card_tensor(state, player)

    def redeal(state: Any, player: Any) -> Any:
        return env.redeal(state, player, jax.random.key(7))

    every = (show, redeal, env.legal_action_mask)
    return jax.jit(play), *(jax.jit(jax.vmap(each)) for each in every)


def members(words: Any) -> set[int]:
    bits = int(words[0]) | int(words[1]) << 32
    return {card for card in range(52) if bits >> card & 1}


def by_seat(words: Any) -> list[set[int]]:
    return [members(each) for each in np.reshape(words, (-1, 2))]


@st.composite
def games(draw: st.DrawFn, players: int) -> dict[str, Any]:
    most = 52 // players
    seed = draw(st.integers(0, 2**32 - 1))  # of the deck and the choices: long lists shrink badly
    rng = np.random.default_rng(seed)
    return {
        "deck": rng.permutation(52),
        "table": {
            "dealer": draw(st.integers(0, players - 1)),
            "round": draw(st.integers(0, 9)),
            "cards": draw(st.integers(1, most)),
        },
        "choices": rng.integers(0, 2**30, players * (1 + most) + 1, np.int32),
    }


def legal_moves(facts: dict[str, Any], hook: bool) -> set[int]:
    """Return what may be done, from the facts of a position."""
    seat, dealt, bids = int(facts["current_player"]), int(facts["cards"]), facts["bids"]
    if facts["phase"] == 0:
        made = bids[bids >= 0].tolist()
        hooked = hook and seat == facts["dealer"]
        return {bid for bid in range(dealt + 1) if not hooked or sum(made) + bid != dealt}
    hand, led = by_seat(facts["hands"])[seat], int(facts["table"][facts["leader"]])
    follow = {card for card in hand if led >= 0 and card // SUIT == led // SUIT}
    return follow or hand


def winner(facts: dict[str, Any], seat: int, action: int) -> int:
    """Return who wins the trick that the last card completes."""
    laid = {each: int(card) for each, card in enumerate(facts["table"])} | {seat: action}
    led, trump = laid[int(facts["leader"])] // SUIT, int(facts["trump"])

    def worth(each: int) -> tuple[bool, bool, int]:
        suit, rank = divmod(laid[each], SUIT)
        return suit == trump, suit == led, rank

    return max(laid, key=worth)


def check_step(before: Any, after: Any, action: int, players: int) -> None:
    """Hold one step against the rules."""
    seat = int(before["current_player"])
    if before["phase"] == 0:
        assert after["bids"][seat] == action
        following = (seat + 1) % players
    elif (before["table"] >= 0).sum() == players - 1:
        following = winner(before, seat, action)
        assert (after["tricks"] - before["tricks"]).tolist() == [
            int(each == following) for each in range(players)
        ]
    else:
        assert after["table"][seat] == action
        following = (seat + 1) % players
    over = after["phase"] == 2
    assert after["current_player"] == (-1 if over else following)
    led = int(before["table"][before["leader"]])
    void = before["phase"] == 1 and led >= 0 and led // SUIT != action // SUIT
    shown = 1 << led // SUIT if void else 0
    assert after["voids"][seat] == before["voids"][seat] | shown


@pytest.mark.parametrize("players", FLAGS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_step_of_any_round(make: Any, players: int, data: st.DataObject) -> None:
    env = make(players=players, cards=52 // players, **FLAGS[players])
    game = data.draw(games(players))
    states, facts, masks, actions, planes = jax.device_get(compiled(env)[0](**game))
    dealt = game["table"]["cards"]
    last = players * (1 + dealt)
    told = [{name: value[i] for name, value in facts.items()} for i in range(last + 1)]
    for i, position in enumerate(told):
        hands, played = by_seat(position["hands"]), by_seat(position["played"])
        piles = [*hands, *played]
        assert sum(map(len, piles)) == len(set().union(*piles)) == players * dealt
        assert [len(h) + len(p) for h, p in zip(hands, played, strict=True)] == [dealt] * players
        assert position["tricks"].sum() == sum(map(len, played)) // players
        partition = planes[i, ..., : env.num_partition_planes].sum(axis=-1)
        assert partition.max() == 1
        assert partition.sum(axis=(1, 2)).tolist() == [52] * players
        assert masks[i].any()
        if i < last:
            legal = legal_moves(position, env.rules.hook)
            assert set(np.flatnonzero(masks[i]).tolist()) == legal
            check_step(position, told[i + 1], int(actions[i]), players)
            assert not states.rewards[i].any()
    assert [position["phase"] == 2 for position in told] == [False] * last + [True]
    _check_end(env, told[-1], states.rewards[last], dealt)


def _check_end(env: Any, end: Any, paid: np.ndarray, dealt: int) -> None:
    bids, won = end["bids"].tolist(), end["tricks"].tolist()
    assert sum(won) == dealt
    if env.rules.hook:
        assert sum(bids) != dealt
    exact = env.rules.score == "exact"
    pairs = list(zip(bids, won, strict=True))
    scores = [10 + bid if bid == tricks else 0 if exact else tricks for bid, tricks in pairs]
    assert end["scores"].tolist() == scores
    assert np.abs(paid).max() <= env.max_loss
    if env.rules.reward == "relative":
        assert paid.sum() == pytest.approx(0, abs=1e-4)
    elif env.rules.reward == "normalised":
        wanted = [2 * each / (10 + dealt) - 1 for each in scores]
        np.testing.assert_allclose(paid, wanted, atol=1e-6)
    else:
        assert paid.tolist() == scores


# Hidden cards -------------------------------------------------------------------------------------


def with_hidden_cards_moved(state: Any, player: int, rng: np.random.Generator) -> Any:
    """Mix what a player cannot see: the hands of the others and the cards that were not dealt."""
    gone = members(state.gone)
    hands = [members(words) for words in state.dealt]
    hidden = [int(c) for c in rng.permutation(52) if c not in gone and c not in hands[player]]
    dealt = []
    for seat, hand in enumerate(hands):
        kept = hand if seat == player else hand & gone
        taken = [] if seat == player else [hidden.pop() for _ in hand - gone]
        bits = sum(1 << card for card in kept | set(taken))
        dealt.append([bits & 2**32 - 1, bits >> 32])
    return state.replace(dealt=np.array(dealt, np.uint32))


@pytest.mark.parametrize("players", FLAGS)
def test_hidden_cards_show_nowhere(make: Any, players: int) -> None:
    """Observation, planes, mask and text are the same; so is what is redealt under one key."""
    env = make(players=players, cards=52 // players, **FLAGS[players])
    rng = np.random.default_rng(players)
    game = {
        "deck": rng.permutation(52),
        "table": {"dealer": 1, "round": 2, "cards": 52 // players},
        "choices": rng.integers(0, 2**30, env.max_steps + 1, np.int32),
    }
    play, show, redeal, legal = compiled(env)
    states = jax.device_get(play(**game)[0])
    every = [jax.tree.map(lambda leaf, i=i: leaf[i], states) for i in range(env.max_steps)]
    for player in range(players):
        moved = [with_hidden_cards_moved(state, player, rng) for state in every]
        changed = sum((a.dealt != b.dealt).any() for a, b in zip(every, moved, strict=True))
        assert changed > len(every) // 2
        batches = [jax.tree.map(lambda *leaves: np.stack(leaves), *each) for each in (every, moved)]
        seat = np.full(len(every), player)
        one, other = (jax.device_get(show(batch, seat)) for batch in batches)
        jax.tree.map(np.testing.assert_array_equal, one, other)
        if players == REDEALT:
            jax.tree.map(np.testing.assert_array_equal, *(redeal(each, seat) for each in batches))
        mine = states.current_player[: len(every)] == player
        masks = [np.asarray(legal(batch))[mine] for batch in batches]
        np.testing.assert_array_equal(*masks)
        for state, same in list(zip(every, moved, strict=True))[:: len(every) // 3]:
            assert env.render(state, player) == env.render(same, player)


def test_a_redealt_state_goes_on_like_any_other(make: Any) -> None:
    """What is redealt keeps all facts but the hidden hands; own hand and sizes stay."""
    env = make(players=3, cards=17, **FLAGS[3])
    rng = np.random.default_rng(5)
    game = {
        "deck": rng.permutation(52),
        "table": {"dealer": 0, "round": 1, "cards": 17},
        "choices": rng.integers(0, 2**30, env.max_steps + 1, np.int32),
    }
    states = jax.device_get(compiled(env)[0](**game)[0])
    for player in range(3):
        seats = np.full(env.max_steps + 1, player)
        redealt = jax.device_get(compiled(env)[2](states, seats))
        assert (states.dealt[:, player] == redealt.dealt[:, player]).all()
        assert (states.dealt != redealt.dealt).any()
        for name, value in states.__dict__.items():
            if name not in ("dealt", "key", "deal_no"):
                np.testing.assert_array_equal(value, getattr(redealt, name), err_msg=name)
        for i in range(env.max_steps):
            for seat in range(3):
                hands = [members(each.dealt[i][seat]) for each in (states, redealt)]
                played = [hand & members(states.gone[i]) for hand in hands]
                assert played[0] == played[1]
                assert len(hands[0]) == len(hands[1])
                held = hands[1] - played[1]
                voids = int(states.voids[i]) >> 4 * seat & 15
                assert not any(voids >> card // SUIT & 1 for card in held)

"""The reference engine of Blob against recorded games of two other engines.

`blob_seed` was recorded from the program that the rules come from. Its encodings divide bids and
tricks by another number than its own document says: each record's `spec` tells what the document
wants, and that is laid over. `openspiel_oh_hell` was recorded from OpenSpiel, whose misses count
below zero where Blob's count nothing.
"""

import gzip
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from talonax.configs.blob.schema import DECK_SIZE, Rules, round_cards
from talonax.configs.rules import build
from talonax.parity.blob import BlobSpec, BlobState
from talonax.parity.blob_pack import CARDS, IDS, SUIT_IDS, SUITS
from talonax.parity.cards import Card

#: Suits by id, the last for no trump.
LETTERS = ("S", "H", "C", "D", "none")
#: Where an encoding tells of the full game that its round belongs to.
GAME = slice(202, 256)
COMPACT_SIZE = 256
TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def records(shared: Path) -> list[dict[str, Any]]:
    return list(_records(shared / "golden" / "blob_seed.jsonl.gz"))


@pytest.fixture(scope="module")
def oh_hell(shared: Path) -> list[dict[str, Any]]:
    return list(_records(shared / "golden" / "openspiel_oh_hell.jsonl.gz"))


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt") as lines:
        yield from map(json.loads, lines)


def _of_type(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    found = [record for record in records if record["type"] == kind]
    assert found, f"no record of type {kind}"
    return found


def _deck(hands: list[list[int]]) -> list[int]:
    """Return the deck that deals these hands."""
    return list(chain.from_iterable(zip(*hands, strict=True)))


def _legal(state: BlobState) -> list[int]:
    return [move.id for move in state.legal_moves()]


def _close(seen: list[float], wanted: list[float]) -> bool:
    pairs = zip(seen, wanted, strict=True)
    return all(abs(ours - theirs) < TOLERANCE for ours, theirs in pairs)


# The plan of rounds


def test_the_plan_of_rounds(records: list[dict[str, Any]]) -> None:
    for record in _of_type(records, "rounds"):
        players, cards = record["players"], record["start"]
        rules = Rules(players=players, cards=cards, rounds="full")
        assert list(round_cards(rules)) == record["rounds"]


# Single rounds


def _start(game: dict[str, Any]) -> BlobState:
    spec = BlobSpec(Rules(players=game["players"], cards=game["cards"]))
    table = {"round": game["round"], "dealer": game["dealer"]}
    return spec.initial_state(deck=_deck(game["hands"]), **table)


def _walk(game: dict[str, Any], state: BlobState) -> list[BlobState]:
    """Return the position before every decision of a game, and the last one."""
    states = [state]
    for _, _, action, _ in game["steps"]:
        states.append(states[-1].apply_move(action))
    return states


def test_every_recorded_decision(records: list[dict[str, Any]]) -> None:
    for game in _of_type(records, "game"):
        states = _walk(game, _start(game))
        for number, (seat, phase, _, legal) in enumerate(game["steps"]):
            where, state = (game["id"], number), states[number]
            facts = state.facts()
            assert (facts["current_player"], facts["phase"]) == (seat, phase), where
            assert facts["trump"] == game["trump"], where
            assert _legal(state) == legal, where
            if number:
                assert set(state.rewards()) == {0.0}, where
        dealt = [sorted(IDS[card] for card in hand) for hand in states[0].round.hands]
        assert dealt == [sorted(hand) for hand in game["hands"]], game["id"]


def test_every_recorded_end(records: list[dict[str, Any]]) -> None:
    for game in _of_type(records, "game"):
        state, end = _walk(game, _start(game))[-1], game["end"]
        facts, where = state.facts(), game["id"]
        assert (facts["phase"], facts["current_player"]) == (2, -1), where
        assert (facts["bids"], facts["tricks"]) == (end["bids"], end["won"]), where
        assert facts["scores"] == list(state.returns()) == end["scores"], where
        voids = [[SUIT_IDS[suit] for suit in suits] for suits in state.round.voids]
        assert [sorted(suits) for suits in voids] == game["voids"], where
        tricks = [
            {"leader": trick.leader, "cards": [IDS[card] for card in trick.cards], "winner": winner}
            for trick, winner in zip(state.round.completed, state.round.winners, strict=True)
        ]
        assert tricks == game["tricks"], where


def test_the_next_round_moves_dealer_and_trump_on(records: list[dict[str, Any]]) -> None:
    """The same round as one of a full game; what comes next is in the record."""
    compared = 0
    for game in _of_type(records, "game"):
        rules = Rules(players=game["players"], cards=game["cards"], rounds="full")
        if game["round"] >= len(round_cards(rules)) - 1:
            continue
        if round_cards(rules)[game["round"]] != game["cards"]:
            continue
        table = {"round": game["round"], "dealer": game["dealer"]}
        start = BlobSpec(rules).initial_state(deck=_deck(game["hands"]), **table)
        after = _walk(game, start)[-1]
        assert (after.round.dealer, after.round.index) == (
            game["end"]["next_dealer"],
            game["end"]["next_round"],
        )
        assert list(after.rewards()) == game["end"]["scores"]
        compared += 1
    assert compared > 40


# Encodings


def _document(record: dict[str, Any]) -> list[float]:
    """Return what the document wants in place of what the program said."""
    wanted = {**record["enc"], **record.get("spec", {})}
    return [wanted.get(str(index), 0.0) for index in range(COMPACT_SIZE)]


def test_every_recorded_encoding(records: list[dict[str, Any]]) -> None:
    compared = 0
    for game in _of_type(records, "game"):
        states = _walk(game, _start(game))
        for record in [*game["enc"], game["enc_scoring"]]:
            state, player = states[record["d"]], record["p"]
            where = game["id"], record["d"]
            assert player == state.current_player() or state.is_terminal(), where
            assert _close(state.observation(player, "compact"), _document(record)), where
            assert _close(state.observation(player)[:COMPACT_SIZE], _document(record)), where
            compared += 1
    assert compared > 2000


def _in_game(game: dict[str, Any], context: dict[str, Any], trump: str) -> BlobState | None:
    """Return the record's round as one of the full game of a context, if that deals as many."""
    done = context["rounds_completed"]
    flags = {"players": game["players"], "cards": context["start_cards"], "rounds": "full"}
    rules = build(Rules, {**flags, "trumps": [trump]}, "test")
    if round_cards(rules)[done] != game["cards"]:
        return None
    table = {"round": done, "dealer": game["dealer"], "scores": context["cumulative_scores"]}
    return BlobSpec(rules).initial_state(deck=_deck(game["hands"]), **table)


def test_every_context_of_a_full_game(records: list[dict[str, Any]]) -> None:
    """The contexts were drawn at random: few deal as many cards as their round had.

    Where they do, the whole encoding is compared; otherwise what tells of the game.
    """
    wholes = 0
    for game in _of_type(records, "game"):
        for record in game["enc"]:
            if "ctx" not in record:
                continue
            context, where = record["ctx"], (game["id"], record["d"])
            wanted = [record["enc_ctx"].get(str(index), 0.0) for index in range(COMPACT_SIZE)]
            assert _close(_of_context(context).observation(0, "compact")[GAME], wanted[GAME]), where
            start = _in_game(game, context, LETTERS[game["trump"]])
            if start is not None:
                state = _walk({"steps": game["steps"][: record["d"]]}, start)[-1]
                whole = [*_document(record)[: GAME.start], *wanted[GAME]]
                assert _close(state.observation(record["p"], "compact"), whole), where
                wholes += 1
    assert wholes > 90


def _of_context(context: dict[str, Any]) -> BlobState:
    """Return the first position of the round that a context leads to."""
    rules = Rules(players=context["num_players"], cards=context["start_cards"], rounds="full")
    done, plan = context["rounds_completed"], list(round_cards(rules))
    assert (plan[:done], len(plan)) == (context["previous_cards"], context["total_rounds"])
    table = {"round": done, "scores": context["cumulative_scores"]}
    return BlobSpec(rules).initial_state(seed=0, **table)


# Full games


def _hands(players: int, tricks: list[list[Any]]) -> list[list[int]]:
    """Return the hands that were played as these tricks: [leader, cards, winner]."""
    hands: list[list[int]] = [[] for _ in range(players)]
    for leader, cards, _ in tricks:
        for distance, card in enumerate(cards):
            hands[(leader + distance) % players].append(card)
    return hands


def test_every_full_game_round_by_round(records: list[dict[str, Any]]) -> None:
    for game in _of_type(records, "full_game"):
        players, rounds = game["players"], game["rounds"]
        decks = [_deck(_hands(players, each["tricks"])) for each in rounds]
        spec = BlobSpec(Rules(players=players, cards=game["start"], rounds="full"))
        state = spec.initial_state(decks=decks.__getitem__)
        for number, each in enumerate(rounds):
            facts, where = state.facts(), (game["id"], number)
            told = [facts[name] for name in ("cards", "trump", "dealer", "round", "done")]
            wanted = [each["cards"], each["trump"], each["dealer"], number, number]
            assert told == wanted, where
            state = _round_played(state, each)
            assert state.ended is not None, where
            assert list(state.ended.tricks) == each["won"], where
            assert state.ended.winners == [winner for _, _, winner in each["tricks"]], where
            assert list(state.rewards()) == list(state.ended.scores) == each["scores"], where
            assert list(state.scores) == each["totals"], where
        assert state.is_terminal()
        assert len(rounds) == game["num_rounds"]
        assert state.winner() == game["winner"] == game["final"][0][0]
        assert list(state.returns()) == [total for _, total in sorted(game["final"])]


def _round_played(state: BlobState, record: dict[str, Any]) -> BlobState:
    players = state.spec.num_players
    for distance in range(1, players + 1):
        seat = (record["dealer"] + distance) % players
        state = state.bid(seat, record["bids"][seat])
    for leader, cards, _ in record["tricks"]:
        for distance, card in enumerate(cards):
            state = state.play((leader + distance) % players, CARDS[card])
    return state


# OpenSpiel

#: Its suits by id: clubs first.
OTHER_SUITS = ("C", "D", "S", "H")
OTHER_RANKS = "23456789TJQKA"


def _card(number: int) -> Card:
    """Return the card of one of its ids, `rank * 4 + suit`."""
    rank, suit = divmod(number, len(OTHER_SUITS))
    return Card.from_name(OTHER_RANKS[rank] + OTHER_SUITS[suit])


def _ids(numbers: list[int]) -> list[int]:
    return sorted(IDS[_card(number)] for number in numbers)


def test_the_mapping_of_card_ids() -> None:
    assert [_card(number).name for number in (0, 1, 2, 3, 4, 51)] == (
        ["2C", "2D", "2S", "2H", "3C", "AH"]
    )
    assert _ids(list(range(DECK_SIZE))) == list(range(DECK_SIZE))


def test_every_game_of_openspiel(oh_hell: list[dict[str, Any]]) -> None:
    for number, game in enumerate(oh_hell):
        trump = LETTERS[SUITS.index(_card(game["trump_card"]).suit)]
        flags = {"players": game["players"], "cards": game["tricks"], "trumps": [trump]}
        spec = BlobSpec(build(Rules, flags, "test"))
        deck = _deck([_ids(hand) for hand in game["hands"]])
        state = spec.initial_state(deck=deck, dealer=game["dealer"])
        for seat, bid, legal in _bids(game):
            assert (state.current_player(), _legal(state)) == (seat, legal), number
            state = state.bid(seat, bid)
        for (seat, card), legal in zip(game["plays"], game["legal"], strict=True):
            assert (state.current_player(), _legal(state)) == (seat, _ids(legal)), number
            state = state.play(seat, _card(card))
        assert state.is_terminal(), number
        assert state.round.winners == game["trick_winners"], number
        assert list(state.round.tricks) == game["tricks_won"], number
        scores = [max(0.0, score) for score in game["returns_os"]]
        assert list(state.returns()) == scores == game["blob"], number
    assert len(oh_hell) > 500


def _bids(game: dict[str, Any]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield seat, bid and legal bids in the order of bidding; its `bids` are by seat."""
    for seat, legal in zip(game["bid_order"], game["bid_legal"], strict=True):
        yield seat, game["bids"][seat], legal

"""Hands of Tysiac written by hand (`data/tysiac_hands`), played by the env and by the engine."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import yaml

from talonax.configs.rules import build
from talonax.configs.tysiac.schema import Rules
from talonax.envs.tysiac.env import Tysiac
from talonax.envs.tysiac.view import SUIT_NAMES, card_number, names
from talonax.parity.tysiac import TysiacSpec

FOLDER = Path(__file__).parent / "data" / "tysiac_hands"
HANDS = sorted(FOLDER.glob("*.txt"))


class Hand:
    """A hand as its file tells it."""

    def __init__(self, path):
        lines = [line.strip() for line in path.read_text().splitlines()]
        lines = [line for line in lines if line and not line.startswith("#")]
        head = dict(line.split(": ", 1) for line in lines[:3])
        pairs = [pair.split("=") for pair in head["rules"].split()]
        flags = {name: yaml.safe_load(value) for name, value in pairs}
        self.rules = build(Rules, flags, path.name)
        pairs = [pair.split("=") for pair in head["table"].split()]
        self.table = {
            name: [int(each) for each in value.split(",")] if "," in value else int(value)
            for name, value in pairs
        }
        self.deck = [card_number(name) for name in head["deck"].replace("|", " ").split()]
        self.lines = lines[3:]


class EnvSide:
    """The env, with the questions that a file may ask."""

    def __init__(self, hand):
        self.env = Tysiac(rules=hand.rules)
        self.step = jax.jit(self.env.step)
        self.state = self.env.deal(jnp.array(hand.deck), **hand.table)

    def do(self, action):
        self.state = self.step(self.state, action)
        assert not bool(self.state.illegal)

    def facts(self):
        told = {k: np.asarray(v).tolist() for k, v in self.env.facts(self.state).items()}
        legal = np.flatnonzero(np.asarray(self.env.legal_action_mask(self.state)))
        return told, legal.tolist(), np.asarray(self.state.rewards), bool(self.state.finished)


class EngineSide:
    """The reference engine, likewise."""

    def __init__(self, hand):
        self.state = TysiacSpec(hand.rules).initial_state(deck=hand.deck, **hand.table)

    def do(self, action):
        self.state = self.state.apply_move(action)

    def facts(self):
        legal = [move.id for move in self.state.legal_moves()]
        return self.state.facts(), legal, np.array(self.state.rewards()), self.state.is_terminal()


def check(side, question, action_names):
    told, legal, rewards, over = side.facts()
    what, *answer = question.split()
    if what == "legal":
        wanted = {name.replace("_", " ") for name in answer}
        plain = {action_names[a] for a in legal if not action_names[a].startswith("declare")}
        assert plain == wanted
    elif what == "to_move":
        assert told["current_player"] == int(answer[0])
    elif what == "trump":
        assert told["trump"] == SUIT_NAMES.index(answer[0])
    elif what in ("contract", "doubling"):
        assert told[what] == int(answer[0])
    elif what in ("points", "scores"):
        assert told[what] == [int(each) for each in answer]
    elif what == "known":
        sides = [set(part.split()) - {"-"} for part in " ".join(answer).split("/")]
        assert [set(names(mask)) for mask in told["known"]] == sides
    elif what == "reward":
        np.testing.assert_allclose(rewards, [float(each) for each in answer], atol=1e-6)
    else:
        assert what == "over"
        assert over


@pytest.mark.parametrize("side", [EnvSide, EngineSide], ids=["env", "engine"])
@pytest.mark.parametrize("path", HANDS, ids=lambda path: path.stem)
def test_hand(path, side):
    hand = Hand(path)
    env = Tysiac(rules=hand.rules)
    action_names = [env.action_name(action) for action in range(env.num_actions)]
    playing = side(hand)
    for number, line in enumerate(hand.lines):
        try:
            if line.startswith("="):
                check(playing, line[1:].strip(), action_names)
            else:
                playing.do(action_names.index(line))
        except AssertionError as error:
            raise AssertionError(f"{path.name}: entry {number + 1}: {line}: {error}") from error


def test_there_are_hands():
    assert len(HANDS) >= 10

"""Finding games by name, and third parties' games as peers of ours."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import jax
import numpy as np
import pytest
from pydantic.dataclasses import dataclass

import talonax
from talonax.agents import policy
from talonax.configs import games as listing
from talonax.configs.games import UnknownGameError
from talonax.configs.rules import STRICT, RulesError
from talonax.envs.check import check_env
from talonax.envs.high_card_duel.env import HighCardDuel


def test_our_games_are_listed() -> None:
    assert {"bezique", "blob", "high_card_duel", "snapszer", "tysiac"} <= set(talonax.games())
    assert talonax.games() == sorted(talonax.games())
    assert listing.get("snapszer").default_profile == "hungarian"
    assert list(listing.get("snapszer").profiles) == ["hungarian", "base", "austrian", "vu"]
    assert list(listing.get("high_card_duel").profiles) == ["standard"]
    assert list(listing.get("tysiac").profiles) == ["alpha1000", "polish"]
    assert list(listing.get("bezique").profiles) == ["standard", "advanced"]


def test_make_twice_gives_equal_envs() -> None:
    one, other = talonax.make("snapszer"), talonax.make("snapszer", profile="hungarian")
    assert one == other
    assert hash(one) == hash(other)
    assert one.rules_hash == other.rules_hash
    assert one != talonax.make("snapszer", observation="compact")
    assert one != talonax.make("snapszer", nines=True)
    assert one.rules_hash != talonax.make("snapszer", nines=True).rules_hash
    assert len({one, other, talonax.make("snapszer", "vu")}) == 2


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: talonax.make("bridge"), ["bridge", "snapszer", "high_card_duel"]),
        (lambda: talonax.make("snapszer", "german"), ["german", "hungarian", "austrian", "vu"]),
        (lambda: talonax.make("snapszer", observation="huge"), ["huge", "full", "compact"]),
        (lambda: talonax.make("high_card_duel", observation="compact"), ["compact", "full"]),
        (lambda: talonax.make("snapszer", closed=True), ["closed", "close_min_stock", "hungarian"]),
        (lambda: talonax.make("snapszer", nines=1), ["nines", "1", "hungarian.yaml"]),
        (lambda: talonax.make("snapszer", marriage_lead="jack"), ["jack", "king", "either"]),
        (lambda: talonax.make("snapszer", close_min_stock=0), ["close_min_stock", "0", "1"]),
        (lambda: policy.by_name("snapszer", "clever"), ["clever", "random"]),
    ],
)
def test_what_does_not_exist_is_named_with_what_does(call: object, said: list[str]) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011, the message is looked at below
        call()  # type: ignore[operator]
    for word in said:
        assert word in str(raised.value)
    assert "\n" not in str(raised.value)


def test_errors_have_their_own_kinds() -> None:
    with pytest.raises(UnknownGameError):
        talonax.make("bridge")
    with pytest.raises(RulesError):
        talonax.make("snapszer", closed=True)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ToyRules:
    include_jokers: bool = False
    deals: int = 1


class Toy(HighCardDuel):
    """A third party's game."""

    id: ClassVar[str] = "toy_duel"


@pytest.fixture
def clean() -> Iterator[None]:
    """Forget what a test registers."""
    known = dict(listing._GAMES)
    yield
    listing._GAMES.clear()
    listing._GAMES.update(known)


@pytest.mark.slow
@pytest.mark.usefixtures("clean")
def test_a_third_partys_game_is_a_peer(tmp_path: Path) -> None:
    (tmp_path / "jokers.yaml").write_text("include_jokers: true\n")
    talonax.register(
        "toy_duel",
        Toy,
        schema=ToyRules,
        profiles={"plain": {}, "jokers": tmp_path / "jokers.yaml"},
    )
    assert "toy_duel" in talonax.games()
    env = talonax.make("toy_duel")
    assert len(env.deck_cards) == 52
    assert len(talonax.make("toy_duel", "jokers").deck_cards) == 56
    assert len(talonax.make("toy_duel", include_jokers=True).deck_cards) == 56
    assert policy.names("toy_duel") == ["random"]
    check_env(env, games=16)
    with pytest.raises(UnknownGameError, match="plain, jokers"):
        talonax.make("toy_duel", "fancy")
    with pytest.raises(ValueError, match=r"toy_duel.*already"):
        talonax.register("toy_duel", Toy, schema=ToyRules, profiles={"plain": {}})


@pytest.mark.usefixtures("clean")
def test_register_refuses_what_is_no_game() -> None:
    with pytest.raises(ValueError, match=r"toy_duel.*other"):
        talonax.register("other", Toy, schema=ToyRules, profiles={"plain": {}})
    with pytest.raises(ValueError, match="profile"):
        talonax.register("toy_duel", Toy, schema=ToyRules, profiles={})
    assert "toy_duel" not in talonax.games()


PLUGIN = """
import talonax
from talonax.configs.high_card_duel.schema import Rules
from talonax.envs.high_card_duel.env import HighCardDuel

class Plugged(HighCardDuel):
    id = "plugged"

def games():
    talonax.register("plugged", Plugged, schema=Rules, profiles={"standard": {}})

def broken():
    raise RuntimeError("out of order")
"""


def test_entry_points_are_found_and_broken_ones_left_out(tmp_path: Path) -> None:
    info = tmp_path / "plugged-1.0.dist-info"
    info.mkdir()
    (tmp_path / "plugged_games.py").write_text(PLUGIN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[talonax.games]\na = plugged_games:broken\nb = plugged_games:games\n"
    )
    script = "import talonax; print(talonax.games()); print(talonax.make('plugged').num_actions)"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {script}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "plugged" in done.stdout
    assert done.stdout.strip().endswith("1")
    assert "out of order" in done.stderr


def test_unknown_table_facts_are_refused() -> None:
    env = talonax.make("high_card_duel")
    with pytest.raises(TypeError, match=r"leader.*none"):
        env.deal(np.arange(56), leader=1)
    with pytest.raises(TypeError, match=r"dealer.*leader, first_leader, scores"):
        talonax.make("snapszer").deal(np.arange(20), dealer=1)
    with pytest.raises(TypeError, match="vmap"):
        env.init(jax.random.split(jax.random.key(0), 2))

"""The 4x14 grid: rows S H D C, columns A 2 .. 10 J Q K Joker."""

import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.envs import cards, planes


def test_the_grid() -> None:
    assert (planes.SUITS, planes.RANKS, planes.CELLS) == (4, 14, 56)
    assert planes.SUIT_NAMES == ("S", "H", "D", "C")
    assert len(planes.RANK_NAMES) == 14
    assert planes.RANK_NAMES[0] == "A"
    assert planes.RANK_NAMES[planes.JOKER] == "JO"


@pytest.mark.parametrize(
    ("suit", "rank", "cell", "name"),
    [("S", "A", 0, "AS"), ("S", "T", 9, "TS"), ("H", "2", 15, "2H"), ("C", "JO", 55, "JOC")],
)
def test_cells(suit: str, rank: str, cell: int, name: str) -> None:
    assert planes.cell(suit, rank) == cell
    assert planes.cell_name(cell) == name


def test_every_cell_has_a_name_of_its_own() -> None:
    names = [planes.cell_name(cell) for cell in range(planes.CELLS)]
    assert len(set(names)) == planes.CELLS


@pytest.mark.parametrize(("flags", "ranks"), [({}, "A T K Q J"), ({"nines": True}, "A T K Q J 9")])
def test_snapszers_cards_lie_in_their_cells(flags: dict[str, bool], ranks: str) -> None:
    sizes = talonax.make("snapszer", **flags).sizes  # type: ignore[attr-defined]
    cells = [planes.cell(suit, rank) for suit in planes.SUIT_NAMES for rank in ranks.split()]
    assert list(sizes.cells) == cells
    for card in range(sizes.num_cards):
        only = np.asarray(planes.plane(cards.single(card, sizes.num_cards), sizes.cells))
        assert only.shape == (4, 14)
        assert only.ravel().nonzero()[0].tolist() == [cells[card]]
        assert planes.cell_name(cells[card]) == sizes.name(card)


def test_cells_outside_the_deck_are_false() -> None:
    every = cards.constant(range(20), 20)
    sizes = talonax.make("snapszer").sizes  # type: ignore[attr-defined]
    plane = np.asarray(planes.plane(every, sizes.cells))
    assert plane.sum() == 20
    assert not plane[:, 1:9].any()
    assert not plane[:, planes.JOKER].any()


def test_planes_are_stacked_last() -> None:
    one = planes.plane(cards.single(0, 56), range(56))
    none = jnp.zeros((4, 14), bool)
    stacked = planes.stack([none, one])
    assert stacked.shape == (4, 14, 2)
    assert stacked.dtype == bool
    assert np.argwhere(stacked).tolist() == [[0, 0, 1]]

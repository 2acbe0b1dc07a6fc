"""Cards of the grid, and the tensor of named planes over it."""

import numpy as np
import pytest

from talonax.parity import CardTensor
from talonax.parity.cards import ALL_CARDS, NUM_CARDS, NUM_RANKS, NUM_SUITS, Card, Rank, Suit

GRID = (NUM_SUITS, NUM_RANKS)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.from_name(name) for name in text.split())


def test_grid() -> None:
    assert (NUM_SUITS, NUM_RANKS, NUM_CARDS) == (4, 14, 56)
    assert "".join(suit.name[0] for suit in Suit) == "SHDC"
    assert [card.index for card in ALL_CARDS] == list(range(56))
    columns = [ALL_CARDS[column].name[:-1] for column in range(14)]
    assert columns == ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "JO"]


@pytest.mark.parametrize(
    ("name", "suit", "rank", "index"),
    [
        ("AS", Suit.SPADES, Rank.ACE, 0),
        ("TH", Suit.HEARTS, Rank.TEN, 23),
        ("KD", Suit.DIAMONDS, Rank.KING, 40),
        ("JOC", Suit.CLUBS, Rank.JOKER, 55),
    ],
)
def test_names_and_indices(name: str, suit: Suit, rank: Rank, index: int) -> None:
    card = Card(suit, rank)
    assert (card.name, str(card), card.index) == (name, name, index)
    assert Card.from_name(name) == Card.from_index(index) == card
    assert len({card, Card.from_index(index)}) == 1


def test_cards_have_no_order() -> None:
    with pytest.raises(TypeError):
        _ = ALL_CARDS[0] < ALL_CARDS[1]  # type: ignore[operator]


def test_unknown_name() -> None:
    with pytest.raises(ValueError, match="'XX'"):
        Card.from_name("XX")


@pytest.mark.parametrize("index", [-1, 56])
def test_unknown_index(index: int) -> None:
    with pytest.raises(ValueError, match=rf"^Card index must be in \[0, 55\], got {index}$"):
        Card.from_index(index)


def test_planes_hold_their_cards() -> None:
    tensor = CardTensor.from_plane_card_map({"seen": cards("AS TH")}, ("mine", "seen"))
    assert tensor.data.shape == (4, 14, 2)
    assert tensor.data.dtype == np.bool_
    assert tensor.plane_names == ("mine", "seen")
    assert tensor.cards_in_plane("seen") == cards("AS TH")
    assert tensor.cards_in_plane("mine") == ()
    assert tensor.plane("seen")[1, 9]
    assert tensor.plane("seen").sum() == 2
    assert np.flatnonzero(tensor.flat_plane("seen")).tolist() == [0, 23]
    assert not CardTensor.empty(("mine", "seen")).data.any()


def test_flat_plane_there_and_back() -> None:
    flat = np.arange(56) % 3 == 0
    tensor = CardTensor.from_flat_plane("thirds", flat)
    assert tensor.flat_plane("thirds").tolist() == flat.tolist()
    assert CardTensor.from_flat_plane("thirds", flat.tolist()) == tensor


def test_equal_by_content() -> None:
    one = CardTensor.from_plane_card_map({"a": cards("AS")}, ("a", "b"))
    assert one == CardTensor(one.data, ("a", "b"))
    assert hash(one) == hash(CardTensor(one.data, ("a", "b")))
    assert one != CardTensor(one.data, ("b", "a"))
    assert one != CardTensor.empty(("a", "b"))
    assert one != "AS"
    assert repr(one) == "CardTensor(a: AS, b: -)"


def test_nothing_can_be_changed() -> None:
    source = np.zeros((*GRID, 1), dtype=np.bool_)
    tensor = CardTensor(source, ("a",))
    source[0, 0, 0] = True
    assert not tensor.data.any()
    for view in (tensor.data, tensor.plane("a"), tensor.flat_plane("a")):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = True
    with pytest.raises(AttributeError, match="cannot be changed"):
        tensor.data = source


def test_exclusive_planes() -> None:
    tensor = CardTensor.from_plane_card_map(
        {"a": cards("AS KD"), "b": cards("KD"), "c": cards("TH")}, ("a", "b", "c")
    )
    tensor.validate_exclusive_planes(["a", "c"])
    with pytest.raises(ValueError, match="in more than one plane: KD"):
        tensor.validate_exclusive_planes(["a", "b"])
    with pytest.raises(KeyError, match="no plane 'zz'; there are: a, b, c"):
        tensor.validate_exclusive_planes(["a", "zz"])


def test_partition() -> None:
    deck = cards("AS KD TH")
    tensor = CardTensor.from_plane_card_map(
        {"a": cards("AS"), "b": cards("KD TH"), "c": cards("TH")}, ("a", "b", "c")
    )
    tensor.validate_partition(["a", "b"], deck)
    with pytest.raises(ValueError, match="in more than one plane: TH"):
        tensor.validate_partition(["a", "b", "c"], deck)
    with pytest.raises(ValueError, match="in no plane: KD"):
        tensor.validate_partition(["a", "c"], deck)
    with pytest.raises(ValueError, match="not of the deck: TH KD"):
        tensor.validate_partition(["a", "b"], cards("AS"))
    with pytest.raises(ValueError, match="in no plane: 2S"):
        tensor.validate_partition(["a", "b"])


@pytest.mark.parametrize("name", ["Bad-Name", "", "Hand", "my hand", "2nd", "_x"])
def test_names_are_snake_case(name: str) -> None:
    with pytest.raises(ValueError, match="snake_case"):
        CardTensor.empty((name,))


def test_names_differ() -> None:
    with pytest.raises(ValueError, match="must differ"):
        CardTensor.empty(("a", "a"))


def test_wrong_data() -> None:
    with pytest.raises(TypeError, match="int64"):
        CardTensor(np.zeros((*GRID, 1), dtype=np.int64), ("a",))
    with pytest.raises(ValueError, match=r"\(4, 14, 1\), got \(4, 14, 2\)"):
        CardTensor(np.zeros((*GRID, 2), dtype=np.bool_), ("a",))
    with pytest.raises(ValueError, match="56 entries, got 55"):
        CardTensor.from_flat_plane("a", np.zeros(55, dtype=np.bool_))
    with pytest.raises(TypeError, match="float64"):
        CardTensor.from_flat_plane("a", np.zeros(56))  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="'b'"):
        CardTensor.from_plane_card_map({"b": cards("AS")}, ("a",))

"""One hand of Tysiac, step by step: auction, musik, contract, bomb, and ten tricks.

The sections of *One hand* of the rules (`envs/tysiac/README.md`), in this order. Each step has a
method of its own, which says by a named error what is wrong with it; `after` makes a step out of an
action. A `Hand` never changes; every step makes a new one. Totals are not known here: scores and
matches are in `tysiac_score.py` and `tysiac.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from talonax.parity.cards import Card
from talonax.parity.game import Refused
from talonax.parity.tysiac_auction import (
    IllegalContract,
    IllegalReturn,
    proof_of,
    with_seat,
    worth_needed,
)
from talonax.parity.tysiac_pack import (
    CONTRACTS,
    IDS,
    MARRIAGES,
    MUSIK_SIZE,
    NUM_MUSIKS,
    SUIT_IDS,
    Action,
    Bid,
    Bomb,
    Cards,
    Challenge,
    Contract,
    Declare,
    Pass,
    Play,
    Rebomb,
    Take,
    beats,
    couple,
    id_list,
    in_order,
    lowest_marriage,
    points_of,
)
from talonax.parity.tysiac_position import Ending, Phase, Position, add

#: What a bomb, and then a re-bomb, multiplies by.
DOUBLE = 2


@dataclass(frozen=True)
class Hand(Position):
    """A hand, and the steps that may be made in it."""

    def after(self, action: Action) -> "Hand":
        """Return the hand after an action of the player to move.

        A bid is made with the cheapest marriage that proves it, if he holds one.

        Raises:
          IllegalMoveError: it is not legal; by name where it has one.
        """
        player = self.to_move
        match action:
            case Bid(amount):
                return self.bid(player, amount, proof_of(self.hands[player], amount))
            case Pass():
                in_window = self.phase in (Phase.BOMB, Phase.REBOMB)
                return self.no_bomb(player) if in_window else self.pass_(player)
            case Challenge():
                return self.challenge(player)
            case Take(number):
                return self.take_musik(player, number)
            case Contract(amount):
                return self.name_contract(player, amount)
            case Bomb():
                return self.bomb(player)
            case Rebomb():
                return self.rebomb(player)
            case Declare(card):
                return self.play(player, card, declare=True)
            case Play(card) if self.phase is Phase.RETURN:
                return self._return_one(player, card)
            case Play(card):
                return self.play(player, card)

    # 1. Auction

    def bid(self, player: int, amount: int, proof: Cards | None = None) -> "Hand":
        """Bid; above 120 with K and Q of a suit as proof.

        The proof is looked at by the referee alone: the opponent learns that there is one. Under
        `proof: challenge` none is needed, and one that is given is looked at all the same.

        Raises:
          PassedAlready, IllegalBid, MissingMeldProof, InvalidMeldProof: in this order.
          IllegalMoveError: not this player's turn to bid.
        """
        what, cards = Bid(amount), self.hands[player]
        self._check_in_auction(player, what)
        self._check(self.auction.fault_of_amount(amount), what)
        self._check(self.auction.fault_of_proof(amount, proof, cards), what)
        hand = replace(self._my_turn(), auction=self.auction.after_bid(amount))
        return hand.noting(("bid", player, amount))

    def pass_(self, player: int) -> "Hand":
        """Bid no more: the other player is the declarer, if there was a bid.

        Raises:
          PassedAlready: he has.
          IllegalMoveError: not his turn, or forehand, who must open.
        """
        self._check_in_auction(player, Pass())
        if not self.auction.may_pass:
            self._refuse(Pass(), Refused, "forehand must open")
        hand = replace(self._my_turn(), auction=self.auction.after_pass())
        hand = hand.noting(("pass", player))
        if not self.auction.high_bid:
            return hand._ended(Ending.PASSED_OUT)
        return replace(hand, declarer=self.auction.bid_by, phase=Phase.TAKE)

    def challenge(self, player: int) -> "Hand":
        """Have the bidder show the cheapest marriage that proves his bid, or lose the hand.

        Raises:
          IllegalMoveError: not this player's turn, or nothing to challenge.
        """
        self._check_in_auction(player, Challenge())
        if not self.auction.may_challenge:
            self._refuse(Challenge(), Refused, "no bid that is still to be proven")
        hand, bidder = self._my_turn().noting(("challenge", player)), self.auction.bid_by
        worth = worth_needed(self.auction.high_bid)
        suit = lowest_marriage(self.hands[bidder], worth)
        if suit is None:
            return hand.noting(("unproven", bidder))._ended(Ending.UNPROVEN)
        hand = replace(hand, auction=self.auction.after_showing(suit))
        return hand._knowing(bidder, couple(suit)).noting(("shown", bidder, SUIT_IDS[suit]))

    # 2. Musik

    def take_musik(self, player: int, number: int) -> "Hand":
        """Take a musik, which both see.

        Raises:
          IllegalMoveError: not this player's turn, or there is no such musik.
        """
        self._check_turn(player, Phase.TAKE, Take(number))
        if number not in range(NUM_MUSIKS):
            self._refuse(Take(number), Refused, f"the musiki are 0 and {NUM_MUSIKS - 1}")
        musik = self.musiks[number]
        held = in_order((*self.hands[player], *musik))
        hand = self._my_turn()._knowing(player, musik)
        hand = replace(
            hand,
            hands=with_seat(self.hands, player, held),
            taken=number,
            phase=Phase.RETURN,
        )
        return hand.noting(("musik", player, number, id_list(musik)))

    def return_cards(self, player: int, cards: Sequence[Card]) -> "Hand":
        """Return two cards, one after the other.

        Raises:
          IllegalReturn: not two, or not of his hand.
          IllegalMoveError: not this player's turn to return.
        """
        self._check_turn(player, Phase.RETURN, "return")
        still = MUSIK_SIZE - len(self.returned)
        if len(cards) != still:
            self._refuse("return", IllegalReturn, f"{still} card(s) go back, not {len(cards)}")
        hand = self
        for card in cards:
            hand = hand._return_one(player, card)
        return hand

    def _return_one(self, player: int, card: Card) -> "Hand":
        self._check_turn(player, Phase.RETURN, Play(card))
        if card not in self.hands[player]:
            self._refuse(Play(card), IllegalReturn, "only cards of the hand are returned")
        held = tuple(other for other in self.hands[player] if other != card)
        hand = replace(
            self._my_turn(),
            hands=with_seat(self.hands, player, held),
            returned=in_order((*self.returned, card)),
        )
        hand = hand.noting_to(player, ("return", player, IDS[card]))
        hand = hand.noting_to(1 - player, ("return", player))
        if len(hand.returned) < MUSIK_SIZE:
            return hand
        # What the opponent saw of this hand may have gone back: he is sure of nothing now.
        known = with_seat(hand.known, player, frozenset())
        return replace(hand, known=known, phase=Phase.CONTRACT)

    # 3. Contract

    def name_contract(self, player: int, amount: int) -> "Hand":
        """Name the contract: a multiple of ten, at least the winning bid, at most 400.

        Raises:
          IllegalContract: it is not.
          IllegalMoveError: not this player's turn to name one.
        """
        self._check_turn(player, Phase.CONTRACT, Contract(amount))
        if not self._may_name(amount):
            bounds = f"a multiple of ten from {self.auction.high_bid} to {CONTRACTS[-1]} is named"
            self._refuse(Contract(amount), IllegalContract, bounds)
        hand = replace(self._my_turn(), contract=amount)
        hand = hand.noting(("contract", player, amount))
        return replace(hand, phase=Phase.BOMB) if self.rules.bomba.enabled else hand._opened()

    # 4. Bomb

    def bomb(self, player: int) -> "Hand":
        """Double, as the defender.

        Raises:
          BombClosed: bombs are off, or it is too early or too late for one.
          IllegalMoveError: the declarer's bomb.
        """
        self._check_window(player, (Phase.BOMB,), Bomb())
        hand = replace(self._my_turn(), doubling=DOUBLE).noting(("bomb", player))
        answer = self.rules.bomba.allow_redouble
        return replace(hand, phase=Phase.REBOMB) if answer else hand._opened()

    def rebomb(self, player: int) -> "Hand":
        """Double a bomb, as the declarer.

        Raises:
          BombClosed: there is no bomb to answer, or it may not be answered.
          IllegalMoveError: the defender's re-bomb.
        """
        self._check_window(player, (Phase.REBOMB,), Rebomb())
        hand = replace(self._my_turn(), doubling=DOUBLE * DOUBLE)
        return hand.noting(("re-bomb", player))._opened()

    def no_bomb(self, player: int) -> "Hand":
        """Leave the bomb, or the re-bomb, alone.

        Raises:
          BombClosed: the window is closed.
          IllegalMoveError: the other player's window.
        """
        self._check_window(player, (Phase.BOMB, Phase.REBOMB), Pass())
        return self._my_turn().noting(("no bomb", player))._opened()

    def _opened(self) -> "Hand":
        """Let the declarer lead to the first trick."""
        return replace(self, phase=Phase.PLAY, leader=self.declarer)

    # 5. Play

    def play(self, player: int, card: Card, declare: bool = False) -> "Hand":
        """Lead a card, declaring its marriage or not; or follow.

        Raises:
          IllegalMoveError: not this player's turn, not a card that he may play, or no marriage that
            he may declare.
        """
        what = Declare(card) if declare else Play(card)
        self._check_turn(player, Phase.PLAY, what)
        if card not in self.hands[player]:
            self._refuse(what, Refused, "it is not in hand")
        if declare and (self.table is not None or not self.may_declare(card)):
            self._refuse(
                what, Refused, "who leads K or Q and holds the other declares, nobody else"
            )
        if self.table is None:
            hand = self._my_turn()
            hand = hand._declared(card) if declare else hand
            return replace(hand._laid(player, card), table=card)
        if card not in self._replies(self.hands[player], self.table):
            self._refuse(what, Refused, f"{self.table} is to be followed, and beaten if possible")
        return self._my_turn()._replied(player, card)

    def _declared(self, card: Card) -> "Hand":
        """Count the marriage of a card still in hand; its suit is trump from now on."""
        player, suit = self.leader, card.suit
        hand = replace(
            self,
            trump=suit,
            declared=with_seat(self.declared, player, self.declared[player] | {suit}),
            points=add(self.points, player, MARRIAGES[suit]),
        )
        return hand._knowing(player, couple(suit)).noting(("declare", player, SUIT_IDS[suit]))

    def _laid(self, player: int, card: Card) -> "Hand":
        """Move a card from the hand to the table."""
        held = tuple(other for other in self.hands[player] if other != card)
        hand = replace(
            self,
            hands=with_seat(self.hands, player, held),
            known=with_seat(self.known, player, self.known[player] - {card}),
            played=with_seat(self.played, player, self.played[player] | {card}),
        )
        return hand.noting(("play", player, IDS[card]))

    def _replied(self, player: int, card: Card) -> "Hand":
        assert self.table is not None
        winner = player if beats(card, self.table, self.trump) else self.leader
        hand = self._laid(player, card)
        trick_points = points_of((self.table, card))
        hand = replace(
            hand,
            leader=winner,
            table=None,
            last=(self.table, card),
            points=add(hand.points, winner, trick_points),
            tricks=add(hand.tricks, winner, 1),
        )
        hand = hand.noting(("trick", winner, trick_points))
        return hand if any(hand.hands) else hand._ended(Ending.PLAYED)

    # 6. End of the hand

    def _ended(self, ending: Ending) -> "Hand":
        return replace(self, ending=ending, phase=Phase.OVER).noting(("end", ending.name))

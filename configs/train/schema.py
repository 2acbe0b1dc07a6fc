"""The settings of PPO-LSTM (`agents/README.md` tells what they do)."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic.dataclasses import dataclass

from talonax.configs.rules import STRICT

#: The opponent that every learner has: itself as it is now.
SELF = "self"
#: Earlier checkpoints of the same run.
LEAGUE = "league"


def _setting(
    text: str,
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
) -> Any:
    return Field(description=text, ge=ge, gt=gt, le=le, lt=lt)


def _number(value: Any) -> Any:
    """Read YAML's `10_000_000`, `1e7` and whole numbers where a fraction may stand alike."""
    if isinstance(value, str):
        text = value.replace("_", "")
        try:
            return int(text)
        except ValueError:
            return float(text)
    return value


def _whole(value: Any) -> Any:
    read = _number(value)
    return int(read) if isinstance(read, float) and read.is_integer() else read


def _fraction(value: Any) -> Any:
    read = _number(value)
    return float(read) if isinstance(read, int) and not isinstance(read, bool) else read


def _widths(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _mix(value: Any) -> Any:
    return (
        tuple((str(k), _fraction(v)) for k, v in value.items())
        if isinstance(value, dict)
        else value
    )


Whole = BeforeValidator(_whole)
Width = Annotated[int, Field(ge=1)]
Fraction = BeforeValidator(_fraction)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PPOSettings:
    """One field per setting; YAML files name those that differ from the defaults."""

    # How long, and how wide
    total_steps: Annotated[int, _setting("decisions to learn from in all", ge=1), Whole] = (
        10_000_000
    )
    envs: Annotated[int, _setting("games played side by side", ge=1), Whole] = 512
    steps: Annotated[int, _setting("steps of each game in a rollout (T)", ge=2), Whole] = 64
    chunk: Annotated[
        int, _setting("steps through which gradients flow back; divides `steps`", ge=1), Whole
    ] = 32
    minibatches: Annotated[
        int, _setting("parts of a rollout, each a gradient step", ge=1), Whole
    ] = 4
    epochs: Annotated[int, _setting("times that a rollout is learned from", ge=1), Whole] = 1
    updates_per_call: Annotated[
        int, _setting("rollouts learned from in one compiled call", ge=1), Whole
    ] = 8

    # The network
    trunk: Annotated[
        tuple[Width, ...],
        Field(description="widths of the layers before the LSTM"),
        BeforeValidator(_widths),
    ] = (128,)
    lstm: Annotated[int, _setting("width of the LSTM", ge=1), Whole] = 128
    rename_suits: Annotated[
        bool,
        _setting(
            "the network names suits anew, the trump suit first, in games where suits are alike"
        ),
    ] = True
    privileged_critic: Annotated[
        bool,
        _setting("the value is told by a network of its own that sees all seats' observations"),
    ] = False
    critic: Annotated[
        tuple[Width, ...],
        Field(description="widths of the layers of that network"),
        BeforeValidator(_widths),
    ] = (256, 128)

    # The loss
    learning_rate: Annotated[float, _setting("of Adam, at the start", gt=0), Fraction] = 1e-3
    learning_rate_end: Annotated[
        float, _setting("the same at the end; it falls on a line", ge=0), Fraction
    ] = 1e-4
    gradient_clip: Annotated[float, _setting("the largest norm of a gradient", gt=0), Fraction] = (
        0.5
    )
    discount: Annotated[
        float, _setting("gamma, from one decision of a seat to its next", ge=0, le=1), Fraction
    ] = 1.0
    trace: Annotated[float, _setting("lambda of the advantages", ge=0, le=1), Fraction] = 0.95
    clip: Annotated[float, _setting("epsilon of the clipped surrogate", gt=0), Fraction] = 0.2
    value_weight: Annotated[float, _setting("weight of the value loss", ge=0), Fraction] = 0.5
    normalise_advantages: Annotated[
        bool, _setting("to mean 0 and deviation 1 in each minibatch")
    ] = True
    objective: Annotated[
        Literal["points", "wins"],
        _setting(
            "what is maximised: rewards as the game pays them, or only their signs: "
            "+1 for a gain, -1 for a loss"
        ),
    ] = "points"
    reward_unit: Annotated[
        Literal["max_loss", "deviation"],
        _setting(
            "what values are measured in: env.max_loss, or a running deviation of the returns"
        ),
    ] = "deviation"

    # Regularised self-play
    entropy: Annotated[float, _setting("weight of the entropy, at the start", ge=0), Fraction] = (
        0.05
    )
    entropy_end: Annotated[float, _setting("the same at the end", ge=0), Fraction] = 0.005
    entropy_power: Annotated[
        float,
        _setting("how it falls: by this power of what is left of the run; 1 is a line", gt=0),
        Fraction,
    ] = 1.0
    kl_prox: Annotated[
        float, _setting("weight of the divergence from the policy that played", ge=0), Fraction
    ] = 0.0
    kl_magnet: Annotated[
        float, _setting("weight of the divergence from the magnet", ge=0), Fraction
    ] = 0.0
    refresh: Annotated[
        int, _setting("updates after which the magnet becomes the policy of then", ge=1), Whole
    ] = 200
    average: Annotated[
        float,
        _setting("decay per update of the moving average of parameters", ge=0, lt=1),
        Fraction,
    ] = 0.99

    # Opponents
    opponents: Annotated[
        tuple[tuple[str, float], ...],
        Field(description="a mapping: shares of the games against `self`, `league`, bots"),
        BeforeValidator(_mix),
    ] = ((SELF, 1.0),)
    league_size: Annotated[int, _setting("earlier selves that are kept to play", ge=1), Whole] = 4
    league_every: Annotated[
        int, _setting("updates after which one is replaced by the self of then", ge=1), Whole
    ] = 100

    # Looking on
    evaluate_every: Annotated[int, _setting("decisions between evaluations", ge=1), Whole] = (
        1_000_000
    )
    evaluation_deals: Annotated[
        int, _setting("duplicate deals of an evaluation, against each bot", ge=2), Whole
    ] = 2_000
    exploitability: Annotated[
        bool, _setting("evaluations measure it, too; only small games can be enumerated")
    ] = False
    keep: Annotated[int, _setting("checkpoints that are kept", ge=1), Whole] = 3

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.steps % self.chunk:
            raise ValueError(f"chunk: {self.chunk} does not divide steps: {self.steps}")
        sequences = self.envs * (self.steps // self.chunk)
        if sequences % self.minibatches:
            raise ValueError(
                f"minibatches: {self.minibatches} do not divide the {sequences} chunks of a rollout"
            )
        if self.privileged_critic and not self.critic:
            raise ValueError("critic: [] is no network, and privileged_critic is on")
        shares = [share for _, share in self.opponents]
        if not shares or min(shares) < 0 or abs(sum(shares) - 1) > 1e-6:
            raise ValueError(f"opponents: the shares {shares} are not parts of 1")
        return self

    @property
    def steps_per_update(self) -> int:
        """Decisions of one rollout."""
        return self.envs * self.steps

    @property
    def updates(self) -> int:
        """Updates in all: as many as `total_steps` needs, in whole calls."""
        calls = -(-self.total_steps // (self.steps_per_update * self.updates_per_call))
        return calls * self.updates_per_call


__all__ = ["LEAGUE", "SELF", "PPOSettings"]

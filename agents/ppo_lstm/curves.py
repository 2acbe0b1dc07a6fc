"""The learning curves of a run as one picture, drawn by matplotlib where that is installed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from talonax.agents.runs import AVERAGE, CURRENT, EVALUATION, EXPLOITABILITY, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVES = "curves.png"
#: Lines of the panels below the first, and what is written at their axes.
PANELS = (
    ("entropy", "entropy, nats"),
    ("kl", "KL to the policy that played"),
    ("value_loss", "value loss"),
)


def draw(run: Run) -> None:
    """Draw the metrics of a run into its folder; nothing without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=(10, 7), layout="constrained")
    axes = figure.subplots(2, 2).flat
    entries = run.metrics()
    _strength(axes[0], [entry for entry in entries if EVALUATION in entry])
    losses = [entry for entry in entries if EVALUATION not in entry]
    for panel, (name, text) in zip(axes[1:], PANELS, strict=True):
        panel.plot([entry["step"] for entry in losses], [entry[name] for entry in losses])
        panel.set_title(text)
    for panel in axes:
        panel.set_xlabel("steps")
        panel.grid(alpha=0.3)
    about = run.about
    figure.suptitle(f"{about['game']}, {about['algorithm']}, seed {about['seed']}")
    beside = run.path / f"{CURVES}.part"
    figure.savefig(beside, format="png", dpi=100)
    beside.replace(run.path / CURVES)


def _strength(panel: "Axes", entries: list[Mapping[str, Any]]) -> None:
    """Draw what the evaluations found: exploitability where it was measured, else games won."""
    for iterate, style in ((CURRENT, ":"), (AVERAGE, "-")):
        steps = [entry["step"] for entry in entries]
        found = [entry[EVALUATION][iterate] for entry in entries]
        if found and EXPLOITABILITY in found[0]:
            values = [each[EXPLOITABILITY] for each in found]
            panel.plot(steps, values, style, marker=".", label=iterate)
            panel.set_title("exploitability, points")
            continue
        for number, bot in enumerate(found[0] if found else ()):
            rates = [100 * each[bot]["win_rate"] for each in found]
            errors = [100 * each[bot]["win_ci95"] for each in found]
            panel.errorbar(
                steps, rates, errors, fmt=style, marker=".", color=f"C{number}",
                label=f"{iterate} against {bot}",
            )  # fmt: skip
        panel.set_title("games won, % (95 % intervals)")
    if entries:
        panel.legend()

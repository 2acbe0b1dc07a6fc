"""The command line as a whole: help, errors, and the commands that only look."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import talonax
from talonax.__main__ import COMMANDS, main
from talonax.cli import output
from talonax.cli.options import whole_number
from talonax.envs.serialize import from_json

Told = Callable[..., dict[str, Any]]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """Run a command with --json; the one object that it prints."""

    def run(*words: str, code: int = 0) -> dict[str, Any]:
        assert main([*words, "--json"]) == code
        read: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert read["schema"] == 1
        return read

    return run


# Help and errors --------------------------------------------------------------------------------


def test_overview_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(re.search(rf"^  {name} +[A-Z].*\.$", shown, re.M) for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_tells_what_it_is_and_every_option(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    assert main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    assert COMMANDS[name].__doc__.splitlines()[0] in shown
    assert "--json" in shown
    assert "Attributes" not in shown
    assert max(len(line) for line in shown.splitlines()) <= 90


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"talonax {talonax.__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "a command is needed; there are: games, selfplay"),
        ("selfpla", "no command 'selfpla'; there are: games, selfplay"),
        ("selfplay", "Missing from talonax selfplay: GAME (see talonax selfplay --help)"),
        ("selfplay snapszer --gams 3", "--gams, 3; Perhaps you meant: --games N"),
        ("selfplay snapszer more", "Unrecognized options: more"),
        ("selfplay snapszer --games", "Missing value for argument '--games'"),
        ("selfplay snapszer --games few", "--games: 'few' is no number; a whole number of at"),
        ("selfplay snapszer --games 0", "--games: 0 is not allowed; a whole number of at least 1"),
        ("selfplay snapszer --seed -1", "--seed: -1 is not allowed; a whole number from 0 to 429"),
        ("selfplay snapser", f"no game 'snapser'; there are: {', '.join(talonax.games())}"),
        ("show snapszer --profile x", "snapszer has no profile 'x'; there are: hungarian, base"),
        ("show snapszer --profile no.yaml", "no.yaml: No such file"),
        ("show snapszer --set match", "--set match: must be FLAG=VALUE"),
        ("show snapszer --set game=1", "--set game: snapszer has no such flag; there are: closing"),
        ("show snapszer --set match=many", "match: 'many' is not allowed: Input should be a val"),
        ("show snapszer --set match=[", "--set match=[: '[' is no YAML value"),
        ("show snapszer --player 2", "--player 2: there are players 0 .. 1"),
        ("parity snapszer --set nines=3", "nines: 3 is not allowed"),
        ("show tysiac --set bomba.allow_redouble=true", "bomba.allow_redouble: there is nothing"),
        ("show tysiac --set bomba.loud=true", "--set bomba.loud: tysiac has no such flag; there a"),
        ("show tysiac --set bomba=true", "bomba: True is not allowed"),
        ("bench tysiac --set bomba.enabled=true", "Unrecognized options: --set"),
        ("selfplay tysiac --set target=700", "target: 700 is not above lock: 800"),
        ("selfplay snapszer --policies good", "--policies: snapszer has no player 'good'; there"),
        ("selfplay snapszer --policies random random random", "2 seats; give one policy or 2"),
        ("selfplay snapszer --devices 9", "--devices 9: jax sees 8 (cpu)"),
        ("selfplay snapszer --devices 3", "--batch 4096 cannot be shared by 3 devices"),
        ("selfplay snapszer --batch 2000000000", "counted in 32 bits: at most 97612893"),
        ("selfplay snapszer --out no/such/a.npz", "--out no/such/a.npz: no/such: No such file"),
        ("selfplay snapszer --out games.txt", "--out games.txt: the name must end in .npz"),
        ("replay no.npz", "no.npz: no such file"),
        ("bench no", "no game 'no'; there are"),
        ("bench snapszer:no", "snapszer has no profile 'no'"),
        ("bench snapszer --peers no", "--peers no: no such peer; there are: pgx, openspiel"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("talonax: ")
    assert said in err


def test_rules_with_two_faults_are_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "mine.yaml"
    profile.write_text("closing: 7\nmatch: x\n")
    assert main(["show", "snapszer", "--profile", str(profile)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "closing: 7" in err
    assert "match: 'x'" in err


@pytest.mark.parametrize(
    ("text", "number"), [("12", 12), ("1e6", 1_000_000), ("1_000", 1000), ("2.0", 2)]
)
def test_whole_numbers_may_be_written_in_several_ways(text: str, number: int) -> None:
    assert whole_number(1)(text) == number


@pytest.mark.parametrize("text", ["1.5", "nan", "inf", "", "0", "11", "1e2"])
def test_other_numbers_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a whole number from 1 to 10"):
        whole_number(1, 10)(text)


def test_a_process_without_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "talonax", "show", "chess"], capture_output=True, text=True
    )
    assert done.returncode == 2
    games = ", ".join(talonax.games())
    assert done.stderr == f"talonax: no game 'chess'; there are: {games}\n"


def test_options_are_parsed_without_jax() -> None:
    code = (
        "import sys; from talonax.__main__ import main; "
        "main(['selfplay', '--help']); print('jax' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False\n")


def test_large_rates_are_shown_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table(("what", "a", "b"), [("hands", 15234.5, 3), ("bombs", 0.0123456, 12345)])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[-2:] == [["hands", "15,234", "3"], ["bombs", "0.01235", "12,345"]]


def test_a_narrow_terminal_cuts_no_digit_off(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    row = ("a pair of long names - another", 40000, "60.02% ± 0.63", "folded where it must be")
    output.print_table(("pair", "games", "won", "remark"), [row])
    lines = capsys.readouterr().out.splitlines()[2:]
    assert lines[0].startswith("a pair of long names - another  40,000  60.02% ± 0.63  folded")
    assert [word for line in lines[1:] for word in line.split()] == ["where", "it", "must", "be"]


# Looking ----------------------------------------------------------------------------------------


def test_games_as_json(told: Told) -> None:
    games = {game["id"]: game for game in told("games")["games"]}
    assert list(games) == talonax.games()
    snapszer, env = games["snapszer"], talonax.make("snapszer")
    assert list(snapszer) == [
        "id",
        "version",
        "players",
        "num_actions",
        "observation_shape",
        "max_steps",
        "profiles",
        "default_profile",
        "summary",
    ]
    assert snapszer["observation_shape"] == list(env.observation_shape)
    assert snapszer["default_profile"] == "hungarian"
    assert snapszer["profiles"] == ["hungarian", "base", "austrian", "vu"]
    assert (snapszer["players"], snapszer["max_steps"]) == (2, env.max_steps)


def test_games_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    shown = capsys.readouterr().out
    assert talonax.make("snapszer").summary in shown
    assert "profiles: hungarian, base, austrian, vu" in shown


def test_show_as_json(told: Told) -> None:
    shown = told("show", "snapszer", "--seed", "3")
    assert list(shown) == ["schema", "deck", "state", "views"]
    env, state = from_json(json.dumps(shown["state"]))
    assert env == talonax.make("snapszer")
    dealt = env.deal(shown["deck"])
    assert [env.render(dealt, player) for player in (0, 1)] == shown["views"]
    assert env.render(state) == env.render(dealt)
    assert shown != told("show", "snapszer", "--seed", "4")


def test_show_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "snapszer", "--set", "match=7", "nines=true"]) == 0
    shown = capsys.readouterr().out
    assert "What player 0 sees" in shown
    assert "What player 1 sees" in shown
    assert "match 0:0 to 7" in shown
    assert "Player 0 may: " in shown
    assert "close" in shown.partition("Player 0 may: ")[2]


def test_flags_of_flags_are_set_by_dotted_names(told: Told) -> None:
    dotted = told("show", "tysiac", "--set", "bomba.enabled=true", "lock=none")
    rules = dotted["state"]["rules"]
    assert rules["bomba"] == {"enabled": True, "allow_redouble": False}
    assert rules["lock"] is None
    mapping = told("show", "tysiac", "--set", "bomba={enabled: true}", "lock=none")
    assert mapping == dotted


def test_show_hides_the_other_hand_and_draws_planes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "high_card_duel", "--player", "1", "--planes"]) == 0
    shown = capsys.readouterr().out
    assert "What player 0 sees" not in shown
    hand = shown.partition("my_hand\n")[2].splitlines()[:5]
    assert hand[0].split() == ["A", *"23456789TJQK", "JO"]
    assert [line.split()[0] for line in hand[1:]] == ["S", "H", "D", "C"]
    assert sum(line.count("#") for line in hand) == 1


@pytest.mark.parametrize(("words", "compiles"), [(("games",), False), (("show", "snapszer"), True)])
def test_listing_the_games_compiles_nothing(words: tuple[str, ...], compiles: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "talonax", *words],
        env={**os.environ, "JAX_LOG_COMPILES": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert ("Compiling" in done.stderr) == compiles

"""What the pages say is so: tables come from the code, examples run, links lead somewhere."""

import re
from pathlib import Path

import jax
import numpy as np
import pytest

import talonax
from talonax.agents import page as agents_page
from talonax.configs import games as listing
from talonax.envs import pages
from talonax.envs.check import check_env
from talonax.envs.registry import make

ROOT = Path(__file__).parent.parent
ADD_A_GAME = ROOT / "envs" / "README.md"
BLOCKS = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_every_game_has_a_page_and_its_tables_are_up_to_date(capsys):
    assert [env.id for env in pages.pages().values()] == talonax.games()
    assert pages.main([]) == 0, capsys.readouterr().out


def test_a_stale_table_is_found_and_rewritten(tmp_path, monkeypatch, capsys):
    page = tmp_path / "README.md"
    page.write_text("# x\n<!-- generated: profiles -->\nold\n<!-- end -->\n")
    monkeypatch.setattr(pages, "pages", lambda: {page: make("snapszer")})
    assert pages.main([]) == 1
    assert "out of date" in capsys.readouterr().out
    assert pages.main(["--write"]) == 0
    assert "`closer_beaten: normal`" in page.read_text()
    assert pages.main([]) == 0
    page.write_text("<!-- generated: colours -->\n<!-- end -->\n")
    with pytest.raises(ValueError, match="no table 'colours'"):
        pages.main([])


def test_a_table_may_be_of_other_flags():
    block = "<!-- generated: numbers{} -->\n<!-- end -->"
    assert "| players | 2 |" in pages.filled(block.format(""), make("bezique"))
    four = pages.filled(block.format(" players=4 rounds=1"), make("bezique"))
    assert "| players | 4 |\n" in four
    assert "| longest game | 181 steps |\n" in four
    assert four.startswith("<!-- generated: numbers players=4 rounds=1 -->\n")
    assert four.endswith("<!-- end -->")


@pytest.mark.slow
def test_the_game_of_the_page_works_as_a_peer(monkeypatch):
    monkeypatch.setattr(listing, "_GAMES", dict(listing._GAMES))
    code = "\n".join(BLOCKS.findall(ADD_A_GAME.read_text(encoding="utf-8")))
    exec(compile(code, str(ADD_A_GAME), "exec"), {"__name__": "my_package"})
    assert "one_trick" in talonax.games()
    env = talonax.make("one_trick", trumps=False)
    state = env.init(jax.random.key(0))
    assert "··" in env.render(state, 0)
    assert "··" not in env.render(state)
    with pytest.raises(ValueError, match="trumps: 3 is not allowed"):
        talonax.make("one_trick", trumps=3)


@pytest.mark.parametrize("game", talonax.games())
def test_the_python_of_a_games_page_runs(game):
    text = (ROOT / "envs" / game / "README.md").read_text(encoding="utf-8")
    blocks = BLOCKS.findall(text)
    assert blocks
    for block in blocks:
        exec(block, {"talonax": talonax, "jax": jax})


def test_the_tables_of_the_agents_page_are_up_to_date(capsys):
    assert agents_page.main([]) == 0, capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "agents/README.md"])
def test_the_python_of_a_page_runs(page):
    blocks = BLOCKS.findall((ROOT / page).read_text(encoding="utf-8"))
    assert blocks
    for block in blocks:
        exec(block, {})


@pytest.mark.parametrize(
    "page",
    [*ROOT.glob("*.md"), *ROOT.glob("envs/**/*.md"), ROOT / "agents" / "README.md"],
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_one_card_is_one_bit_of_the_documented_block():
    env = talonax.make("snapszer")
    layout = env.observation_layout()
    assert [part.stop for part in layout.values()][-1] == env.observation_shape[0]
    starts, stops = zip(*[(part.start, part.stop) for part in layout.values()], strict=True)
    assert starts == (0, *stops[:-1])
    state = env.deal(np.arange(20))
    seen = np.asarray(env.observe(state, 1))
    assert np.flatnonzero(seen[layout["hand"]]).tolist() == [5, 6, 7, 8, 9]
    assert np.flatnonzero(seen[layout["turned_up"]]).tolist() == [10]


@pytest.mark.slow
def test_check_env_is_what_the_page_promises():
    check_env(make("high_card_duel"), games=32)

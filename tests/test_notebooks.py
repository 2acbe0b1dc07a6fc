"""The notebooks run from top to bottom."""

from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("nbclient")
    import nbformat

    # Notebooks compute: compiled as users have it compiled, not as the rule tests do
    monkeypatch.delenv("XLA_FLAGS")
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "commit it without outputs"
    client.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    printed = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("Elo" in str(each) or "learned: " in str(each) for each in printed)
    assert any("image/png" in each.get("data", {}) for each in printed)

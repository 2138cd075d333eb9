"""A new block of each kind passes its test at once, and fails it with another law."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from drawbar.blocks.cli.block_templates import BLOCKS, FILES
from drawbar.orchestrator.cli.commands import main


def pytest_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


# what is written runs without a compiler too, but for a kernel
KINDS = [pytest.param(kind, marks=[pytest.mark.compiler] if kind == "kernel" else []) for kind in BLOCKS]


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_block_passes_its_test_and_shows_its_ports(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, name = tmp_path / "mine", f"Fresh{kind.capitalize()}"
    assert main(["new", "block", name, "--kind", kind, "--folder", str(folder)]) == 0
    said = capsys.readouterr().out
    module = f"fresh_{kind}"
    endings = [".py", *FILES.get(kind, {})]
    assert {p.name for p in folder.iterdir()} == {f"test_{module}.py", *(module + end for end in endings)}
    assert f"drawbar info {module}:{name} --workspace {folder}" in said
    for place, words in [(folder, []), (tmp_path, ["mine"]), (tmp_path, ["mine", "--import-mode=importlib"])]:
        done = pytest_in(place, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "2 passed" in done.stdout
    assert not (folder / "runs").exists(), "the test leaves no run behind"
    assert main(["info", f"{module}:{name}", "--workspace", str(folder)]) == 0
    assert "signal to" in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_the_written_test_fails_where_the_law_is_another(kind: str, tmp_path: Path) -> None:
    assert main(["new", "block", "Changed", "--kind", kind, "--folder", str(tmp_path)]) == 0
    path = tmp_path / ("changed.c" if kind == "kernel" else "changed.py")
    path.write_text(re.sub(r"self\.u - ", "2.0 * self.u - ", path.read_text()).replace(" > p->level", " < p->level"))
    assert "1 failed, 1 passed" in pytest_in(tmp_path).stdout


@pytest.mark.parametrize("kind", BLOCKS)
def test_what_is_written_keeps_to_the_style(kind: str, tmp_path: Path) -> None:
    """The longest name that fits, so that no line grows too long."""
    name = "Abcdefghijklmnopqrstuvwxyz"
    assert main(["new", "block", name, "--kind", kind, "--folder", str(tmp_path)]) == 0
    for path in tmp_path.iterdir():
        text = path.read_text()
        assert text.endswith("\n") and not text.endswith("\n\n")
        assert max(map(len, text.splitlines())) <= 120
        assert not re.search(r"\{\w", text), "a place that was not filled"

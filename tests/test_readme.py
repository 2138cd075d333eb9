"""What the README says is true."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def readme(clone: Path) -> str:
    return (clone / "README.md").read_text()


def commands(text: str) -> list[str]:
    """The lines of a shell session: indented by four, or fenced as sh."""
    fenced = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S))
    return re.findall(r"^ {4}(\S.*)$", text, re.M) + fenced.splitlines()


def targets(text: str) -> list[str]:
    """The files that links and pictures point to, but not addresses."""
    return [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]


def test_it_opens_with_two_commands_and_setup_knows_them(clone: Path, readme: str) -> None:
    opening = readme.partition("\n## ")[0]
    assert commands(opening) == ["./setup run", "./setup test"]
    usage = subprocess.run([str(clone / "setup")], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"\./setup \w+", usage) == commands(opening)


def test_a_third_command_is_seen(readme: str) -> None:
    assert (
        len(commands(readme.replace("    ./setup run\n", "    ./setup run\n    pip install x\n").partition("\n## ")[0]))
        == 3
    )


def test_links_lead_somewhere(clone: Path, readme: str) -> None:
    assert len(targets(readme)) > 5
    assert [link for link in targets(readme) if not (clone / link).exists()] == []


def test_a_link_is_seen() -> None:
    assert targets("![x](docs/x.png) [y](y.md#part) [z](https://z.org)") == ["docs/x.png", "y.md"]


def test_its_verbs_are_those_of_the_command_line(clone: Path, readme: str) -> None:
    section = readme.partition("## The command line")[2].partition("\n## ")[0]
    verbs = re.findall(r"^\| `(\w+)` \|", section, re.M)
    groups = tomllib.loads((clone / "pyproject.toml").read_text())["project"]["entry-points"]
    assert sorted(verbs) == sorted(groups["drawbar.commands"])


def test_its_example_runs(readme: str, tmp_path: Path) -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```$", readme, re.M | re.S)
    (tmp_path / "demo.py").write_text(example)
    done = subprocess.run(
        [sys.executable, "-W", "error", "demo.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.splitlines()[-1]) == pytest.approx(0.9817, abs=1e-4)
    assert (tmp_path / "runs" / "demo-001" / "run.json").is_file()

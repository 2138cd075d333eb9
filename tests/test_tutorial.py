"""The tutorial does what it says: its boxes are pasted into one shell, in order, beside a clone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

MARK = "--- end of box"
PIP = "python -m pip install -q pytest\n"  # left out here: a test asks no registry, and has pytest


@dataclass
class Box:
    """What one pastes, and the lines that it is said to print."""

    commands: str
    claims: list[str]


def boxes(text: str) -> list[Box]:
    found = re.findall(r"^```sh\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", text, re.M | re.S)
    return [Box(commands, claims.splitlines()) for commands, claims in found]


def first_false(claims: list[str], printed: str) -> str | None:
    """The first claim that is not among the printed lines, behind those of the claims above it; `...` is anything."""
    lines = iter(line.rstrip() for line in printed.splitlines())
    for claim in claims:
        if claim != "...":
            pattern = re.compile(re.sub(r" *\\\.\\\.\\\.", ".*", re.escape(claim).replace("\\ ", " ")))
            if not any(pattern.fullmatch(line) for line in lines):
                return claim
    return None


def paste(text: str, folder: Path) -> list[str]:
    """What each box prints, to both streams, up to the box that fails."""
    (folder / "clone" / ".venv" / "bin").mkdir(parents=True)
    # the environment of this Python in place of the one that ./setup makes in a clone
    (folder / "clone" / ".venv" / "bin" / "activate").write_text(f"PATH='{Path(sys.executable).parent}':$PATH\n")
    script = "set -e\n" + "".join(f"{box.commands}echo '{MARK}'\n" for box in boxes(text)).replace(PIP, "")
    env = {**os.environ, "HOME": str(folder), "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder / "clone",
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout.split(MARK + "\n")


@pytest.fixture(scope="module")
def tutorial(clone: Path) -> str:
    return (clone / "docs" / "tutorial.md").read_text(encoding="utf-8")


@pytest.mark.compiler
def test_its_commands_print_what_it_says(tutorial: str, clone: Path, tmp_path: Path) -> None:
    *printed, rest = paste(tutorial, tmp_path)
    assert len(printed) == len(boxes(tutorial)), rest
    assert rest == ""
    for box, text in zip(boxes(tutorial), printed, strict=True):
        assert first_false(box.claims, text) is None, text
    made = (tmp_path / "hill" / "climb.svg").read_text(encoding="utf-8")
    assert made == (clone / "docs" / "tutorial.svg").read_text(encoding="utf-8"), "the picture beside it is another"


@pytest.mark.compiler
@pytest.mark.parametrize("name", ["coupling", "export"])
def test_the_page_prints_what_it_says(name: str, clone: Path, tmp_path: Path) -> None:
    page = (clone / "docs" / f"{name}.md").read_text(encoding="utf-8")
    *printed, rest = paste(page, tmp_path)
    assert len(printed) == len(boxes(page)) == 3, rest
    for box, text in zip(boxes(page), printed, strict=True):
        assert first_false(box.claims, text) is None, text


@pytest.mark.compiler
def test_a_command_that_fails_is_seen(tutorial: str, tmp_path: Path) -> None:
    """As far as step 3, where a name is misspelt."""
    changed = tutorial.partition("## 4.")[0].replace("drawbar info rover:Rover", "drawbar info rover:Rower")
    *printed, rest = paste(changed, tmp_path)
    assert len(printed) == len(boxes(changed)) - 1
    assert "did you mean 'rover:Rover'" in rest


def test_its_boxes_are_found(tutorial: str) -> None:
    assert len(re.findall(r"^```sh$", tutorial, re.M)) == len(boxes(tutorial)) > 10
    assert tutorial.count(PIP) == 1
    assert len(re.findall(r"^```text$", tutorial, re.M)) == sum(bool(box.claims) for box in boxes(tutorial))
    steps = re.findall(r"^## (\d+)\. ", tutorial, re.M)
    assert [int(step) for step in steps] == list(range(1, 11))


def test_links_lead_somewhere(tutorial: str, clone: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)", tutorial)
    assert len(links) > 5
    assert [link for link in links if not (clone / "docs" / link).exists()] == []


@pytest.mark.parametrize(
    ("claims", "false"),
    [
        (["a 1.5 s", "...", "c"], None),
        (["a ... s", "c"], None),
        (["a ...", "b", "c"], None),
        (["c ..."], None),
        (["a 1.6 s", "c"], "a 1.6 s"),
        (["a 1x5 s"], "a 1x5 s"),
        (["c", "b"], "b"),
        (["b", "c", "d"], "d"),
        (["a 1.5"], "a 1.5"),
    ],
)
def test_a_false_claim_is_seen(claims: list[str], false: str | None) -> None:
    assert first_false(claims, "a 1.5 s\nb\nc  \n") == false

"""What README.md and the other pages say is true: commands, verbs, example, links, files."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath

import pytest


@pytest.fixture(scope="module")
def readme(clone: Path) -> str:
    return (clone / "README.md").read_text()


def commands(text: str) -> list[str]:
    """Return the lines of a shell session: indented by four, or fenced as sh."""
    fenced = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S))
    return re.findall(r"^ {4}(\S.*)$", text, re.M) + fenced.splitlines()


def targets(text: str) -> list[str]:
    """Return the files and sections that links and pictures point to, but no web addresses."""
    return [link for link in re.findall(r"\]\(([^)\s]+)", text) if "://" not in link]


def sections(text: str) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def dead_links(page: Path) -> list[str]:
    """Return the links of a page to files or sections that do not exist."""
    dead = []
    for link in targets(page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        path = page.parent / name if name else page
        if not path.exists() or (anchor and anchor not in sections(path.read_text(encoding="utf-8"))):
            dead.append(link)
    return dead


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


def test_a_link_is_seen() -> None:
    assert targets("![x](docs/x.png) [y](y.md#part) [z](https://z.org)") == ["docs/x.png", "y.md#part"]


def test_the_page_of_the_command_line_has_all_verbs(clone: Path) -> None:
    verbs = re.findall(r"^\| `(\w+)` \|", (clone / "docs" / "command-line.md").read_text(encoding="utf-8"), re.M)
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


def test_the_examples_on_diagrams_run(clone: Path, tmp_path: Path) -> None:
    examples = re.findall(r"^```python\n(.*?)^```$", (clone / "docs" / "diagrams.md").read_text(), re.M | re.S)
    assert len(examples) > 3
    (tmp_path / "examples.py").write_text("\n".join(examples))
    subprocess.run([sys.executable, "-W", "error", "examples.py"], cwd=tmp_path, check=True)
    assert {p.name for p in tmp_path.iterdir()} >= {"two_lags.ssd", "whole.ssd", "winter.ssv"}


CODE = {".py", ".c", ".h", ".js", ".css", ".html"}
# what its README lists by the names of the classes, which a test beside it compares
BY_CLASS = PurePosixPath("blocks/signals")


def described(tracked: list[PurePosixPath]) -> dict[PurePosixPath, list[PurePosixPath]]:
    """The files that each README of a folder must name: those beside it, and in folders below that have none."""
    readmes = [p for p in tracked if p.name == "README.md" and p.parent.parts]
    found: dict[PurePosixPath, list[PurePosixPath]] = {readme: [] for readme in readmes}
    for path in tracked:
        test = path.parts[0] == "tests" and (path.name.startswith("test_") or path.name == "conftest.py")
        if path.suffix in CODE and path.name != "__init__.py" and not test and path.parent != BY_CLASS:
            nearest = next((r for folder in path.parents if (r := folder / "README.md") in found), None)
            # below tests/ the tree is that of the packages, whose READMEs say what there is
            if nearest is not None and (path.parts[0] != "tests" or path.parent == nearest.parent):
                found[nearest].append(path)
    return found


def unnamed(text: str, files: list[PurePosixPath]) -> list[str]:
    return [file.name for file in files if not re.search(rf"(?<!\w){re.escape(file.name)}(?!\w)", text)]


def nowhere(text: str, folder: Path) -> list[str]:
    """The files that the tables of a README name and that are not in its folder or below."""
    cells = re.findall(r"^\| (`[^|]*) \|", text, re.M)
    names = [n for cell in cells for n in re.findall(r"`([\w/]+\.\w+)`", cell) if Path(n).suffix in CODE]
    return [name for name in names if not any(folder.rglob(name))]


def test_a_folder_with_code_has_a_readme_that_names_every_file(clone: Path, tracked: list[PurePosixPath]) -> None:
    found = described(tracked)
    assert sum(map(len, found.values())) > 150
    text = {readme: (clone / readme).read_text(encoding="utf-8") for readme in found}
    assert {str(readme): missed for readme in found if (missed := unnamed(text[readme], found[readme]))} == {}
    assert {str(readme): lost for readme in found if (lost := nowhere(text[readme], (clone / readme).parent))} == {}


def test_every_folder_of_blocks_has_a_readme(clone: Path) -> None:
    folders = [f for f in (clone / "blocks").iterdir() if (f / "__init__.py").is_file()]
    assert len(folders) > 4
    assert [f.name for f in folders if not (f / "README.md").is_file()] == []


def test_a_file_that_no_readme_names_is_seen() -> None:
    names = ("README.md", "a.py", "b.c", "deep/c.py", "deep/__init__.py", "own/README.md", "own/d.py")
    found = described([PurePosixPath("web", name) for name in names])
    beside, own = found[PurePosixPath("web/README.md")], found[PurePosixPath("web/own/README.md")]
    assert [f.name for f in beside] == ["a.py", "b.c", "c.py"]
    assert [f.name for f in own] == ["d.py"]
    assert unnamed("`a.py`, aa.py, `deep/c.pyc`, `b.c`", beside) == ["c.py"]


def test_a_file_that_is_no_more_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    assert nowhere("| `a.py`, `b.py` | x |\n| x | `c.py` |\n", tmp_path) == ["b.py"]


def test_links_of_every_page_lead_somewhere(clone: Path, tracked: list[PurePosixPath]) -> None:
    pages = [p for p in tracked if p.suffix == ".md"]
    assert len(pages) > 30
    assert {str(page): dead for page in pages if (dead := dead_links(clone / page))} == {}


def test_a_dead_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b` (c)\n[x](#a-b-c) [y](#d) [z](page.md#a-b-c) [w](none.md)\n")
    assert dead_links(page) == ["#d", "none.md"]

"""A new block needs a valid name that is free; what exists is kept."""

from pathlib import Path

import pytest

from drawbar.orchestrator.cli.commands import main


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("brake_valve", "as in RateLimiter; did you mean 'BrakeValve'?"),
        ("brakeValve", "did you mean 'BrakeValve'?"),
        ("Brake-Valve", "did you mean 'BrakeValve'?"),
        ("../Valve", "did you mean 'Valve'?"),
        ("2Stroke", "the name of a block is a capital letter and further letters and digits, as in RateLimiter"),
        ("", "the name of a block is"),
        ("Ventilé", "the name of a block is"),
        ("None", "'None' is a keyword of Python"),
        ("Class", "'class' is a keyword of Python"),
        ("State", "drawbar.blocks defines this name; choose another one, such as MyState"),
        ("TestRig", "whose name begins with Test"),
        (
            "RateLimiter",
            "drawbar.blocks.signals.rate_limiter has a block of this name; choose another one, such as MyRat",
        ),
        ("Random", "random.py would be hidden by the installed module 'random'; choose another name"),
    ],
)
def test_a_bad_name_is_refused(name: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "block", name, "--folder", str(tmp_path / "mine")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"drawbar: error: block '{name}': ")
    assert message in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == [], "nothing was written"


@pytest.mark.parametrize("there", ["pump.py", "test_pump.py"])
def test_an_existing_file_is_kept(there: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / there).write_text("mine")
    assert main(["new", "block", "Pump", "--folder", str(tmp_path)]) == 2
    assert f"{tmp_path / there} already exists, and nothing was written" in capsys.readouterr().err
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [(there, "mine")]


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("")
    assert main(["new", "block", "Pump", "--folder", str(tmp_path / "mine")]) == 1
    assert "cannot be written: " in capsys.readouterr().err


def test_an_interruption_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_text

    def interrupted(path: Path, text: str, **how: str) -> int:
        write(path, text[:20], **how)
        if path.name == "test_pump.py":
            raise KeyboardInterrupt
        return len(text)

    monkeypatch.setattr(Path, "write_text", interrupted)
    assert main(["new", "block", "Pump", "--folder", str(tmp_path)]) == 1
    assert list(tmp_path.iterdir()) == []

"""The deliberate faults of `mutants.py` can be made: each text is found once, each test file exists."""

import runpy
from pathlib import Path

MUTANTS = runpy.run_path(str(Path(__file__).parent / "mutants.py"))
PACKAGES = {"blocks", "fmus", "diagrams", "orchestrator", "web"}


def test_each_fault_can_be_made_and_names_tests_that_exist() -> None:
    assert MUTANTS["broken"](MUTANTS["MUTANTS"]) == []


def test_there_are_faults_in_all_packages() -> None:
    assert len(MUTANTS["MUTANTS"]) >= 60
    assert {m.file.partition("/")[0] for m in MUTANTS["MUTANTS"]} == PACKAGES


def test_a_text_that_is_gone_or_there_twice_is_reported() -> None:
    Mutant = MUTANTS["Mutant"]
    file, tests = "tests/mutants.py", ("test_mutants.py",)
    wrong = [Mutant(file, "nowhere " + "in it", "", tests), Mutant(file, "import", "", tests), Mutant("x", "", "y", ())]
    assert len(MUTANTS["broken"](wrong)) == 4

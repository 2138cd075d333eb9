"""How a process ended, in words."""

import signal
from types import SimpleNamespace
from typing import Any

import pytest

from drawbar.orchestrator.master.current_call import DO_STEP, GET
from drawbar.orchestrator.supervision.crash_recovery import describe_end, describe_exit


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (3, "exit code 3"),
        (-signal.SIGSEGV, "segmentation fault, SIGSEGV"),
        (-signal.SIGKILL, "SIGKILL"),
        (-250, "signal 250"),
    ],
)
def test_an_exit_code_has_words(code: int, words: str) -> None:
    assert describe_exit(code) == words


def unfinished(part: str | None = "lag", call: int = DO_STEP, *messages: str, folder: str | None = "run") -> Any:
    return SimpleNamespace(part=part, call=call, time=0.5, messages=list(messages), folder=folder)


@pytest.mark.parametrize(
    ("run", "code", "reason", "sentence"),
    [
        (unfinished(), 0, "timeout", "part 'lag': the step from t = 0.5 s did not return within 9 s (--timeout)"),
        (unfinished(), 0, "interrupted", "interrupted at t = 0.5 s; part 'lag' did not return from the step from"),
        (unfinished(None), 0, "interrupted", "interrupted at t = 0.5 s"),
        (unfinished(call=GET), -signal.SIGFPE, "", "part 'lag' crashed during reading outputs at t = 0.5 s"),
        (unfinished(), 7, "", "part 'lag' ended the process during the step from t = 0.5 s (exit code 7)"),
        (unfinished(), -signal.SIGKILL, "", "the run was ended from outside at t = 0.5 s (SIGKILL)"),
        (
            unfinished("lag", GET, "a", "b"),
            -signal.SIGSEGV,
            "",
            "part 'lag' crashed during reading outputs at t = 0.5 s (segmentation fault, SIGSEGV); it said: b "
            "(run.json holds the messages before it)",
        ),
        (
            unfinished("lag", DO_STEP, "a"),
            0,
            "timeout",
            "part 'lag': the step from t = 0.5 s did not return within 9 s (--timeout); it said: a",
        ),
        (unfinished(None), -signal.SIGSEGV, "", "the run was ended from outside at t = 0.5 s"),
    ],
)
def test_the_end_of_a_run_names_part_call_and_time(run: Any, code: int, reason: str, sentence: str) -> None:
    assert describe_end(run, code, reason, 9.0).startswith(sentence)


def test_no_file_is_named_where_there_is_none() -> None:
    sentence = describe_end(unfinished("lag", DO_STEP, "a", "b", folder=None), -signal.SIGSEGV, "", 9.0)
    assert sentence.endswith("; it said: b")

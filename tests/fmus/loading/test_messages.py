"""What an FMU says: its first and last messages, its warnings, and whose message it is."""

import gc
from collections.abc import Callable

import pytest

from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.fmus.backends.instance import ERROR, FmuInstance, open_fmu
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.messages import FIRST, LAST, MAX_MESSAGE_LENGTH, MAX_WARNINGS, Log


def test_the_last_messages_are_kept_as_well_as_the_first() -> None:
    log = Log()
    for i in range(1000):
        log.add(b"message %d" % i)
    said = log.messages()
    assert said[:FIRST] == [f"message {i}" for i in range(FIRST)]
    assert said[FIRST] == "900 messages are left out here"
    assert said[FIRST + 1 :] == [f"message {i}" for i in range(1000 - LAST, 1000)]
    assert log.warnings() == [], "none of them is a warning"


def test_few_messages_are_all_kept() -> None:
    log = Log()
    for i in range(FIRST + LAST):
        log.add(b"message %d" % i)
    assert log.messages() == [f"message {i}" for i in range(FIRST + LAST)]


def test_warnings_that_differ_in_numbers_are_one() -> None:
    log = Log()
    for i in range(300):
        log.add(b"slow at t = %g s" % (i / 10), status=1)
    log.add(b"no licence", category=b"logStatusWarning")
    log.add(b"all is well", category=b"logAll")
    assert [w.to_json() for w in log.warnings()] == [
        {"text": "slow at t = 0 s", "count": 300, "last": "slow at t = 29.9 s"},
        {"text": "no licence", "count": 1},
    ]


def test_a_flood_of_different_warnings_is_counted() -> None:
    log = Log()
    for i in range(1000):
        log.add(b"x" * (i + 1), status=1)
    *kinds, others = log.warnings()
    assert [w.text for w in kinds] == ["x" * (i + 1) for i in range(MAX_WARNINGS)]
    assert others.count == 1000 - MAX_WARNINGS
    assert others.text == others.last == f"further warnings differ from these {MAX_WARNINGS} and are only counted"


@pytest.mark.compiler
def test_a_long_message_is_cut(theirs: Callable[..., FmuInstance]) -> None:
    """FMPy's proxy of the logger has cut it before where there is one, so ours is also called by itself."""
    instance = theirs()
    instance.initialize(0.0, {})
    instance.start()
    step = instance.stepper()
    for length in (10, 1_000_000):
        assert step(float(length), 1.0) == 0
    assert instance.messages()[0] == "x" * 10
    assert len(instance.messages()[1]) < MAX_MESSAGE_LENGTH + 30
    logger, environment = instance._callbacks.logger, instance._callbacks.componentEnvironment
    logger(environment, b"theirs", 0, b"", b"y" * (MAX_MESSAGE_LENGTH + 1))
    logger(environment, b"theirs", 0, b"", b"z" * MAX_MESSAGE_LENGTH)
    assert instance.messages()[-2:] == ["y" * MAX_MESSAGE_LENGTH + "... (2001 characters)", "z" * MAX_MESSAGE_LENGTH]
    instance.close()


@pytest.mark.compiler
def test_a_message_is_kept_with_the_fmu_that_said_it() -> None:
    """Whichever was made last, and after that one is gone."""
    fmus = [open_fmu(build(FirstOrderLag), name) for name in ("a", "b", "c")]
    for speaker, counts in ((0, [1, 0, 0]), (2, [1, 0, 1]), (1, [1, 1, 1])):
        assert fmus[speaker].stepper()(0.0, 0.1) == ERROR
        assert [len(fmu.messages()) for fmu in fmus] == counts
    last = fmus.pop()
    last.close()
    del last
    gc.collect()
    assert fmus[0].stepper()(0.0, 0.1) == ERROR
    assert [len(fmu.messages()) for fmu in fmus] == [2, 1]
    for fmu in fmus:
        fmu.close()

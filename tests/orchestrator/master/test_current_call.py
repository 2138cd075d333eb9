"""The kinds of calls, and the record of the current one."""

import ctypes as ct

from drawbar.orchestrator.master import current_call
from drawbar.orchestrator.master.current_call import CALLS, CurrentCall


def test_every_kind_of_call_has_words() -> None:
    numbers = [v for k, v in vars(current_call).items() if k.isupper() and isinstance(v, int)]
    assert sorted(numbers) == list(range(len(CALLS)))
    assert CALLS[current_call.DO_STEP] == "doStep"


def test_no_part_is_being_called_where_nothing_was_written() -> None:
    call = CurrentCall()
    assert (call.part, CALLS[call.call], call.tick) == (0, "nothing", 0)
    assert ct.sizeof(CurrentCall) == 16

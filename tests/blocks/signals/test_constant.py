"""The constant."""

from typing import Any

from drawbar.blocks.signals.constant import Constant


def test_a_constant_may_be_changed_while_running(source: Any) -> None:
    assert source(Constant, value=-2.5)(0.0) == -2.5
    (value,) = Constant.interface().of("parameter")
    assert value.variability == "tunable"

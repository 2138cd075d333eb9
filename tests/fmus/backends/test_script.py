"""A script in this process."""

import pytest

from drawbar.blocks import BuildError, Output, Script
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.export.package import compile_block


class Plain(Script, period=0.1):
    """At the top of this file, which is a module that others can import."""

    y = Output("1", "nothing")

    def step(self, t: float, dt: float) -> None:
        self.y = 1.0


def test_a_script_is_not_compiled() -> None:
    with pytest.raises(BuildError, match="Plain is a script; it runs as Python and cannot be compiled"):
        compile_block(Plain)
    with pytest.raises(BuildError, match="part 'a': Plain is a script; it runs as the Python it is, not interpreted"):
        InterpretedInstance(Plain, "a")

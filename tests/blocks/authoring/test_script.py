"""Scripts: what a declaration must say, and what may be assigned."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Bus, DefinitionError, Input, Local, Member, Output, Parameter, Resource, Script, State
from drawbar.blocks.authoring.block import kind_of
from drawbar.blocks.signals.gain import Gain
from drawbar.blocks.signals.unit_delay import UnitDelay


class Hub(Bus):
    speed = Member("m/s", "speed")
    force = Member("N", "forces", size=2, back=True)


class Watcher(Script, period=0.1):
    """Watches a level."""

    level = Input("m", "level", min=0.0)
    hub = Hub.sink("hub")
    limit = Parameter(0.5, "m", "level of the alarm", min=0.0, tunable=True)
    alarm = Output("1", "too high", type=bool)
    count = Output("1", "how often", type=int, start=3)
    grid = Output("m", "levels", size=(2, 3))
    mean = Local("m", "mean level")
    memory: list[float] = []

    def step(self, t: float, dt: float) -> None:
        self.memory.append(self.level)


def test_the_interface_is_that_of_a_sampled_block() -> None:
    interface = Watcher.interface()
    assert interface.sampled and not interface.integrates and not interface.fresh_read
    assert float(interface.period or 0) == Watcher.period == 0.1
    names = [p.name for p in interface.ports]
    assert names == ["limit", "level", "hub.speed", "hub.force", "alarm", "count", "grid", "mean"]
    alarm, count, grid, level = (interface.port(n) for n in ("alarm", "count", "grid", "level"))
    assert alarm and count and grid and level
    assert (alarm.type, alarm.variability, alarm.initial, alarm.start) == ("Boolean", "discrete", "exact", (False,))
    assert (count.type, count.start) == ("Integer", (3,))
    assert (grid.shape, grid.start, grid.unit) == ((2, 3), (0.0,) * 6, "m")
    assert (level.variability, level.minimum) == ("continuous", 0.0)
    assert interface.feedthrough["grid[2,3]"] == () == interface.initial_feedthrough["alarm"]


def test_the_kinds_of_block_are_told_apart() -> None:
    assert [kind_of(b) for b in (Watcher, Gain, UnitDelay)] == ["script", "continuous", "sampled"]


def declare(**members: Any) -> type[Script]:
    period = members.pop("period", 0.1)
    return type("Odd", (Script,), {"step": lambda self, t, dt: None, **members}, period=period)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"period": None}, r"Odd: say how often it acts: class Odd\(Script, period=0.01\)"),
        ({"period": -1.0}, "Odd: period: -1.0 s is not positive"),
        ({"step": None}, None),
        ({"step": lambda self: None}, r"Odd.step\(\) is called as step\(self, t, dt\)"),
        ({"start": lambda self, t: None}, r"Odd.start\(\) is called as start\(self\)"),
        ({"step": Input("m", "level")}, "Odd.step: blocks have this word already"),
        ({"start": Parameter(1.0, "m", "level")}, "Odd.start: blocks have this word already"),
        ({"__init__": lambda self: None}, r"Odd.__init__\(\): a script begins in start\(self\)"),
        ({"outputs": lambda self: {}}, r"Odd.outputs\(\): a script has step\(self, t, dt\) alone"),
        (
            {"x": State(0.0, "m", "height")},
            "Odd.x: what a script remembers or works out are plain attributes",
        ),
        ({"map": Resource("map.npy", "heights")}, r"Odd.map: a script reads no Resource; read its files in start"),
        ({"y": Output("furlong", "height")}, "Odd.y: unit 'furlong': 'furlong' is unknown"),
        ({"y": Output("m", "height", min=1.0)}, "Odd.y = 0 is too small; it must be at least 1 m"),
    ],
)
def test_a_wrong_declaration_is_refused_in_one_sentence(members: dict[str, Any], message: str | None) -> None:
    if message is None:
        with pytest.raises(DefinitionError, match=r"Odd: a script needs step\(self, t, dt\)"):
            type("Odd", (Script,), {}, period=0.1)  # type: ignore[call-overload]
        return
    with pytest.raises(DefinitionError, match=message):
        declare(**members)


def test_a_right_one_is_not() -> None:
    assert declare(y=Output("m", "height"), start=lambda self: None).interface().port("y") is not None


def test_a_base_may_leave_the_period_to_others() -> None:
    class Base(Script, abstract=True):
        y = Output("m", "height")

        def step(self, t: float, dt: float) -> None:
            self.y = 2.0

    class Mine(Base, period="1/30"):
        """Mine."""

    assert Mine.interface().port("y") is not None
    with pytest.raises(DefinitionError, match="abstract"):
        Base.interface()


TAKEN = [
    ("alarm", True, True),
    ("alarm", np.bool_(True), True),
    ("alarm", 1, True),
    ("count", 7, 7),
    ("count", np.int32(-7), -7),
    ("count", 7.0, 7),
    ("count", True, 1),
    ("mean", 2, 2.0),
    ("mean", np.float32(0.5), 0.5),
    ("mean", np.array(1.5), 1.5),
]


@pytest.mark.parametrize(("name", "value", "kept"), TAKEN)
def test_a_value_that_means_the_same_is_taken(name: str, value: Any, kept: Any) -> None:
    script = Watcher()
    setattr(script, name, value)
    found = getattr(script, name)
    assert found == kept and type(found) is type(kept)


REFUSED = [
    ("mean", float("nan"), "'mean' is nan"),
    ("mean", np.float64("inf"), "'mean' is inf"),
    ("mean", "3", "'mean' is '3', not a number"),
    ("mean", None, "'mean' is None, not a number"),
    ("mean", 1j, "'mean' is 1j, not a number"),
    ("mean", [1.0], r"'mean' has shape (1,), but its declaration says one number"),
    ("mean", ["x" * 50], "'mean' is a list, not a number"),
    ("count", 2.5, "'count' is 2.5, not a whole number"),
    ("count", float("nan"), "'count' is nan, not a whole number"),
    ("count", 2**31, "'count' is 2147483648, beyond the 32-bit integers of FMI 2.0"),
    ("count", 2**70, "'count' is 1180591620717411303424, beyond the 32-bit integers of FMI 2.0"),
    ("alarm", 2, "'alarm' is 2, not True or False"),
    ("alarm", "yes", "'alarm' is 'yes', not True or False"),
    ("grid", np.zeros(6), "'grid' has shape (6,), but its declaration says (2, 3)"),
    ("grid", 0.0, "'grid' has shape (), but its declaration says (2, 3)"),
    ("grid", [[1.0, 2.0, 3.0], [1.0]], "'grid' is [[1.0, 2.0, 3.0], [1.0]], not a number"),
    ("grid", [[1.0, 2.0, 3.0], [1.0, np.nan, 2.0]], "'grid[2,2]' is nan"),
    ("level", 1.0, "'level' is an input; a script reads it and assigns 'hub.force', 'alarm', 'count', 'grid', 'mean'"),
    ("limit", 1.0, "'limit' is a parameter; a script reads it"),
    ("hub", 1.0, "'hub' is a bus; assign its members, as in self.hub.force = ..."),
    ("alram", True, "'alram' is not declared; did you mean the output 'alarm'?"),
    ("Alarm", True, "'Alarm' is not declared; did you mean the output 'alarm'?"),
    ("grids", True, "'grids' is not declared; did you mean the output 'grid'?"),
]


@pytest.mark.parametrize(("name", "value", "message"), REFUSED)
def test_a_wrong_assignment_is_refused_by_name(name: str, value: Any, message: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        setattr(Watcher(), name, value)
    assert str(raised.value).startswith(message)


def test_what_is_only_remembered_may_be_called_anything_else() -> None:
    script = Watcher()
    for name in ("last_level", "filter", "_alarms", "memory", "n"):
        setattr(script, name, 1)
        assert getattr(script, name) == 1


def test_an_array_is_copied_when_it_is_assigned() -> None:
    script, mine = Watcher(), np.ones((2, 3))
    script.grid = mine
    mine[0, 0] = 5.0
    assert script.grid[0, 0] == 1.0


def test_the_members_of_a_bus_are_read_and_assigned() -> None:
    script = Watcher()
    script.hub.force = [1.0, 2.0]
    assert script.hub.force.tolist() == [1.0, 2.0] and script.hub.speed == 0.0
    with pytest.raises(DefinitionError, match=r"'hub.speed' is an input"):
        script.hub.speed = 1.0
    with pytest.raises(DefinitionError, match=r"Watcher.hub has no member 'forces'; did you mean 'force'"):
        script.hub.forces = 1.0


def test_two_instances_share_no_list_of_the_class() -> None:
    a, b = Watcher(), Watcher()
    a.memory.append(1.0)
    assert (a.memory, b.memory, Watcher.memory) == ([1.0], [], [])


def test_a_class_attribute_that_cannot_be_copied_is_refused() -> None:
    import threading

    with pytest.raises(DefinitionError, match=r"Odd.lock: a lock cannot be copied .*; make it in start\(self\)"):
        declare(lock=threading.Lock())()


def test_a_missing_attribute_is_missing_as_in_any_python() -> None:
    script = Watcher()
    assert not hasattr(script, "filter_state")
    with pytest.raises(AttributeError, match=r"Watcher has no 'limt'; did you mean 'limit'\?"):
        _ = script.limt

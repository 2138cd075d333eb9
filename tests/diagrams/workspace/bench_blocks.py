"""Small blocks for the tests of diagrams."""

from drawbar.blocks import Bus, Continuous, Input, Member, Output, Parameter, Sampled, State


class Hub(Bus):
    velocity = Member("m/s", "velocity of the wheel centre", size=3)
    spin = Member("rad/s", "spin of the wheel", back=True)
    force = Member("N", "force on the upright", size=3, back=True)


class Other(Bus):
    velocity = Member("m/s", "velocity", size=3)


class Body(Continuous):
    """A body with one hub."""

    hub = Hub.source("hub")
    speed = State(0.0, "m/s", "speed")

    def derivatives(self):
        return {"speed": self.hub.force[0] / 100.0}

    def outputs(self):
        return {"hub.velocity": [self.speed, 0, 0]}


class Wheel(Continuous):
    """A wheel."""

    hub = Hub.sink("hub")
    radius = Parameter(0.4, "m", "radius", min=0.1, max=2.0)

    def outputs(self):
        return {"hub.spin": self.hub.velocity[0] / self.radius, "hub.force": -self.hub.velocity}


class Stub(Continuous):
    """Another bus with one member of the same name."""

    hub = Other.source("hub")

    def outputs(self):
        return {"hub.velocity": [0, 0, 0]}


class Gain(Continuous):
    """y = gain u."""

    u = Input("1", "in")
    gain = Parameter(1.0, "1", "gain", min=-10.0, max=10.0, tunable=True)
    y = Output("1", "out")

    def outputs(self):
        return {"y": self.gain * self.u}


class Held(Sampled, period=0.01):
    """y = u, sampled."""

    u = Input("1", "in")
    y = Output("1", "out")

    def outputs(self):
        return {"y": self.u}


class Cross(Continuous):
    """Two elements, each output from the other input."""

    u = Input("1", "in", size=2)
    y = Output("1", "out", size=2)

    def outputs(self):
        return {"y": [self.u[1], 2 * self.u[0]]}


class Straight(Continuous):
    """The first output from the first input; the second is constant."""

    u = Input("1", "in", size=2)
    y = Output("1", "out", size=2)

    def outputs(self):
        return {"y": [self.u[0], 0]}


class Source(Continuous):
    """One output in each of many units."""

    metre = Output("m", "a length")
    millimetre = Output("mm", "a length")
    degree = Output("deg", "an angle")
    celsius = Output("degC", "a temperature")
    vector = Output("m", "three lengths", size=3)
    matrix = Output("m", "four lengths", size=(2, 2))

    def outputs(self):
        return {
            "metre": 1.0,
            "millimetre": 1.0,
            "degree": 1.0,
            "celsius": 1.0,
            "vector": [1, 2, 3],
            "matrix": [[1, 2], [3, 4]],
        }


class Sink(Continuous):
    """One input in each of many units."""

    length = Input("m", "a length")
    angle = Input("rad", "an angle")
    temperature = Input("K", "a temperature")
    vector = Input("m", "three lengths", size=3)
    pair = Input("m", "two lengths", size=2)
    matrix = Input("m", "four lengths", size=(2, 2))
    offsets = Parameter([1.0, 2.0, 3.0], "m", "three lengths", size=3, min=0.0)
    table = Parameter(0.0, "m", "four lengths", size=(2, 2))
    total = Output("m", "sum")

    def outputs(self):
        return {
            "total": self.length + self.angle + self.temperature + self.vector[0] + self.pair[0] + self.matrix[0, 0]
        }


class Flags(Sampled, period="1/30"):
    """Whole numbers and switches."""

    count = Input("1", "whole number", type=int)
    on = Input("1", "switch", type=bool)
    limit = Parameter(3, "1", "whole number", type=int, min=0)
    active = Parameter(True, "1", "switch", type=bool)
    counted = Output("1", "whole number", type=int)
    is_on = Output("1", "switch", type=bool)

    def outputs(self):
        return {"counted": self.count, "is_on": self.on}

"""A hard plane under four wheels, level or sloping, with a friction coefficient for each wheel."""

from typing import Any

from drawbar.blocks import Continuous, Derived, Parameter, sqrt, vertcat
from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.terrain.ground.ground import WHEELS, Ground


class FlatRoad(Continuous):
    """A hard plane under the four wheels of a vehicle, level or sloping, with a friction coefficient for each.

    It passes through (0, 0, height) and has the slopes `grade` along the world's x and `bank` along its y::

        z = height + grade x + bank y        normal = (-grade, -bank, 1)/sqrt(1 + grade^2 + bank^2)

    `friction` is the coefficient at zero slip, and a tire that slides has its `sliding_ratio` times as much (`Ground`).
    It may change during a run, for each wheel separately, for example on an icy patch or a split-friction road.
    Valid for wheels on a hard surface; it has no soil data.

    ::

        ground_fl.at, ... --> | FlatRoad | --> ground_fl.point, .normal, .friction, ...
    """

    height = Parameter(0.0, "m", "height of the road at the origin of the world")
    grade = Parameter(0.0, "1", "slope along x, rise over run", min=-1.0, max=1.0)
    bank = Parameter(0.0, "1", "slope along y, rise over run", min=-1.0, max=1.0)
    friction = Parameter(
        TIRE["mu_max"], "1", "coefficient of friction at each wheel, without sliding", size=4, min=0.0, tunable=True
    )

    normal = Derived("1", "unit normal of the road, upwards", size=3)

    ground_fl = Ground.source("road under the front left wheel")
    ground_fr = Ground.source("road under the front right wheel")
    ground_rl = Ground.source("road under the rear left wheel")
    ground_rr = Ground.source("road under the rear right wheel")

    def derived(self) -> dict[str, Any]:
        length = sqrt(1.0 + self.grade**2 + self.bank**2)
        return {"normal": vertcat(-self.grade, -self.bank, 1.0) / length}

    def outputs(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for i, w in enumerate(WHEELS):
            members = {name: m.options.get("start", 0.0) for name, m in Ground.members().items() if not m.back}
            members |= {"point": vertcat(0.0, 0.0, self.height), "normal": self.normal, "friction": self.friction[i]}
            found |= {f"ground_{w}.{name}": value for name, value in members.items()}
        return found

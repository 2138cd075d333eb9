"""The bus between a vehicle body and its wheels."""

from drawbar.blocks import Bus, Member

UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Hub(Bus):
    """The interface between an upright and its wheel: motion to the wheel, force and moment back.

    The body sends the motion of the upright at the wheel's centre, in the world. Columns of `rotation` are the
    axes of the upright: forward, along the axle to the left, and up. The wheel owns its spin, slip and tire law, and
    with them its inertia about the axle; the body carries the wheel's mass and its inertia across the axle.

    The wheel returns the load **through bearing and brake on the upright**, about the wheel centre in world axes: the
    whole tire force, its moment across the axle, and about the axle the reaction of the brake alone. The tire moment
    about the axle turns the wheel; drive torque comes by a shaft from the chassis, which takes its reaction. From the
    `spin`, relative to the upright, the body computes the gyroscopic moment ``-J (spin + n.omega) omega x n``.

    `at` is the ground query point of the wheel. During initialization it follows from the given pose alone, because the
    body needs the ground to solve for its equilibrium; one ordered exchange then suffices. Afterwards it is the
    position of the wheel centre.

    The last six members serve the initial static equilibrium of a body, in which the wheel is a spring of `stiffness`
    with the free radius `radius` on the plane of its ground; a nonlinear tire gives its tangent at its rated load.
    Along the ground it holds what brake and rolling resistance allow (`Support`).
    """

    at = Member("m", "x and y of the wheel centre in the world; at initialization those of the given pose", size=2)
    position = Member("m", "wheel centre in the world", size=3)
    rotation = Member("1", "rotation of the upright in the world", size=(3, 3), start=UPRIGHT)
    velocity = Member("m/s", "velocity of the wheel centre in the world", size=3)
    omega = Member("rad/s", "angular velocity of the upright in the world", size=3)
    force = Member("N", "force on the upright, world axes", size=3, back=True)
    moment = Member("N.m", "moment on the upright about the wheel centre, world axes", size=3, back=True)
    spin = Member("rad/s", "speed of the wheel relative to the upright", back=True)
    radius = Member("m", "free radius of the wheel, for the initial equilibrium", start=0.45, back=True)
    stiffness = Member("N/m", "vertical stiffness of the wheel, for the initial equilibrium", start=3e5, back=True)
    point = Member("m", "a point of the ground under the wheel, for the initial equilibrium", size=3, back=True)
    brake = Member("N.m", "brake capacity of the wheel, for the initial equilibrium", back=True)
    rolling_resistance = Member(
        "1", "coefficient of rolling resistance of the wheel, for the initial equilibrium", back=True
    )
    normal = Member(
        "1",
        "unit normal of the ground under the wheel, for the initial equilibrium",
        size=3,
        start=(0.0, 0.0, 1.0),
        back=True,
    )

"""Where blocks are looked at whose start values show little of them, or are no place to be: values by name."""

SOIL = {"sinkage_exponent": 0.7, "k_c": 5300.0, "k_phi": 1.515e6, "cohesion": 1700.0, "friction_angle": 0.506}
LOAM = {**{f"ground.{name}": value for name, value in SOIL.items()}, "hub.position[3]": 0.44}
LEVEL = {"point[3]": 0.001, "normal[1]": 0.002, "normal[2]": -0.001, "normal[3]": 0.9999975}
FOUR = ("ground_fl", "ground_fr", "ground_rl", "ground_rr")
STARTS = {
    "Constant": {"value": 2.0},
    "Step": {"at": 0.7},
    "TimeTable": {f"values[{i}]": float(i * i) for i in range(1, 9)},
    "RayMarch": {"yaw": 0.1},
    "PID": {"integral": 2.0, "derivative": 0.1, "lower_limit": -0.6, "upper_limit": 0.6},
    "HmmwvRig": {
        "wheel_force[1]": 7300.0,
        "wheel_force[2]": 5800.0,
        "wheel_force[3]": 6800.0,
        "wheel_force[4]": 5500.0,
    },
    "HmmwvOnSoil": {f"ground_{w}.{name}": v for w in ("fl", "fr", "rl", "rr") for name, v in SOIL.items()},
    "PlanarRover": {
        **{f"{ground}.{name}": value for ground in FOUR for name, value in (SOIL | LEVEL).items()},
        **{f"wheel_speed[{i}]": 2.0 for i in (1, 2, 3, 4)},
    },
    "SingleWheelTester": {f"hub.{name}": value for name, value in LEVEL.items()},
    "SurfaceTire": {"hub.position[3]": 0.38},
    "BekkerWheel": LOAM,
    "SoftTire": LOAM,
    "ClosedFormWheel": LOAM,
}

"""Where blocks are looked at whose start values show little of them, or are no place to be: values by name."""

LOAM = {"ground.k_phi": 1.5e6, "ground.cohesion": 1700.0, "ground.friction_angle": 0.5, "hub.position[3]": 0.44}
STARTS = {
    "Constant": {"value": 2.0},
    "Step": {"at": 0.7},
    "TimeTable": {f"values[{i}]": float(i * i) for i in range(1, 9)},
    "RayMarch": {"yaw": 0.1},
    "PID": {"integral": 2.0, "derivative": 0.1, "least": -0.6, "most": 0.6},
    "HmmwvRig": {"push[1]": 7300.0, "push[2]": 5800.0, "push[3]": 6800.0, "push[4]": 5500.0},
    "BekkerWheel": LOAM,
    "SoftTire": LOAM,
    "ClosedFormWheel": LOAM,
}

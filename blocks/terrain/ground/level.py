"""The guard of models in the plane, which can stand on level ground only."""

from typing import Any

from drawbar.blocks import fmax, sqrt

MAX_SLOPE = 0.01  # rise over run; on 1 % the weight pulls with 0.1 m/s2 along the ground
MAX_STEP = 0.01  # m, largest difference of heights under the wheels


def level_guards(model: str, grounds: list[tuple[Any, Any]], instead: str) -> dict[str, Any]:
    """Return the guards that the ground under every wheel is level, and of one height.

    `grounds` are the `Ground` of each wheel with x and y of the wheel; `instead` is the advice which model to use on a
    slope.
    """
    slopes = [sqrt(g.normal[0] ** 2 + g.normal[1] ** 2) / fmax(g.normal[2], 1e-9) for g, _ in grounds]
    advice = f"{model} moves in a horizontal plane: {instead}"
    found: dict[str, Any] = {"the slope of the ground is within 0.01": (_largest(slopes) <= MAX_SLOPE, advice)}
    if len(grounds) > 1:
        heights = [
            g.point[2] - (g.normal[0] * (at[0] - g.point[0]) + g.normal[1] * (at[1] - g.point[1])) / g.normal[2]
            for g, at in grounds
        ]
        step = _largest(heights) + _largest([-z for z in heights])
        found["the ground under the wheels is of one height, within 0.01 m"] = (step <= MAX_STEP, advice)
    return found


def _largest(values: list[Any]) -> Any:
    largest = values[0]
    for value in values[1:]:
        largest = fmax(largest, value)
    return largest

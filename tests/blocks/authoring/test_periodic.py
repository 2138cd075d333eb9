"""Periods of blocks: declared, inherited, overridden."""

from fractions import Fraction

from drawbar.blocks import Output, Sampled


def tick(self: object) -> dict[str, float]:
    return {"y": self.period}  # type: ignore[attr-defined]


def test_a_sampled_block_knows_its_period() -> None:
    class Clock(Sampled, period="1/30"):
        y = Output("s", "period")
        outputs = tick

    class Faster(Clock, period=0.01):
        pass

    assert Clock.model().period == Clock.interface().period == Fraction(1, 30)
    assert Faster.model().period == Fraction(1, 100)
    none = [[]] * 4
    assert float(Clock.model().out(0, *none)) == 1 / 30
    assert float(Faster.model().out(0, *none)) == 0.01

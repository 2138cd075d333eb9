"""A notebook shows a diagram, whichever module it was imported from."""

import subprocess
import sys

from drawbar.diagrams import Diagram
from drawbar.diagrams.drawing.picture import svg


def test_a_notebook_shows_the_picture(block):
    d = Diagram("d")
    d.add("gain", block("Gain"))
    assert d._repr_svg_() == svg(d)


def test_the_picture_is_there_without_an_import_of_drawing():
    code = """import sys
from drawbar.diagrams.model.diagram import Diagram
assert "drawbar.diagrams.drawing.picture" not in sys.modules
print(Diagram("d")._repr_svg_()[:4])"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "<svg"

"""Pinocchio's articulated-body algorithm on the spanning tree of a mechanism, its loops cut open: an outside floor.

In C++, for a call from Python costs as much as the algorithm. Needs the headers of the wheels libpinocchio,
cmeel-boost and cmeel-eigen and a C++ compiler; without them there is no figure.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path

import casadi as ca
import numpy as np

from drawbar.blocks.vehicle.multibody.mechanism import DOF, Body, Mechanism

# its joints are more than a list of Boost holds by itself; its library is built for any processor, so headers alone
BOOST = ("-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS")
# it asks a joint whether it is of a kind that our variant lacks
RELAXED = "-DBOOST_VARIANT_USE_RELAXED_GET_BY_DEFAULT"
FLAGS = ("-std=c++17", "-O2", "-march=native", "-DNDEBUG", RELAXED, *BOOST)
SOURCE = Path(__file__).with_suffix(".cpp")


def prefix() -> Path | None:
    """Where the wheel has its headers and libraries, or None without it."""
    found = importlib.util.find_spec("cmeel")
    for place in found.submodule_search_locations or () if found else ():
        whole = Path(place).with_name("cmeel.prefix")
        if (whole / "include" / "pinocchio").is_dir() and (whole / "include" / "eigen3").is_dir():
            return whole
    return None


def ns(m: Mechanism) -> dict[str, float] | None:
    """Nanoseconds in both of its conventions, or None where it cannot be measured."""
    place, compiler = prefix(), shutil.which("g++") or shutil.which("clang++")
    if place is None or compiler is None:
        return None
    with tempfile.TemporaryDirectory(prefix="drawbar-aba-") as folder:
        program = Path(folder) / "aba"
        include = [f"-I{place / 'include'}", f"-I{place / 'include' / 'eigen3'}"]
        command = [compiler, *FLAGS, *include, str(SOURCE), "-o", str(program)]
        subprocess.run(command, check=True, capture_output=True)
        done = subprocess.run([str(program)], input=description(m), check=True, capture_output=True, text=True)
    size, world, local = (float(v) for v in done.stdout.split())
    assert size == m.sizes().tree[0]
    return {"world": world, "local": local}


def description(m: Mechanism) -> str:
    """The tree as the program reads it: depth first, welded bodies in one, a universal joint as two hinges."""
    lines: list[str] = []
    index: dict[str, int] = {}
    frame = {None: np.zeros(3), "ground": np.zeros(3)}

    def add(b: Body) -> None:
        at = numbers(b.point)
        shift = at - frame[b.parent]
        up = index.get(b.parent or "", 0)
        welded = [c for c in m.bodies if c.joint == "fix" and leader(m, c.name) == b.name]
        bodies = [b, *welded]
        axes = [numbers(a) for a in b.axes] or [np.zeros(3)]
        for k, axis in enumerate(axes):
            kind = "rev" if b.joint == "univ" else b.joint
            last = k == len(axes) - 1
            mass, com, inertia = lumped(bodies) if last else (0.0, at, np.zeros((3, 3)))
            values = [*(shift if k == 0 else np.zeros(3)), *axis, mass, *(com - at), *inertia.ravel()]
            lines.append(f"{up} {kind} " + " ".join(repr(float(v)) for v in values))
            up = len(lines)
        index[b.name], frame[b.name] = up, at
        for w in welded:
            index[w.name], frame[w.name] = up, at
        for child in m.bodies:
            if child.joint != "fix" and child.parent in {x.name for x in bodies}:
                add(child)

    for b in m.bodies:
        if b.parent in (None, "ground"):
            add(b)
    rng = np.random.default_rng(1)
    size = sum(DOF[b.joint] for b in m.bodies)
    loads = [" ".join(repr(float(v)) for v in rng.normal(size=size)) for _ in range(2)]
    return "\n".join([str(len(lines)), *lines, *loads]) + "\n"


def leader(m: Mechanism, name: str) -> str:
    while m.by_name[name].joint == "fix" and m.by_name[name].parent:
        name = m.parent(name)
    return name


def lumped(bodies: list[Body]) -> tuple[float, np.ndarray, np.ndarray]:
    masses = np.array([float(b.mass) for b in bodies])
    places = np.array([numbers(b.com) for b in bodies])
    com = masses @ places / masses.sum()
    inertia = np.zeros((3, 3))
    for b, mass, r in zip(bodies, masses, places - com, strict=True):
        inertia += ca.DM(b.inertia).full() + mass * (r @ r * np.eye(3) - np.outer(r, r))
    return float(masses.sum()), com, inertia


def numbers(value: object) -> np.ndarray:
    return np.asarray(ca.DM(value).full().ravel())

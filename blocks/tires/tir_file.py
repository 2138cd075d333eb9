"""A tire property file (``.tir``) with the Magic Formula of Pacejka 2002 (MF-Tyre 5.2, PAC2002).

::

    [UNITS]
    LENGTH = 'meter'
    ...
    [MODEL]
    PROPERTY_FILE_FORMAT = 'PAC2002'      $ or 'MF_05', 'MF-TYRE', with FITTYP 6 or 21
    [LATERAL_COEFFICIENTS]
    PCY1 = 1.5874                         $ text from $ or ! on is a comment

The names of the coefficients are those of the file format. Optional coefficients that are missing count as 0, scaling
factors as 1, and the ranges of slips and camber as those of `DEFAULTS`. Of the unused content, what only describes the
tire, its test or its belt is skipped, and so are tables: the vertical spring is linear. A coefficient of another model
that is not 0 is refused, because without it the forces would be others.

`read_tir` raises `DefinitionError` with the place of the fault.
"""

from __future__ import annotations

import difflib
import math
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.core.numbers import as_float

MAX_BYTES = 1_000_000  # bytes of a file
MAX_LINE = 1000  # characters of a line
MAX_TEXT = 100  # characters of a quotation in a message
UNITS = {
    "LENGTH": ("meter", "m"),
    "FORCE": ("newton", "n"),
    "ANGLE": ("radian", "radians", "rad"),
    "MASS": ("kg", "kilogram"),
    "TIME": ("second", "sec", "s"),
    "PRESSURE": ("pascal", "pa"),
}
FORMATS = ("PAC2002", "MF_05", "MF-TYRE")
FITTYPS = (6, 21)  # of MF-Tyre 5.2
MISSING_FITTYP = "PAC2002"  # the format whose equations are those of MF-Tyre 5.2 with FITTYP 5 and without a FITTYP

LARGEST = 1e6  # magnitude of a coefficient
EXPONENTS = ("PKX3", "PTX3")  # of a function exp(p df_z)
MAX_EXPONENT = 10.0
# the lower and upper limits of numbers that must be there
REQUIRED = {
    "UNLOADED_RADIUS": (0.05, 5.0),
    "VERTICAL_STIFFNESS": (1e3, 1e8),
    "FNOMIN": (10.0, 1e6),
    "FZMIN": (0.0, 1e6),
    "FZMAX": (10.0, 1e7),
    "PCX1": (0.1, 2.0),
    "PDX1": (0.01, 5.0),
    "PKX1": (0.1, 1e3),
    "PCY1": (0.1, 2.0),
    "PDY1": (-5.0, 5.0),
    "PKY1": (-1e3, -0.1),
    "PKY2": (0.1, 100.0),
}
SCALING = {
    "LFZO": "lambda_Fz0, factor of the nominal load",
    "LCX": "lambda_Cx, factor of the shape factor of F_x",
    "LMUX": "lambda_mu_x, factor of the friction along",
    "LEX": "lambda_Ex, factor of the curvature of F_x",
    "LKX": "lambda_Kx, factor of the slip stiffness",
    "LHX": "lambda_Hx, factor of the horizontal shift of F_x",
    "LVX": "lambda_Vx, factor of the vertical shift of F_x",
    "LGAX": "lambda_gamma_x, factor of the camber in F_x",
    "LCY": "lambda_Cy, factor of the shape factor of F_y",
    "LMUY": "lambda_mu_y, factor of the friction across",
    "LEY": "lambda_Ey, factor of the curvature of F_y",
    "LKY": "lambda_Ky, factor of the cornering stiffness",
    "LHY": "lambda_Hy, factor of the horizontal shift of F_y",
    "LVY": "lambda_Vy, factor of the vertical shift of F_y",
    "LGAY": "lambda_gamma_y, factor of the camber in F_y",
    "LKYG": "lambda_Ky_gamma, factor of the camber stiffness",
    "LTR": "lambda_t, factor of the pneumatic trail",
    "LRES": "lambda_r, factor of the residual moment",
    "LGAZ": "lambda_gamma_z, factor of the camber in M_z",
    "LXAL": "lambda_x_alpha, factor of the influence of the slip angle on F_x",
    "LYKA": "lambda_y_kappa, factor of the influence of the longitudinal slip on F_y",
    "LVYKA": "lambda_Vy_kappa, factor of the F_y that longitudinal slip induces",
    "LS": "lambda_s, factor of the lever of F_x in M_z",
    "LMX": "lambda_Mx, factor of the overturning moment",
    "LVMX": "lambda_VMx, factor of the vertical shift of M_x",
    "LMY": "lambda_My, factor of the rolling resistance",
    "LCZ": "factor of the vertical stiffness",
    "LSGKP": "lambda_sigma_kappa, factor of the longitudinal relaxation length",
    "LSGAL": "lambda_sigma_alpha, factor of the lateral relaxation length",
}
SCALING_LIMITS = (0.0, 100.0)
POSITIVE_SCALING = ("LFZO", "LCX", "LMUX", "LKX", "LCY", "LMUY", "LKY", "LCZ")
LEAST_POSITIVE = 0.01  # of these, because the forces divide by them
DEFAULTS = {
    "LONGVL": 16.7,
    "VERTICAL_DAMPING": 0.0,
    "KPUMIN": -1.5,
    "KPUMAX": 1.5,
    "ALPMIN": -1.5708,
    "ALPMAX": 1.5708,
    "CAMMIN": -0.26181,
    "CAMMAX": 0.26181,
}
_SERIES = (  # optional coefficients, by the numbers that follow a name
    ("PDX", "23"),
    ("PEX", "1234"),
    ("PKX", "23"),
    ("PHX", "12"),
    ("PVX", "12"),
    ("RBX", "12"),
    ("RCX", "1"),
    ("REX", "12"),
    ("RHX", "1"),
    ("PDY", "23"),
    ("PEY", "1234"),
    ("PKY", "3"),
    ("PHY", "123"),
    ("PVY", "1234"),
    ("RBY", "123"),
    ("RCY", "1"),
    ("REY", "12"),
    ("RHY", "12"),
    ("RVY", "123456"),
    ("QBZ", "12345"),
    ("QBZ", ("9", "10")),
    ("QCZ", "1"),
    ("QDZ", "12346789"),
    ("QEZ", "12345"),
    ("QHZ", "1234"),
    ("SSZ", "1234"),
    ("QSX", "123"),
    ("QSY", "1234"),
    ("PTX", "123"),
    ("PTY", "12"),
)
OPTIONAL = tuple(f"{name}{number}" for name, numbers in _SERIES for number in numbers)
# of parts that no part of this model stands for: a rigid belt, gyroscopic moments, damping at low speed
SKIPPED = ("PTX4", "PTY3", "QTZ1")
_COEFFICIENT = re.compile(r"[PQRS][A-Z]{1,3}\d+")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eEdD][+-]?\d+)?")


@dataclass(frozen=True)
class TireProperties:
    """The properties of a tire, complete: what the file leaves open has its default. Keys are as in the file."""

    name: str
    values: Mapping[str, float]

    def __getitem__(self, key: str) -> float:
        """Return a coefficient."""
        return self.values[key]

    @property
    def scaling(self) -> dict[str, float]:
        """Return the scaling factors."""
        return {key: self.values[key] for key in SCALING}

    @property
    def nominal_load(self) -> float:
        """Return F'_z0, the scaled nominal load, in N."""
        return self["FNOMIN"] * self["LFZO"]

    @property
    def has_combined_slip(self) -> bool:
        """Return whether there are coefficients of combined slip for both forces."""
        return self["RBX1"] != 0.0 and self["RBY1"] != 0.0 and self["RCX1"] != 0.0 and self["RCY1"] != 0.0


def read_tir(path: Path) -> TireProperties:
    """Return the properties of a ``.tir`` file; messages of errors begin with the name of the file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise DefinitionError(f"it has more than {MAX_BYTES} bytes; a tire property file has some kilobytes")
        return from_sections(_sections(content.removeprefix(BOM_UTF8).decode("latin-1")), path.stem)
    except OSError as error:
        raise DefinitionError(f"{path.name}: {error.strerror}") from None
    except DefinitionError as error:
        raise DefinitionError(f"{path.name}: {error}") from None


def from_sections(sections: Mapping[str, Mapping[str, Any]], name: str) -> TireProperties:
    """Return the properties of a tire from the entries of its sections."""
    if not sections:
        raise DefinitionError("it has no [SECTION]; a tire property file has [UNITS], [MODEL], [DIMENSION] and more")
    _check_units(sections.get("UNITS", {}))
    _check_model(sections.get("MODEL", {}))
    entries: dict[str, tuple[str, Any]] = {}
    for section, found in sections.items():
        for key, value in found.items():
            if key in entries and key in (*REQUIRED, *SCALING, *OPTIONAL, *DEFAULTS):
                raise DefinitionError(f"{key} stands in [{entries[key][0]}] and in [{section}]; leave one out")
            entries[key] = (section, value)
    _refuse_other_coefficients(entries)
    values = {key: _number(entries, key, *limits) for key, limits in REQUIRED.items()}
    values |= {key: _number(entries, key, *SCALING_LIMITS, missing=1.0) for key in SCALING}
    largest = {key: MAX_EXPONENT if key in EXPONENTS else LARGEST for key in OPTIONAL}
    values |= {key: _number(entries, key, -limit, limit, missing=0.0) for key, limit in largest.items()}
    values |= {key: _number(entries, key, -LARGEST, LARGEST, missing=value) for key, value in DEFAULTS.items()}
    found_properties = TireProperties(name, values)
    _check_values(found_properties)
    return found_properties


def _sections(text: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for line, section, entry in _lines(text):
        if section is None:
            raise DefinitionError(f"line {line}: {_quoted(entry)} stands before the first [SECTION]")
        entries = found.setdefault(section, {})
        key, equals, value = (part.strip() for part in entry.partition("="))
        if not equals:  # a row of a table, or its head
            continue
        key = key.upper()
        if key in entries:
            raise DefinitionError(f"line {line}: [{section}] has {key} twice; leave one out")
        if value[:1] in "'\"" and value[:1]:
            entries[key] = value.strip("'\" ")
        elif _NUMBER.fullmatch(value):
            entries[key] = float(re.sub("[dD]", "e", value))
        else:
            entries[key] = value
    return found


def _lines(text: str) -> Iterator[tuple[int, str | None, str]]:
    """Yield number, section and content of the lines that have any."""
    section = None
    # not by splitlines(), which takes the ellipsis of Windows (0x85) in a comment as the end of a line
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if len(line) > MAX_LINE:
            raise DefinitionError(f"line {number} has {len(line)} characters; the limit is {MAX_LINE}")
        content = re.split(r"[$!]", line, maxsplit=1)[0].strip()
        if content.startswith("[") and content.endswith("]"):
            section = content[1:-1].strip().upper()
        if content:
            yield number, section, "" if content.startswith("[") and content.endswith("]") else content


def _check_units(units: Mapping[str, Any]) -> None:
    for quantity, names in UNITS.items():
        given = units.get(quantity)
        if given is None and quantity in ("MASS", "PRESSURE"):
            continue
        if given is None:
            raise DefinitionError(f"[UNITS] has no {quantity}; write {quantity} = '{names[0]}' if the file is in SI")
        if str(given).lower() not in names:
            raise DefinitionError(
                f"[UNITS] {quantity} is {_quoted(given)}, and only '{names[0]}' is read; convert the file to SI units"
            )


def _check_model(model: Mapping[str, Any]) -> None:
    if not model:
        raise DefinitionError("it has no [MODEL], which names the equations: PROPERTY_FILE_FORMAT = 'PAC2002'")
    form = str(model.get("PROPERTY_FILE_FORMAT", "")).upper()
    if form not in FORMATS:
        known = ", ".join(f"'{name}'" for name in FORMATS)
        raise DefinitionError(
            f"[MODEL] PROPERTY_FILE_FORMAT is {_quoted(model.get('PROPERTY_FILE_FORMAT', ''))}; files of the Magic "
            f"Formula 5.2 are read, which have {known}: export the tire as PAC2002"
        )
    fittyp = model.get("FITTYP")
    if (fittyp is None or fittyp == 5.0) and form == MISSING_FITTYP:
        return
    if fittyp not in FITTYPS:
        raise DefinitionError(
            f"[MODEL] FITTYP is {'missing' if fittyp is None else _quoted(fittyp)}; {FITTYPS[0]} and {FITTYPS[1]}, the "
            "Magic Formula 5.2, are read: export the tire as MF-Tyre 5.2 or PAC2002"
        )


def _refuse_other_coefficients(entries: Mapping[str, tuple[str, Any]]) -> None:
    """Raise DefinitionError for a coefficient that the equations do not have, unless it is 0 or its neutral value."""
    known = (*REQUIRED, *OPTIONAL, *DEFAULTS, *SKIPPED)
    of_pressure = re.compile(r"P[PF][A-Z]*\d+|QP[A-Z]*\d+")
    pressures = [entries.get(key, ("", None))[1] for key in ("IP", "IP_NOM")]
    at_nominal_pressure = pressures[0] == pressures[1]
    for key, (section, value) in entries.items():
        if not _COEFFICIENT.fullmatch(key) or key in known or value == 0.0:
            continue
        if (of_pressure.fullmatch(key) and at_nominal_pressure) or (key == "PKY4" and value == 2.0):
            continue
        raise DefinitionError(
            f"[{section}] {key} is {_quoted(value)}, which the Magic Formula 5.2 does not have"
            + did_you_mean(key, (*REQUIRED, *OPTIONAL))
            + "; set it to 0, or fit the tire as MF-Tyre 5.2 or PAC2002"
        )


def _number(
    entries: Mapping[str, tuple[str, Any]], key: str, low: float, high: float, missing: float | None = None
) -> float:
    if key not in entries:
        if missing is None:
            unknown = [name for name in entries if name not in (*REQUIRED, *SCALING, *OPTIONAL, *DEFAULTS)]
            near = difflib.get_close_matches(key, unknown, n=1)
            raise DefinitionError(
                f"it has no {key}, which the forces need" + (f"; did you mean '{near[0]}'?" if near else "")
            )
        return missing
    section, value = entries[key]
    found = as_float(value)
    if found is None or not math.isfinite(found):
        raise DefinitionError(f"[{section}] {key} is {_quoted(value)}, which is not a number")
    if key in POSITIVE_SCALING:
        low = LEAST_POSITIVE
    if not low <= found <= high:
        raise DefinitionError(f"[{section}] {key} is {found:g}; it must lie between {low:g} and {high:g}")
    return found


def _check_values(tire: TireProperties) -> None:
    """Raise DefinitionError where the ranges are empty or, within them, a friction or stiffness has the wrong sign."""
    for low, high in (("FZMIN", "FZMAX"), ("KPUMIN", "KPUMAX"), ("ALPMIN", "ALPMAX"), ("CAMMIN", "CAMMAX")):
        if not tire[low] < tire[high]:
            raise DefinitionError(f"{low} is {tire[low]:g} and {high} {tire[high]:g}; a range begins below its end")
    for low, high in (("KPUMIN", "KPUMAX"), ("ALPMIN", "ALPMAX")):
        if not tire[low] < 0.0 < tire[high]:
            raise DefinitionError(
                f"{low} is {tire[low]:g} and {high} {tire[high]:g}; slips beyond it count as its ends, so without "
                "slips of both signs there is no force in one direction: widen the range"
            )
    sign_y = math.copysign(1.0, tire["PDY1"])
    for i in range(51):
        load = tire["FZMIN"] + (tire["FZMAX"] - tire["FZMIN"]) * i / 50.0
        df_z = load / tire.nominal_load - 1.0
        _check_positive(
            {
                "the friction PDX1 + PDX2 df_z": tire["PDX1"] + tire["PDX2"] * df_z,
                "the friction PDY1 + PDY2 df_z, with the sign of PDY1,": sign_y * (tire["PDY1"] + tire["PDY2"] * df_z),
                "the slip stiffness PKX1 + PKX2 df_z": tire["PKX1"] + tire["PKX2"] * df_z,
            },
            f"at the load of {load:.4g} N, within FZMIN = {tire['FZMIN']:g} and FZMAX = {tire['FZMAX']:g},",
        )
    for gamma in (tire["CAMMIN"], tire["CAMMAX"]):
        gamma_x, gamma_y = gamma * tire["LGAX"], gamma * tire["LGAY"]
        _check_positive(
            {
                "the share of friction 1 - PDX3 gamma^2": 1.0 - tire["PDX3"] * gamma_x**2,
                "the share of friction 1 - PDY3 gamma^2": 1.0 - tire["PDY3"] * gamma_y**2,
                "the share of cornering stiffness 1 - PKY3 |gamma|": 1.0 - tire["PKY3"] * abs(gamma_y),
            },
            f"at the camber of {gamma:.4g} rad, within CAMMIN = {tire['CAMMIN']:g} and CAMMAX = {tire['CAMMAX']:g},",
        )


def _check_positive(values: Mapping[str, float], where: str) -> None:
    for name, value in values.items():
        if value <= 0.0:
            raise DefinitionError(
                f"{name} is {value:.4g} {where} and must be above 0; narrow the range, or check the coefficients"
            )


def _quoted(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return repr(text[:MAX_TEXT])

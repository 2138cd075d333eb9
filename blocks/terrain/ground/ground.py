"""The bus between terrain and wheel: the ground at one wheel."""

from drawbar.blocks import Bus, Member
from drawbar.blocks.data.default_vehicle import TIRE

WHEELS = ("fl", "fr", "rl", "rr")  # front left, front right, rear left, rear right


class Ground(Bus):
    """The contact plane under a wheel, its friction coefficient and its soil.

    The wheel sends x and y of its centre in the world and takes the plane to extend around it, so it evaluates its
    contact in each of its own micro-steps. World axes: x east, y north, z up. Without a connection it is a flat hard
    road at z = 0.

    `friction` is the coefficient mu that a tire finds at zero slip, its peak. A tire that slides has less by its own
    `sliding_ratio`: 0.57 for that of the HMMWV. The force of a tire is largest at some slip, where mu has fallen
    already: by Fiala's law with the data of the HMMWV at 6 kN, 0.89 of it along and 0.88 across on dry road. The start
    value, 0.9835, is the friction of that tire in its source. Tires with a friction of their own by surface code
    (`SurfaceTire`) do not use it.

    The soil quantities are those of Bekker and of Mohr and Coulomb (Wong, Theory of Ground Vehicles, chapter 2); a tire
    law uses those that it needs.
    """

    at = Member("m", "x and y of the wheel centre in the world", size=2, back=True)
    point = Member("m", "a point of the contact plane in the world", size=3)
    normal = Member("1", "unit normal of the contact plane, upwards", size=3, start=(0.0, 0.0, 1.0))
    friction = Member("1", "coefficient of friction without sliding", start=TIRE["mu_max"], min=0.0)
    cohesion = Member("Pa", "c, cohesion", min=0.0)
    friction_angle = Member("rad", "phi, angle of internal friction", min=0.0)
    shear_modulus = Member("m", "K, shear deformation modulus", start=0.025, min=1e-4)
    sinkage_exponent = Member("1", "n, exponent of sinkage", start=1.0, min=0.0)
    k_c = Member("1", "k_c, cohesive modulus of sinkage in N/m^(n+1)", min=0.0)
    k_phi = Member("1", "k_phi, frictional modulus of sinkage in N/m^(n+2)", min=0.0)
    unit_weight = Member("N/m3", "gamma, unit weight of the soil", min=0.0)
    cone_index = Member("Pa", "cone index", min=0.0)
    surface = Member("1", "surface code; 0 is a dry road", type=int, min=0)

"""Shapes against integrals, composition against the parallel-axis theorem, and what no real body can have."""

import math

import numpy as np
import pytest

from lagrangian.errors import MechanismError
from lagrangian.model import body as b
from lagrangian.model import shapes
from lagrangian.model.placement import Transform

NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


def gauss_points(low, high):
    """Points and weights of Gauss-Legendre: exact for the polynomials below."""
    return 0.5 * (high - low) * NODES + 0.5 * (high + low), 0.5 * (high - low) * WEIGHTS


def solid_of_revolution(pieces, density):
    """Mass and diagonal inertia of a solid given by z-ranges and its squared outer and inner radius there."""
    m = xx = zz = 0.0
    for low, high, outer2, inner2 in pieces:
        z, weights = gauss_points(low, high)
        outer, inner = outer2(z), inner2(z)
        area, quartic = math.pi * (outer - inner), math.pi * (outer**2 - inner**2)
        m += density * weights @ area
        zz += density * weights @ (quartic / 2)
        xx += density * weights @ (quartic / 4 + z * z * area)
    return m, (xx, xx, zz)


def const(x):
    return lambda z: x + 0 * z


R, H, RHO = 0.3, 0.8, 700.0
CASES = {
    "cylinder": (shapes.cylinder(R, H, density=RHO), [(-H / 2, H / 2, const(R * R), const(0))]),
    "tube": (shapes.tube(R, 0.2, H, density=RHO), [(-H / 2, H / 2, const(R * R), const(0.04))]),
    "sphere": (shapes.sphere(R, density=RHO), [(-R, R, lambda z: R * R - z * z, const(0))]),
    "capsule": (
        shapes.capsule(R, H, density=RHO),
        [
            (-H / 2, H / 2, const(R * R), const(0)),
            (H / 2, H / 2 + R, lambda z: R * R - (z - H / 2) ** 2, const(0)),
            (-H / 2 - R, -H / 2, lambda z: R * R - (z + H / 2) ** 2, const(0)),
        ],
    ),
    "spheroid": (shapes.ellipsoid([R, R, H], density=RHO), [(-H, H, lambda z: R * R * (1 - z * z / (H * H)), const(0))]),
}


@pytest.mark.parametrize("name", CASES)
def test_solids_of_revolution_against_their_integrals(name):
    shape, pieces = CASES[name]
    m, moments = solid_of_revolution(pieces, RHO)
    assert shape.mass == pytest.approx(m, rel=1e-13)
    xx, xy, xz, yy, yz, zz = shape.inertia
    assert (xx, yy, zz) == pytest.approx(moments, rel=1e-13)
    assert (xy, xz, yz) == (0, 0, 0)


def test_ellipsoid_is_a_stretched_ball():
    radii = np.array([0.2, 0.5, 0.9])
    shape = shapes.ellipsoid(radii, mass=4.0)
    # x -> a x maps the unit ball onto it and its second moment ∫ x² dm = m/5 to m a²/5
    second = 4.0 * radii**2 / 5
    assert (shape.inertia[0], shape.inertia[3], shape.inertia[5]) == pytest.approx(second.sum() - second)


def second_moments(size, placement, density):
    """∫ r r^T dm of a box in homogeneous coordinates, on a grid of Gauss points."""
    nodes, weights = np.polynomial.legendre.leggauss(3)
    J = np.zeros((4, 4))
    for x, wx in zip(nodes, weights, strict=True):
        for y, wy in zip(nodes, weights, strict=True):
            for z, wz in zip(nodes, weights, strict=True):
                r = placement.matrix() @ np.array([x * size[0] / 2, y * size[1] / 2, z * size[2] / 2, 1])
                J += density * wx * wy * wz * np.prod(size) / 8 * np.outer(r, r)
    return J


def test_pseudo_inertia_is_the_integral_it_is_named_after():
    size, at = (0.4, 0.7, 1.1), Transform.from_rpy((0.3, -0.2, 0.5), (0.4, -0.7, 1.3))
    body = b.Body.from_shapes("box", [shapes.box(size, density=300.0, at=at)])
    assert body.pseudo_inertia() == pytest.approx(second_moments(size, at, 300.0), rel=1e-12, abs=1e-12)
    assert np.linalg.eigvalsh(body.pseudo_inertia()).min() > 0


def test_inertia_at_origin_is_the_parallel_axis_theorem():
    body = b.Body("x", 3.0, (0.1, -0.4, 0.2), (0.5, 0.01, -0.02, 0.6, 0.03, 0.7))
    c = np.array(body.center)
    expected = body.inertia_matrix + 3.0 * (c @ c * np.eye(3) - np.outer(c, c))
    xx, xy, xz, yy, yz, zz = body.inertia_at_origin
    assert np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) == pytest.approx(expected, rel=1e-14)


def test_two_halves_make_the_whole():
    whole = b.Body.from_shapes("w", [shapes.box((1.0, 0.4, 0.2), mass=6.0)])
    halves = [shapes.box((0.5, 0.4, 0.2), mass=3.0, at=Transform(position=(x, 0, 0))) for x in (-0.25, 0.25)]
    joined = b.Body.from_shapes("w", halves)
    assert joined.inertia == pytest.approx(whole.inertia, rel=1e-14)
    assert joined.center == pytest.approx((0, 0, 0))


def test_principal_axes_are_those_of_the_turned_box():
    at = Transform.from_rpy((1, 2, 3), (0.3, 0.9, -0.4))
    body = b.Body.from_shapes("t", [shapes.box((0.2, 0.5, 0.9), mass=2.0, at=at)])
    moments, axes = body.principal_inertia()
    x, y, z = 0.04, 0.25, 0.81
    assert moments == pytest.approx(sorted([2 / 12 * (y + z), 2 / 12 * (x + z), 2 / 12 * (x + y)]))
    assert axes.T @ body.inertia_matrix @ axes == pytest.approx(np.diag(moments), abs=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1)
    longest = np.array(at.rotation, dtype=float)[:, 2]  # the long side has the smallest moment
    assert abs(axes[:, 0] @ longest) == pytest.approx(1)


def test_plate_with_a_hole():
    size, (hx, hy, r), rho = (0.6, 0.4, 0.02), (0.1, -0.05, 0.08), 2700.0
    body = b.Body.from_shapes("p", shapes.plate(size, holes=[(hx, hy, r)], density=rho))
    full, hole = rho * 0.6 * 0.4 * 0.02, rho * math.pi * r * r * 0.02
    m = full - hole
    assert body.mass == pytest.approx(m)
    assert body.center == pytest.approx((-hole * hx / m, -hole * hy / m, 0))
    about_origin = full / 12 * (0.6**2 + 0.4**2) - hole * (r * r / 2 + hx * hx + hy * hy)
    cx, cy, _ = body.center
    assert body.inertia[5] == pytest.approx(about_origin - m * (cx * cx + cy * cy))


def test_a_plate_of_no_thickness_is_a_lamina():
    """About axes in its plane as rectangles and discs have it; across it the sum of both (the perpendicular axis theorem)."""
    x, y, r, d = 0.4, 0.3, 0.05, 0.1
    body = b.Body.from_shapes("p", shapes.plate((x, y, 0), holes=[(d, 0, r)], mass=2.0))
    area, hole = x * y, np.pi * r**2
    rho = 2.0 / (area - hole)
    xx, yy, zz = np.diag(np.array(b.v.sym_full(body.inertia_at_origin), dtype=float))
    assert xx == pytest.approx(rho * (area * y**2 / 12 - hole * r**2 / 4), rel=1e-12)
    assert yy == pytest.approx(rho * (area * x**2 / 12 - hole * (r**2 / 4 + d**2)), rel=1e-12)
    assert zz == pytest.approx(xx + yy, rel=1e-12)
    assert float(body.mass) == pytest.approx(2.0, rel=1e-14)


def test_the_mass_of_a_plate_is_that_with_its_holes():
    body = b.Body.from_shapes("p", shapes.plate((0.6, 0.4, 0.02), holes=[(0.1, 0, 0.05), (-0.2, 0.1, 0.03)], mass=5.0))
    assert body.mass == pytest.approx(5.0)


def test_point_masses_on_a_bar():
    ends = [shapes.point_mass(2.0, Transform(position=(x, 0, 0))) for x in (-0.5, 0.5)]
    body = b.Body.from_shapes("dumbbell", ends)
    assert body.inertia == pytest.approx((0, 0, 0, 1.0, 0, 1.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: b.Body("x", -1.0), "cannot be negative"),
        (lambda: b.Body("x", float("nan")), "mass is nan"),
        (lambda: b.Body("x", 1.0, (0, math.inf, 0)), "center is inf"),
        (lambda: b.Body("x", 1.0, inertia=(1, 0, 0, float("nan"), 0, 1)), "inertia is nan"),
        (lambda: b.Body("x", 1.0, inertia=(1, 0, 0, 1, 0, 2.1)), r"cannot exceed the sum of the other two \(2\)"),
        (lambda: b.Body("x", 1.0, inertia=(-1, 0, 0, 1, 0, 1)), "not positive definite"),
        (lambda: b.Body("x", 1.0, inertia=(1, 2, 0, 1, 0, 1)), "not positive definite"),
        (lambda: b.Body("x", 0.0, inertia=(1, 0, 0, 1, 0, 1)), "mass is 0 but the inertia is not"),
        (lambda: b.Body.from_shapes("x", []), "must be positive"),
        (lambda: b.Body.from_shapes("x", [shapes.box((1, 1, 1), mass=1), shapes.sphere(0.1, mass=-2)]), "must be positive"),
        (lambda: shapes.box((1, 0, 1), mass=1), "dimensions must be positive"),
        (lambda: shapes.sphere(-1, mass=1), "dimensions must be positive"),
        (lambda: shapes.sphere(1), "either a mass or a density"),
        (lambda: shapes.sphere(1, mass=1, density=1), "either a mass or a density"),
        (lambda: shapes.tube(0.1, 0.2, 1, mass=1), "inner radius"),
        (lambda: shapes.plate((1, 1, 0.1), holes=[(0.45, 0, 0.1)], mass=1), "is not inside the plate"),
        (lambda: shapes.plate((1, 1, 0.1), holes=[(0, 0, -0.1)], mass=1), "is not inside the plate"),
        (lambda: shapes.plate((1, 1, 0.1), holes=[(0, 0, 0.5), (0, 0, 0.5)], mass=1), "larger than the plate"),
        (lambda: shapes.plate((1, 1, 0.1)), "either a mass or a density"),
        (lambda: shapes.plate((1, 1, 0), density=1), "no thickness, so that a density gives no mass; give its mass"),
        (lambda: shapes.plate((1, 0, 0), mass=1), "plate: a dimension is 0 m"),
        (lambda: shapes.plate((1, 1, -0.1), mass=1), "plate: a dimension is -0.1 m"),
    ],
)
def test_impossible_bodies(make, message):
    with pytest.raises(MechanismError, match=message):
        make()


def test_effective_parameters_are_let_through():
    assert b.Body("link1", 0.0, inertia=(0, 0, 0, 0.35, 0, 0), effective=True).inertia[3] == 0.35


def test_a_thin_rod_in_rounded_numbers_is_possible():
    assert not b.inertia_problem(1.0, (0, 0, 0, 0.08333, 0, 0.083334))

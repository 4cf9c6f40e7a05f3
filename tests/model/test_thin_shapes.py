"""Thin rods, discs and laminae against their integrals, and inertias along other axes."""

import math

import numpy as np
import pytest

import lagrangian as lg


def test_a_rod_is_the_limit_of_many_points():
    """m/12 (d.d 1 - d d^T) about the middle; three Gauss points integrate what is quadratic exactly."""
    a, b, m = np.array([0.1, -0.2, 0.3]), np.array([0.7, 0.4, -0.1]), 1.7
    body = lg.Body.from_shapes("rod", [lg.shapes.rod(a, b, mass=m)])
    nodes, weights = np.polynomial.legendre.leggauss(3)
    points = [
        lg.shapes.point_mass(m * w / 2, at=tuple((a + b) / 2 + x * (b - a) / 2)) for x, w in zip(nodes, weights, strict=True)
    ]
    other = lg.Body.from_shapes("points", points)
    assert body.mass == pytest.approx(m)
    assert body.center == pytest.approx((a + b) / 2)
    np.testing.assert_allclose(body.inertia_matrix, other.inertia_matrix, rtol=0, atol=1e-15)


def test_the_textbook_rod():
    """m l^2/3 about its end, with the names of parameters kept."""
    m, l = lg.parameter("m", 2.0), lg.parameter("l", 0.6)
    body = lg.Body.from_shapes("rod", [lg.shapes.rod((0, 0, 0), (l, 0, 0), mass=m)])
    assert [float(x) for x in body.inertia_at_origin] == pytest.approx([0, 0, 0, 0.24, 0, 0.24])
    arm = lg.Mechanism("arm", [body], [lg.Joint("q", "revolute", "ground", "rod")], gravity=(0, 0, 0))
    assert str(lg.derive(arm).M[0, 0]) == "m*l^2/3"


def test_a_disc_is_a_cylinder_without_height():
    m, r = 1.3, 0.4
    body = lg.Body.from_shapes("disc", [lg.shapes.disc(r, mass=m, at=(0.1, 0.2, 0.3))])
    flat = lg.Body.from_shapes("flat", [lg.shapes.cylinder(r, 1e-9, mass=m, at=(0.1, 0.2, 0.3))])
    np.testing.assert_allclose(body.inertia_matrix, flat.inertia_matrix, rtol=1e-12)
    np.testing.assert_allclose(np.diag(body.inertia_matrix), m * r**2 * np.array([1 / 4, 1 / 4, 1 / 2]), rtol=1e-14)


def test_laminae_have_the_sum_of_two_moments_about_the_third():
    """The perpendicular-axis theorem, of a round and of a rectangular one."""
    for shapes in ([lg.shapes.disc(0.3, mass=2.0)], lg.shapes.plate((0.4, 0.3, 0), mass=2.0)):
        xx, yy, zz = np.diag(lg.Body.from_shapes("lamina", shapes).inertia_matrix)
        assert xx + yy == pytest.approx(zz, rel=1e-14)


def test_shapes_in_toml():
    text = """
        name = "arm"
        [parameters]
        l = 0.6
        [[body]]
        name = "link"
        shapes = [
            { shape = "rod", end = ["l", 0, 0], mass = 1.2 },
            { shape = "disc", radius = 0.1, mass = 0.3, xyz = ["l", 0, 0] },
        ]
        [[joint]]
        name = "q"
        type = "revolute"
        child = "link"
    """
    m = lg.loads(text)
    expected = 1.2 * 0.36 / 3 + 0.3 * (0.1**2 / 2 + 0.36)
    assert float(m.bodies[0].inertia_at_origin[5]) == pytest.approx(expected)
    assert lg.loads(lg.dumps(m)).bodies[0].inertia_matrix == pytest.approx(m.bodies[0].inertia_matrix)
    assert m.draw(size=(64, 48)).shape == (48, 64, 3)
    for wrong, message in (
        (text.replace('end = ["l", 0, 0], ', ""), "'end' is missing"),
        (text.replace("mass = 1.2", "density = 3"), "no entry 'density'"),
        (text.replace('["l", 0, 0], mass = 1.2', "[0, 0, 0], mass = 1.2"), "rod: both ends are the same point"),
        (text.replace("radius = 0.1", "radius = 0"), "disc: its radius is 0 m"),
    ):
        with pytest.raises(lg.LagrangianError, match=message):
            lg.loads(wrong)


def turn(axis, angle):
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def test_rotated_inertia():
    """R I R^T keeps the principal moments; a quarter turn exchanges two of them."""
    R = turn(np.array([0.3, -0.5, 0.8]), 1.1)
    tensor = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.5]])
    actual = lg.rotate_inertia(R, tensor)
    np.testing.assert_allclose(actual, R @ tensor @ R.T, rtol=0, atol=1e-15)
    np.testing.assert_allclose(np.linalg.eigvalsh(actual), np.linalg.eigvalsh(tensor), rtol=1e-13)
    quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    np.testing.assert_array_equal(lg.rotate_inertia(quarter, (1, 2, 3)), np.diag([2.0, 1.0, 3.0]))
    with pytest.raises(lg.LagrangianError, match="rotation"):
        lg.rotate_inertia(2 * np.eye(3), (1, 2, 3))


def test_a_body_in_another_frame_moves_alike():
    """Described in another frame, and hung there by it, it is the same body: the same equations of motion."""
    R, p = turn(np.array([1.0, 2.0, -1.0]), 0.7), np.array([0.1, -0.3, 0.2])
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    body = lg.Body("b", 1.5, (0.2, 0.1, -0.1), (0.02, 0.001, 0.0, 0.03, -0.002, 0.04))
    other = lg.Body("b", body.mass, tuple(R @ body.center + p), lg.rotate_inertia(R, body.inertia_matrix))
    here = lg.Mechanism("a", [body], [lg.Joint("q", "revolute", "ground", "b", axis=(0.6, 0, 0.8))])
    there = lg.Mechanism("a", [other], [lg.Joint("q", "revolute", "ground", "b", axis=(0.6, 0, 0.8), child_placement=T)])
    one, two = lg.compile(here), lg.compile(there)
    assert two.inverse_dynamics([0.4], [1.2], [0.3]) == pytest.approx(one.inverse_dynamics([0.4], [1.2], [0.3]), rel=1e-12)

"""What there is to see: solids are closed and turned outward, bars reach from joint to joint, all of the library can be drawn."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.configuration.poses import body_poses
from lagrangian.model.rotation import quaternion
from lagrangian.model.shapes import box, capsule, cylinder, ellipsoid, sphere
from lagrangian.viewer.scene import primitives as p
from lagrangian.viewer.scene.links import link_corners
from lagrangian.viewer.scene.poses import all_poses, drawn_configuration
from lagrangian.viewer.scene.scene import Scene, ScenePart
from lagrangian.viewer.scene.scene_builder import mechanism_scene
from lagrangian.viewer.scene.track import still_track
from tests.mechanisms import random_mechanism

SOLIDS = {
    "box": (p.box((1, 2, 3)), 6.0),
    "bevelled box": (p.box((1, 2, 3), 0.05), None),
    "cylinder": (p.cylinder(1, 2, sides=200), 2 * np.pi),
    "bevelled cylinder": (p.cylinder(1, 2, 0.1), None),
    "sphere": (p.sphere(1, 200), 4 / 3 * np.pi),
    "capsule": (p.capsule(1, 1, 2, 200), None),
    "tapered capsule": (p.capsule(1, 0.5, 2), None),
    "frustum": (p.frustum(1, 1, 2, 200), 2 * np.pi),
    "torus": (p.torus(2, 0.5, 400), None),
    "plate": (p.plate(np.array([[0, 0], [2, 0], [0, 3]]), 0.5), 1.5),
    "ellipsoid": (p.sphere(1, 200).with_scale((1, 2, 3)), 8 * np.pi),
    "mirrored": (p.box((1, 2, 3)).with_scale((-1, 1, 1)), 6.0),
}


def volume(mesh: p.Mesh) -> float:
    """By the divergence theorem: positive only if the faces are turned outward."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def is_closed(mesh: p.Mesh) -> bool:
    """Every edge belongs to two faces, which pass it in opposite directions."""
    _, at = np.unique(np.round(mesh.vertices, 7), axis=0, return_inverse=True)
    faces = at.ravel()[mesh.faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there = sorted(map(tuple, edges.tolist()))
    return there == sorted((b, a) for a, b in there) and len(set(there)) == len(there)


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_closed_and_turned_outward(name: str) -> None:
    mesh, size = SOLIDS[name]
    assert is_closed(mesh)
    assert volume(mesh) > 0
    if size is not None:
        assert volume(mesh) == pytest.approx(size, rel=2e-3)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-9)
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    turned = np.cross(b - a, c - a)
    big = np.linalg.norm(turned, axis=1) > 1e-9
    assert ((turned[:, None] * mesh.normals[mesh.faces]).sum(axis=2)[big] > 0).all()  # the normals agree with the faces


def part_of(seen: Scene, name: str) -> ScenePart:
    return next(x for x in seen.parts if x.name == name)


@pytest.mark.parametrize("name", lg.library())
def test_the_library_can_be_drawn(name: str) -> None:
    seen = mechanism_scene(lg.library(name))
    assert seen.parts
    assert seen.frames[0] == "ground"
    for part in seen.parts:
        assert np.isfinite(part.vertices).all()
        assert np.allclose(np.linalg.norm(part.normals, axis=1), 1, atol=1e-5)
        assert 0 <= part.faces.min() <= part.faces.max() < len(part.vertices)
        assert part.vertices.dtype == np.float32
        assert part.faces.dtype == np.int32
    up, look = np.array(seen.up), np.array(seen.view_direction)
    assert np.linalg.norm(look) == pytest.approx(1)
    assert abs(up @ look) < 0.9
    g = np.array(lg.library(name).gravity, dtype=float)
    assert np.allclose(np.cross(up, g), 0)
    assert up @ g <= 0


@pytest.mark.parametrize("name", ["two_r", "puma560", "four_bar", "bricard", "panda", "stanford", "delta"])
def test_a_links_bar_ends_at_the_joint_it_carries(name: str) -> None:
    """Of every body that carries others away from its own joint, the mesh surrounds both ends."""
    m = lg.library(name)
    seen = mechanism_scene(m)
    for joint in m.joints:
        if joint.parent == "ground" or m.body(joint.parent).mass == 0:
            continue
        carrier = next(j for j in m.joints if j.child == joint.parent)
        start = np.array(carrier.child_placement.position, dtype=float)
        end = np.array(joint.placement.position, dtype=float)
        if np.linalg.norm(end - start) < 0.1 * seen.size:
            continue
        vertices = part_of(seen, joint.parent).vertices
        for point in (start, end):
            away = np.linalg.norm(vertices - point, axis=1).min()
            assert away < 0.05 * seen.size
            assert (vertices.min(axis=0) <= point + 1e-6).all()
            assert (vertices.max(axis=0) >= point - 1e-6).all()


def test_joints_are_pins_along_their_axes() -> None:
    m = lg.library("puma560")
    seen = mechanism_scene(m)
    for joint in m.joints:
        pin = part_of(seen, f"joint {joint.name}")
        middle = np.array(joint.child_placement.position, dtype=float)
        axis = joint.child_placement.matrix()[:3, :3] @ np.array(joint.axis, dtype=float)
        off = pin.vertices - middle
        along = off @ axis
        across = np.linalg.norm(off - along[:, None] * axis, axis=1)
        assert along.max() == pytest.approx(-along.min(), rel=1e-4)
        assert along.max() > across.max()


def test_a_link_goes_along_the_axes_and_their_common_normal() -> None:
    x, y, z = np.eye(3)
    corners = link_corners(np.zeros(3), z, np.array([0.4, 0, 0.15]), z, 0.01)
    np.testing.assert_allclose(corners, [(0, 0, 0), (0.4, 0, 0), (0.4, 0, 0.15)])
    corners = link_corners(np.zeros(3), z, np.array([0.4, 0.2, 0.3]), y, 0.01)
    np.testing.assert_allclose(corners, [(0, 0, 0), (0, 0, 0.3), (0.4, 0, 0.3), (0.4, 0.2, 0.3)], atol=1e-12)
    # nearly parallel axes meet far away: straight
    tilted = np.array([0.1, 0, 1.0]) / np.hypot(0.1, 1.0)
    assert len(link_corners(np.zeros(3), z, x, tilted, 0.01)) == 2


def test_struts_join_what_they_join() -> None:
    m = lg.library("wire_particles")
    seen = mechanism_scene(m)
    (wire,) = seen.struts
    poses = body_poses(m, drawn_configuration(m))
    ends = [poses[seen.frames[k]][0] @ [*at, 1.0] for k, at in ((wire.a, wire.a_point), (wire.b, wire.b_point))]
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(1.0)
    assert wire.kind == "rod"
    body = lg.Body("block", 1, (0, 0, 0), (0.1, 0.1, 0.1))
    spring = lg.PointSpring("k", "ground", "block", (1, 2, 3), (0.1, 0, 0), 10, 1)
    (coil,) = mechanism_scene(lg.Mechanism("s", [body], [lg.Joint("f", "free", "ground", "block")], springs=[spring])).struts
    assert (coil.kind, coil.a, coil.a_point, coil.b, coil.b_point) == ("spring", 0, (1, 2, 3), 1, (0.1, 0, 0))


def test_what_carries_coordinates_only_is_not_drawn() -> None:
    names = {part.name for part in mechanism_scene(lg.library("wire_particles")).parts}
    assert names == {"particle1", "particle2"}


def test_a_wheel_is_as_large_as_it_rolls() -> None:
    seen = mechanism_scene(lg.library("differential_drive"))
    wheel = part_of(seen, "right_wheel")
    assert np.linalg.norm(wheel.vertices[:, [0, 2]], axis=1).max() == pytest.approx(0.1, rel=1e-3)
    assert seen.floor == pytest.approx(0, abs=1e-6)


def test_rails_reach_as_far_as_the_motion() -> None:
    m = lg.library("cart_pendulum")
    rail = part_of(mechanism_scene(m, np.array([[-3.0, 0], [5.0, 0]])), "rail of x")
    assert rail.frame == 0
    assert rail.vertices[:, 0].min() < -3
    assert rail.vertices[:, 0].max() > 5


def test_visuals_are_drawn_as_they_are_given() -> None:
    """Sizes in the three ways to say them: full lengths, radii as they are."""
    at = lg.Transform(position=(1, 0, 0))
    shapes = [box((1, 2, 3), mass=1, at=at), cylinder(0.5, 2, mass=1), sphere(0.7, mass=1), capsule(0.2, 4, mass=1)]
    shapes.append(ellipsoid((0.1, 0.2, 6), mass=1))
    sizes = [(1, 2, 3), (1, 1, 2), (1.4, 1.4, 1.4), (0.4, 0.4, 4.4), (0.2, 0.4, 12)]
    for shape, size in zip(shapes, sizes, strict=True):
        m = lg.Mechanism("m", [lg.Body.from_shapes("b", [shape])], [lg.Joint("j", "free", "ground", "b")])
        (part,) = mechanism_scene(m).parts
        np.testing.assert_allclose(np.ptp(part.vertices, axis=0), size, rtol=0.01)
        middle = (part.vertices.min(axis=0) + part.vertices.max(axis=0)) / 2
        np.testing.assert_allclose(middle, shape.placement.position, atol=1e-6)
    model = """<mujoco><worldbody><body name="b"><freejoint/><geom type="box" size=".5 1 1.5" rgba="1 0 0 .5"/></body></worldbody>
    </mujoco>"""
    (part,) = mechanism_scene(lg.loads(model, "mjcf")).parts
    np.testing.assert_allclose(np.ptp(part.vertices, axis=0), (1, 2, 3), rtol=1e-5)
    assert part.color == (1, 0, 0)
    assert part.opacity == 0.5
    urdf = """<robot name="r"><link name="b"><visual><geometry>
    <cylinder radius=".5" length="2"/></geometry></visual></link></robot>"""
    (part,) = mechanism_scene(lg.loads(urdf, "urdf")).parts
    np.testing.assert_allclose(np.ptp(part.vertices, axis=0), (1, 1, 2), rtol=0.01)


@pytest.mark.parametrize("seed", range(6))
def test_anything_can_be_drawn(seed: int) -> None:
    types = ["revolute", "prismatic", "helical", "universal", "ball", "planar", "free", "fixed", "continuous"]
    m = random_mechanism(types, seed, passive=True)
    seen = mechanism_scene(m)
    assert np.isfinite([seen.size, seen.floor, *seen.center]).all()
    assert seen.size > 0
    for part in seen.parts:
        assert np.isfinite(part.vertices).all()


def test_what_has_no_size_is_drawn_too() -> None:
    nothing = lg.Mechanism("nothing", [], [])
    assert mechanism_scene(nothing).size > 0
    dot = lg.Mechanism("dot", [lg.Body("b", 1)], [lg.Joint("j", "free", "ground", "b")])
    assert mechanism_scene(dot).parts
    massless = lg.Mechanism("m", [lg.Body("b")], [lg.Joint("j", "fixed", "ground", "b")])
    assert np.isfinite(mechanism_scene(massless).size)


@pytest.mark.parametrize("center", [(0, 0, -0.2), (0, 0, -0.05), (0, 0, 0)])
def test_a_slide_hangs_together_with_the_arm_that_carries_it(center: tuple[float, float, float]) -> None:
    """The last joint of a table slides: the rod reaches its sleeve, or the rail the link, however far it is out."""
    rows = [
        {"joint": "R", "d": 0.4, "alpha": -np.pi / 2, "mass": 2, "center": (0, 0.1, 0), "inertia": (0.01, 0.01, 0.01)},
        {"joint": "R", "a": 0.3, "alpha": np.pi / 2, "mass": 1, "center": (-0.15, 0, 0), "inertia": (0.001, 0.01, 0.01)},
        {"joint": "P", "mass": 1, "center": center, "inertia": (0.001, 0.001, 0.001)},
    ]
    m = lg.Mechanism.from_dh(rows, convention="standard", gravity=(0, 0, -9.81))
    seen = still_track(m, [0.3, 0.4, 0.5])
    elbow = all_poses(m, [[0.3, 0.4, 0.0]])[0, 3, :3, 3]  # where it would be if it were in
    R = quaternion.matrix(seen.quaternions[0])
    (rail,) = [x for x in seen.scene.parts if x.name.startswith("rail")]
    slide = [x for x in seen.scene.parts if x.frame == 3] if any(center) else [rail]
    points = np.concatenate([x.vertices @ R[x.frame].T + seen.positions[0, x.frame] for x in slide])
    along = (points - elbow) @ R[3, :, 2]
    assert along.min() < 0.02
    assert along.max() > 0.5

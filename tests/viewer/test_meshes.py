"""Mesh files: found where URDF says, read as they are, bounded, and told of where they cannot be read."""

from __future__ import annotations

import os
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.viewer.scene import primitives as p
from lagrangian.viewer.scene.mesh_files import MAX_TRIANGLES_IN_ALL, find_mesh_file, simplify, with_creased_normals
from lagrangian.viewer.scene.scene_builder import mechanism_scene

trimesh = pytest.importorskip("trimesh")
URDF = """<robot name="r"><link name="b"><inertial>
<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0 0 1"/><geometry><mesh filename="{file}" scale="{scale}"/></geometry></visual></link></robot>"""


def robot(folder: Path, file: str, scale: str = "1 1 1") -> lg.Mechanism:
    path = folder / "r.urdf"
    path.write_text(URDF.format(file=file, scale=scale))
    return lg.load(path)


@pytest.mark.parametrize("suffix", ["stl", "obj", "glb", "ply"])
def test_a_mesh_is_where_and_as_large_as_it_is(tmp_path: Path, suffix: str) -> None:
    trimesh.creation.box((0.1, 0.2, 0.3)).export(tmp_path / f"box.{suffix}")
    (part,) = mechanism_scene(robot(tmp_path, f"box.{suffix}", "2 2 -2")).parts
    np.testing.assert_allclose(part.vertices.min(axis=0), (-0.1, -0.2, 0.7), atol=1e-6)
    np.testing.assert_allclose(part.vertices.max(axis=0), (0.1, 0.2, 1.3), atol=1e-6)
    a, b, c = (part.vertices[part.faces[:, k]].astype(float) - (0, 0, 1) for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(0.2 * 0.4 * 0.6, rel=1e-5)  # outward, though mirrored


def test_packages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    above = tmp_path / "my_robot"
    (above / "urdf").mkdir(parents=True)
    (above / "meshes").mkdir()
    (above / "meshes" / "a.stl").write_bytes(b"")
    assert find_mesh_file("package://my_robot/meshes/a.stl", str(above / "urdf" / "r.urdf")).samefile(above / "meshes" / "a.stl")
    assert find_mesh_file("../meshes/a.stl", str(above / "urdf" / "r.urdf")).samefile(above / "meshes" / "a.stl")
    assert find_mesh_file(f"file://{above}/meshes/a.stl", "r.urdf").samefile(above / "meshes" / "a.stl")
    with pytest.raises(lg.DescriptionError, match="ROS_PACKAGE_PATH"):
        find_mesh_file("package://my_robot/meshes/a.stl", "/elsewhere/r.urdf")
    monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join(["/nowhere", str(tmp_path)]))
    assert find_mesh_file("package://my_robot/meshes/a.stl", "/elsewhere/r.urdf").is_file()
    with pytest.raises(ValueError, match="only local files"):
        find_mesh_file("https://example.org/a.stl", "r.urdf")


def test_nothing_is_read_outside_of_packages_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "packages" / "foo"
    inside.mkdir(parents=True)
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "x.stl")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "packages"))
    for file in ("package://foo/../../x.stl", "model://../x.stl", "package://foo/a/../../../x.stl"):
        with pytest.raises(ValueError, match="leads out of the package"):
            find_mesh_file(file, str(inside / "r.urdf"))
    (tmp_path / "secret.mtl").write_text("newmtl red\nKd 1 0 0\n")
    (inside / "own.mtl").write_text("newmtl red\nKd 0 1 0\n")
    triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n"
    for name, library in (("out", "../../secret.mtl"), ("in", "own.mtl")):
        (inside / f"{name}.obj").write_text(f"mtllib {library}\n{triangle}")
    (out,), (own,) = (mechanism_scene(robot(inside, f"{name}.obj")).parts for name in ("out", "in"))
    assert own.color == (0, 1, 0)
    assert out.color != (1, 0, 0)


def test_one_line_says_what_is_missing_and_how_to_find_it(tmp_path: Path) -> None:
    m = robot(tmp_path, "package://foo_description/meshes/a.stl")
    (body,) = m.bodies
    m = m.replace(bodies=(replace(body, visuals=(*body.visuals, replace(body.visuals[0], file="b.stl"))),))
    with pytest.warns(lg.MechanismWarning) as caught_warnings:
        mechanism_scene(m)
    (message,) = (str(x.message) for x in caught_warnings)
    assert message == (
        "r: 2 visuals are not drawn, the first of 'b': package://foo_description/meshes/a.stl: there is no such file; "
        "export ROS_PACKAGE_PATH=/folder/that/holds/foo_description"
    )


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [("gone.stl", None, "no such file"), ("bad.obj", b"\x00\xff nonsense", "bad.obj"), ("a.blend", b"", "cannot be read")],
)
def test_a_mesh_that_cannot_be_read_is_reported_and_replaced(tmp_path: Path, file: str, content: bytes | None, says: str) -> None:
    if content is not None:
        (tmp_path / file).write_bytes(content)
    m = robot(tmp_path, file)
    with pytest.warns(lg.MechanismWarning, match=says) as caught_warnings:
        seen = mechanism_scene(m)
    assert caught_warnings[0].filename == __file__
    assert "'b'" in str(caught_warnings[0].message)
    assert any(part.name == "b" for part in seen.parts)


def test_large_meshes_are_simplified_and_keep_their_shape() -> None:
    ball = trimesh.creation.icosphere(6)
    assert len(ball.faces) > 80_000
    vertices, faces = simplify(np.array(ball.vertices), np.array(ball.faces), 5000)
    assert 1000 < len(faces) <= 5000
    assert np.linalg.norm(vertices, axis=1).min() > 0.97
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(4 / 3 * np.pi, rel=0.02)


def test_normals_are_smooth_but_break_at_edges() -> None:
    solid = p.cylinder(1, 2, sides=48)
    mesh = with_creased_normals(*simplify(solid.vertices, solid.faces, 10**6))
    side = np.abs(mesh.normals[:, 2]) < 0.5
    radial = mesh.vertices[side] * (1, 1, 0)
    np.testing.assert_allclose(mesh.normals[side], radial / np.linalg.norm(radial, axis=1, keepdims=True), atol=0.05)
    np.testing.assert_allclose(np.abs(mesh.normals[~side]), np.tile((0, 0, 1), ((~side).sum(), 1)), atol=1e-9)
    assert side.any()
    assert (~side).any()


@pytest.mark.parametrize(("name", "height"), [("ur5_robot.urdf", None), ("talos_reduced.urdf", 1.75)])
def test_robots_of_others(name: str, height: float | None) -> None:
    files = metadata.files("example-robot-data") or []
    path = next((f.locate() for f in files if f.name == name), None)
    if path is None:
        pytest.skip("example-robot-data is not installed")
    with pytest.warns(lg.ReaderWarning) if name.startswith("talos") else nothing():
        m = lg.load(path)
    seen = mechanism_scene(m)
    assert 1000 < sum(len(part.faces) for part in seen.parts) <= MAX_TRIANGLES_IN_ALL + 1500 * len(seen.parts)
    if height:
        assert seen.size == pytest.approx(height, abs=0.35)


def nothing() -> object:
    from contextlib import nullcontext

    return nullcontext()

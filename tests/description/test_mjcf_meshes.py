"""Inertia from meshes, shells and height fields, against MuJoCo's compiler."""

import struct

import numpy as np
import pytest
from tests.description.mjcf_models import check, check_file, model, mujoco, no_log, quiet  # noqa: F401

from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import DescriptionError

# an L: not convex, without symmetry, and its faces oriented alike
CORNERS = [(0, 0), (0.3, 0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.25), (0, 0.25)]
VERTICES = np.array([(x, y, z) for z in (0, 0.2) for x, y in CORNERS], dtype=np.float32) + np.float32(0.05)
CAP = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
FACES = np.array(
    [(c, b, a) for a, b, c in CAP]
    + [(a + 6, b + 6, c + 6) for a, b, c in CAP]
    + [t for k in range(6) for n in [(k + 1) % 6] for t in ((k, n, n + 6), (k, n + 6, k + 6))]
)
GEOM = 'type="mesh" mesh="m" pos=".1 .2 .3" euler="10 20 30"'


def words(array):
    return " ".join(repr(float(x)) if array.dtype.kind == "f" else str(x) for x in array.ravel())


INLINE = f'vertex="{words(VERTICES)}" face="{words(FACES)}"'


def with_mesh(mesh, geom=GEOM, more=""):
    body = f'<body name="b"><joint axis="1 2 3"/><geom {geom}/>{more}</body>'
    return model(body, before=f'<asset><mesh name="m" {mesh}/></asset>')


@pytest.mark.parametrize("kind", ["", "legacy", "exact", "convex", "shell"])
@pytest.mark.parametrize("how", ["", 'scale=".5 2 1"', 'refpos=".1 .2 .3" refquat="1 2 3 4" scale="2 1 3"'])
def test_meshes_of_vertices_have_the_inertia_of_mujoco(kind, how):
    inertia = f'inertia="{kind}"' if kind else ""
    check(with_mesh(f"{INLINE} {inertia} {how}"))
    check(with_mesh(f"{INLINE} {inertia} {how}", GEOM + ' mass="3"', '<geom size=".1" pos="1 0 0"/>'))


@pytest.mark.parametrize("kind", ["legacy", "exact", "shell"])
def test_mirrored_meshes_have_the_inertia_of_mujoco(kind):
    check(with_mesh(f'{INLINE} inertia="{kind}" scale="-1 1 1"'))


def test_hull_of_few_vertices():
    points = np.random.default_rng(1).normal(size=(40, 3)).astype(np.float32)
    for most in ("", 'maxhullvert="9"'):
        check(with_mesh(f'vertex="{words(points)}" inertia="convex" {most}'))
    check(with_mesh(f'vertex="{words(points)}"'))  # without faces it is its hull


@pytest.mark.parametrize(
    "how",
    ["sphere 0", "sphere 2", "supersphere 3 1 1", "supersphere 16 .3 .4", "supertorus 20 .3 .4 1", "cone 5 0", "cone 7 .4"],
)
def test_builtin_meshes_have_the_inertia_of_mujoco(how):
    kind, _, parameters = how.partition(" ")
    for inertia in ("legacy", "exact", "convex", "shell"):
        m, _ = check(with_mesh(f'builtin="{kind}" params="{parameters}" scale=".1 .2 .3" inertia="{inertia}"'))
        assert m.bodies[0].mass > 0


@pytest.mark.parametrize("kind", ["box", "sphere", "ellipsoid", "capsule", "cylinder"])
def test_shapes_fitted_to_meshes_are_those_of_mujoco(kind):
    check(with_mesh(INLINE, f'type="{kind}" mesh="m" pos=".1 .2 .3" fitscale="1.2"'))


@pytest.mark.parametrize(
    "geom",
    [
        'size=".1"',
        'type="box" size=".1 .2 .3"',
        'type="ellipsoid" size=".1 .2 .3"',
        'type="capsule" size=".1 .2"',
        'type="cylinder" size=".1" fromto="0 0 0 1 2 3"',
    ],
)
def test_shells_have_the_inertia_of_mujoco(geom):
    check(model(f'<body><joint/><geom {geom} shellinertia="true"/><geom size=".05" pos="1 0 0"/></body>'))
    check(model(f'<body><joint/><geom {geom} shellinertia="true" mass="2"/></body>'))


def test_height_field():
    field = '<asset><hfield name="h" nrow="2" ncol="2" size="1 2 .5 .3"/></asset>'
    check(model('<body><joint/><geom type="hfield" hfield="h" density="10"/></body>', before=field))


def test_total_mass_counts_meshes_of_fixed_bodies():
    fixed = '<compiler settotalmass="7"/><worldbody><body><geom type="mesh" mesh="m"/></body>'
    check(with_mesh(INLINE).replace("<worldbody>", fixed))


# -- files -------------------------------------------------------------------------------------------------------------------


def binary_stl():
    out = b"\0" * 80 + struct.pack("<I", len(FACES))
    for face in FACES:
        out += struct.pack("<12fH", 0, 0, 0, *VERTICES[face].ravel(), 0)
    return out


def ascii_stl():
    lines = [f"vertex {x!r} {y!r} {z!r}" for face in FACES for x, y, z in VERTICES[face].tolist()]
    triples = ["\n".join(["facet normal 0 0 0", "outer loop", *lines[k : k + 3]]) for k in range(0, len(lines), 3)]
    return "\n".join(["solid x", *triples]).encode()


def obj(quads=False):
    faces = [[int(i) for i in face] for face in FACES]
    if quads:
        faces = faces[:8] + [[k, n, n + 6, k + 6] for k in range(6) for n in [(k + 1) % 6]]
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in VERTICES.tolist()]
    lines += ["# a comment", "g one", *("f " + " ".join(f"{i + 1}/1/1" for i in face) for face in faces)]
    return "\n".join([*lines, "g two", "f 1 2 3"]).encode()  # of which only the first group counts


def msh():
    return struct.pack("<4i", len(VERTICES), 0, 0, len(FACES)) + VERTICES.tobytes() + FACES.astype("<i4").tobytes()


@pytest.mark.parametrize(("name", "data"), [("a.stl", binary_stl()), ("a.obj", obj()), ("b.OBJ", obj(True)), ("a.msh", msh())])
def test_mesh_files_have_the_inertia_of_mujoco(tmp_path, name, data):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / name).write_bytes(data)
    file = tmp_path / "m.xml"
    for kind in ("legacy", "exact", "convex", "shell"):
        text = with_mesh(f'file="{name}" inertia="{kind}"')
        file.write_text(text.replace("<asset>", '<compiler meshdir="meshes"/><asset>'))
        check_file(file)


@pytest.mark.parametrize("seed", range(6))
def test_faces_that_are_not_flat_are_cut_alike(tmp_path, seed):
    """A prism with many sides, some inwards, whose corners are shaken; both lids are polygons."""
    rng = np.random.default_rng(seed)
    n = 7
    radius = rng.uniform(0.4, 1.5, n)
    angles = 2 * np.pi * np.arange(n) / n
    ring = np.stack((radius * np.cos(angles), radius * np.sin(angles)), axis=1)
    points = np.concatenate([np.c_[ring, np.full(n, z)] for z in (0.0, 1.0)]) + rng.normal(size=(2 * n, 3)) * 0.1 + 2
    faces = [list(range(n))[::-1], list(range(n, 2 * n))]
    faces += [[k, (k + 1) % n, (k + 1) % n + n, k + n] for k in range(n)]
    lines = ["v " + " ".join(f"{x:.6f}" for x in p) for p in points]
    lines += ["f " + " ".join(str(i + 1 if k % 2 else i - 2 * n) for i in face) for k, face in enumerate(faces)]
    (tmp_path / "a.obj").write_text("\n".join(lines))
    for kind in ("legacy", "shell"):
        (tmp_path / "m.xml").write_text(with_mesh(f'file="a.obj" inertia="{kind}"'))
        check_file(tmp_path / "m.xml")


def test_text_stl_is_the_same_as_binary(tmp_path):
    (tmp_path / "a.stl").write_bytes(ascii_stl())
    (tmp_path / "m.xml").write_text(with_mesh('file="a.stl"'))
    body, other = mjcf.read(tmp_path / "m.xml").bodies[0], quiet(with_mesh(INLINE)).bodies[0]
    assert (body.mass, body.center, body.inertia) == (other.mass, other.center, other.inertia)


def test_a_mesh_beside_the_file_that_is_included(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.stl").write_bytes(binary_stl())
    (tmp_path / "parts" / "assets.xml").write_text('<mujoco><asset><mesh name="m" file="a.stl"/></asset></mujoco>')
    body = f"<worldbody><body><joint/><geom {GEOM}/></body></worldbody>"
    (tmp_path / "m.xml").write_text(f'<mujoco><include file="parts/assets.xml"/>{body}</mujoco>')
    m, _ = check_file(tmp_path / "m.xml")
    assert [x.file for x in m.bodies[0].visuals] == ["parts/a.stl"]


TETRAHEDRON = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n"
BROKEN = {
    "empty.stl": (b"", "empty"),
    "short.stl": (b"\0" * 90, "size does not match"),
    "cut.stl": (binary_stl()[:-7], "size does not match"),
    "no.stl": (b"solid nothing\nendsolid", "no whole triangles"),
    "nan.stl": (binary_stl()[:96] + struct.pack("<f", float("nan")) + binary_stl()[100:], "vertices are finite"),
    "blank.stl": (b"solid\n" + b"\n" * 300_000, "no whole triangles"),  # which took hours
    "words.stl": (b"solid\nvertex a b c\n" * 3, "not valid"),
    "few.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", "3 vertices"),
    "wrong.obj": (b"v 0 0\n", "line 1"),
    "face.obj": (obj() + b"\ng\n", ""),
    "index.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 9", "does not exist"),
    "flat.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3", "too small"),
    "corners.obj": (TETRAHEDRON + b"f " + b"1 2 3 " * 200, "600 corners"),
    "work.obj": (TETRAHEDRON + (b"f " + b"1 2 3 " * 100 + b"\n") * 20, "many polygons"),
    "header.msh": (b"1234", "no header"),
    "size.msh": (msh()[:-4], "size does not match"),
    "a.dae": (b"<COLLADA/>", "of this kind"),
    "none.stl": (None, "cannot be read"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_say_so(tmp_path, name):
    data, says = BROKEN[name]
    if data is not None:
        (tmp_path / name).write_bytes(data)
    (tmp_path / "m.xml").write_text(with_mesh(f'file="{name}"'))
    if not says:
        mjcf.read(tmp_path / "m.xml")
        return
    with pytest.raises(DescriptionError, match=says) as error:
        mjcf.read(tmp_path / "m.xml")
    assert "m.xml:1: <mesh" in str(error.value)


@pytest.mark.parametrize(
    ("mesh", "geom", "says"),
    [
        ('file="a.stl"', GEOM, "this model is a string"),
        ('builtin="wedge" params="2 2 60 60 0"', GEOM, "builtin wedge is not computed"),
        ('builtin="sphere" params="9"', GEOM, "too large"),
        ('builtin="sphere"', GEOM, "needs 1 params"),
        ('builtin="sphere" params="x"', GEOM, "not valid"),
        ('builtin="supertorus" params="2 .1 1 1"', GEOM, "at least 3"),
        (INLINE.replace('face="', 'face="0 0 99 '), GEOM, "names vertex 99"),
        (INLINE.replace('face="', 'face="0 0 9999999999999999999999 '), GEOM, "not valid"),
        (INLINE.replace("<", "") + ' inertia="solid"', GEOM, "no choice 'solid'"),
        (INLINE + ' refquat="0 0 0 0"', GEOM, "length 0"),
        (INLINE + ' scale="1e65 1e65 1e65"', GEOM, "overflows"),
        (f'vertex="{words(VERTICES)} 1e300 0 0"', GEOM, "vertices are finite"),
        (INLINE + ' inertia="exact"', GEOM + ' shellinertia="true"', "shellinertia of the geom"),
        (f'vertex="{words(VERTICES)}" face="{words(FACES[:, ::-1])}" inertia="exact"', GEOM, "oriented inwards"),
        (
            f'vertex="{words(VERTICES)}" face="{words(np.vstack([FACES[:5, ::-1], FACES[5:]]))}" inertia="exact"',
            GEOM,
            "consistently",
        ),
        ('vertex="0 0 0 1 0 0 0 1 0 1 1 0" inertia="convex"', GEOM, "lie in a plane"),
    ],
)
def test_meshes_that_are_refused(mesh, geom, says):
    with pytest.raises(DescriptionError, match=says):
        quiet(with_mesh(mesh, geom))

"""Links of an SDF whose inertia comes from the meshes of their collisions, against boxes."""

import numpy as np
import pytest
from tests.description.test_sdf_includes import put

import lagrangian as lg
from lagrangian.errors import DescriptionError, ReaderWarning

SIZE, AT, DENSITY = np.array([0.2, 0.3, 0.5]), np.array([0.1, -0.2, 0.4]), 700.0
CORNERS = AT + SIZE * (np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)]) - 0.5)
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])


def obj(faces=FACES, scale=1.0):
    """The box in two groups, of which both count."""
    lines = ["v " + " ".join(map(str, corner)) for corner in CORNERS / scale]
    for k, face in enumerate(faces):
        lines += ["g second"] * (k == 4) + ["f " + " ".join(str(i + 1) for i in face)]
    return "\n".join(lines)


def stl():
    corners = "".join(
        "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in CORNERS[face]) + "endloop\nendfacet\n"
        for face in FACES
    )
    return f"solid box\n{corners}endsolid\n"


def dae(unit, declaration=""):
    numbers = " ".join(map(str, (CORNERS / unit).ravel()))
    faces = " ".join(map(str, FACES.ravel()))
    return f"""<?xml version="1.0"?>{declaration}<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
      <asset><unit meter="{unit}"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
      <source id="p"><float_array id="a" count="24">{numbers}</float_array><technique_common>
      <accessor source="#a" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
      <param name="Z" type="float"/></accessor></technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles></mesh></geometry>
      </library_geometries><library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
      </library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def robot(mesh):
    return f"""<sdf version="1.11"><model name="m"><link name="l"><inertial auto="true"/><collision name="c">
      <density>{DENSITY}</density>\n<geometry><mesh>{mesh}</mesh></geometry></collision></link></model></sdf>"""


def load_body(tmp_path, files, mesh):
    put(tmp_path, {"model/m.sdf": robot(mesh), **{f"model/meshes/{name}": text for name, text in files.items()}})
    return lg.load(tmp_path / "model" / "m.sdf").bodies[0]


@pytest.mark.parametrize(
    ("file", "text", "more"),
    [
        ("a.obj", obj(), ""),
        ("a.obj", obj(scale=2.0), "<scale>2 2 2</scale>"),
        ("a.STL", stl(), ""),
        ("a.dae", dae(1), ""),
        ("a.dae", dae(0.01), ""),
    ],
)
def test_a_box(tmp_path, file, text, more):
    body = load_body(tmp_path, {file: text}, f"<uri>meshes/{file}</uri>{more}")
    mass = DENSITY * SIZE.prod()
    x, y, z = SIZE**2
    # coordinates in files are of single precision
    np.testing.assert_allclose(body.mass, mass, rtol=1e-6)
    np.testing.assert_allclose(body.center, AT, rtol=1e-6)
    np.testing.assert_allclose(body.inertia_matrix, mass / 12 * np.diag([y + z, x + z, x + y]), rtol=1e-6, atol=1e-6 * mass)


def test_a_mirrored_mesh_is_not_inside_out(tmp_path):
    body = load_body(tmp_path, {"a.obj": obj()}, "<uri>model://model/meshes/a.obj</uri><scale>-1 1 1</scale>")
    np.testing.assert_allclose(body.center, AT * [-1, 1, 1], rtol=1e-6)


def test_a_mesh_with_a_hole_is_warned_of(tmp_path):
    with pytest.warns(ReaderWarning, match=r"mesh that is not closed \(1: meshes/a\.obj\)"):
        load_body(tmp_path, {"a.obj": obj(FACES[1:])}, "<uri>meshes/a.obj</uri>")


@pytest.mark.parametrize(
    ("file", "text", "mesh", "why"),
    [
        ("a.obj", obj(), "<uri>meshes/b.obj</uri>", "there is no mesh 'meshes/b.obj'"),
        ("a.obj", obj(), "<uri>../secret.obj</uri>", "leads out"),
        ("a.obj", obj(), "<uri>/etc/passwd</uri>", "not downloaded"),
        ("a.obj", obj(), "", "has no file"),
        ("a.obj", obj(), "<uri>meshes/a.obj</uri><submesh><name>x</name></submesh>", "part of a mesh"),
        ("a.obj", obj(), "<uri>meshes/a.obj</uri><scale>0 1 1</scale>", "is not valid: its volume"),
        ("a.ply", "ply", "<uri>meshes/a.ply</uri>", r"gives no inertia; only .*\.dae do"),
        (
            "a.dae",
            '<COLLADA version="1.4.1"/>',
            "<uri>meshes/a.dae</uri>",
            "'meshes/a.dae' is not valid: it has no <scene>",
        ),
        ("a.dae", "<robot/>", "<uri>meshes/a.dae</uri>", "is not valid: its root is <robot>, not <COLLADA>"),
        ("a.dae", "<COLLADA><scene/></COLLADA>", "<uri>meshes/a.dae</uri>", "is not valid: its scene cannot be read: an element"),
        (
            "a.dae",
            dae(1, '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'),
            "<uri>meshes/a.dae</uri>",
            "document type with declarations",
        ),
    ],
)
def test_unreadable_meshes_are_refused(tmp_path, file, text, mesh, why):
    put(tmp_path, {"secret.obj": obj()})
    with pytest.raises(DescriptionError, match=why):
        load_body(tmp_path, {file: text}, mesh)


def test_a_text_reads_no_mesh():
    with pytest.raises(DescriptionError, match="a string without a folder"):
        lg.loads(robot("<uri>meshes/a.obj</uri>"), format="sdf")

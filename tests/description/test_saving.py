"""Files of every format by their suffix, and names that formats have no place for."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from tests.description.robot_file_round_trips import again, assert_same_dynamics, quadruped_mechanism

import lagrangian as lg

HOSTILE = [
    'a"b',
    "a'b",
    "<link>",
    "a&amp;b",
    "größe",
    "日本",
    "a b",
    " blank ",
    "a::b",
    "world",
    "${x}",
    "a/b",
    "a.b",
    "--",
    "\ufffe",
]
FORMATS = ("urdf", "mjcf", "sdf")


@pytest.mark.parametrize(("name", "root"), [("a.urdf", "<robot"), ("a.xml", "<mujoco"), ("a.MJCF", "<mujoco"), ("a.sdf", "<sdf")])
def test_the_suffix_says_the_format(name, root, tmp_path):
    file = lg.save(quadruped_mechanism(), tmp_path / name)
    assert root in file.read_text("utf-8")
    assert lg.load(file).nv == quadruped_mechanism().nv
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.json", "a", "a.world"])
def test_an_unknown_suffix_lists_those_that_exist(name, tmp_path):
    with pytest.raises(lg.ArgumentError, match=r"no writer for the suffix.*\.toml, \.urdf, \.xml, \.mjcf, \.sdf"):
        lg.save("two_r", tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    with pytest.raises(lg.ArgumentError, match="there is no folder"):
        lg.save("two_r", tmp_path / "none" / "a.urdf")
    bodies, joint = [lg.Body("nut", 1.0)], lg.Joint("cam", "cam", "ground", "nut", advance="sin(angle)")
    for suffix in FORMATS[:1]:
        with pytest.raises(lg.DescriptionError, match="joint 'cam'"):
            lg.save(lg.Mechanism("m", bodies, [joint]), tmp_path / f"a.{suffix}")
    assert not list(tmp_path.iterdir())


def test_formats_and_options_that_there_are_not():
    with pytest.raises(lg.ArgumentError, match="toml, urdf, mjcf, sdf"):
        lg.dumps("two_r", "xml")
    with pytest.raises(lg.ArgumentError, match=r"TOML holds the whole mechanism; .* urdf, mjcf, sdf"):
        lg.convert("two_r", "toml")
    with pytest.raises(lg.ArgumentError, match="MJCF takes no options"):
        lg.dumps("two_r", "mjcf", loops="yaml")


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_names(format):  # noqa: A002
    """Bodies, joints and frames of every name, and of the same ones; what is renamed is said, and all move as before."""
    bodies, joints, parent = [], [], "ground"
    for k, name in enumerate(HOSTILE):
        bodies.append(lg.Body(name, 1.0 + k, (0.1, 0.0, 0.2), (0.1, 0.1, 0.1)))
        joints.append(lg.Joint(name, "revolute", parent, name, (0.1, 0.2, 0.3), axis="xyz"[k % 3]))
        parent = name
    frames = [lg.Frame(f"{name}_", name) for name in HOSTILE]
    m = lg.Mechanism('rob"ot & <co>', bodies, joints, frames=frames)
    r, conversion = again(m, format)
    assert_same_dynamics(m, r, conversion.coordinates)
    renamed = {ours for ours, theirs in conversion.coordinates.items() if ours != theirs}
    for name in renamed:
        assert any(repr(name) in note and "is called" in note for note in conversion.notes)


@pytest.mark.parametrize("format", FORMATS)
def test_notes_are_sentences_and_names_of_many_are_counted(format):  # noqa: A002
    conversion = lg.convert("snake_chain", format)
    assert all(note.strip() == note and "{" not in note for note in conversion.notes)
    assert any("and 3 more have an initial torque" in note for note in conversion.notes)
    assert set(conversion.warnings) <= set(conversion.notes)


@pytest.mark.parametrize("format", FORMATS)
def test_a_long_chain(format):  # noqa: A002
    count = 1500
    bodies = [lg.Body(f"b{k}", 1.0, inertia=(0.1, 0.1, 0.1)) for k in range(count)]
    joints = [lg.Joint(f"j{k}", "revolute", f"b{k - 1}" if k else "ground", f"b{k}", (0.1, 0, 0), axis="y") for k in range(count)]
    r, _ = again(lg.Mechanism("rope", bodies, joints), format)
    assert r.nv == count


@pytest.mark.parametrize("format", FORMATS)
def test_numbers_are_written_to_the_last_bit(format):  # noqa: A002
    m = quadruped_mechanism()
    x = 0.1 + 0.2
    m = m.replace(bodies=[replace(m.bodies[0], mass=x), *m.bodies[1:]])
    r, _ = again(m, format)
    assert float(r.body("base").mass) == x
    np.testing.assert_array_equal([float(c) for c in r.body("lf_thigh").center], [float(c) for c in m.body("lf_thigh").center])


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_drawn_is_kept(format, tmp_path):  # noqa: A002
    shapes = lg.shapes
    solids = [
        shapes.box((0.1, 0.2, 0.3), mass=1.0),
        shapes.cylinder(0.05, 0.4, mass=0.5, at=(0, 0, 0.3)),
        shapes.sphere(0.1, mass=0.2),
    ]
    body = lg.Body.from_shapes(
        "link", [*solids, shapes.capsule(0.02, 0.2, mass=0.1), shapes.ellipsoid((0.1, 0.2, 0.3), mass=0.3)]
    )
    m = lg.Mechanism("m", [body], [lg.Joint("j", "revolute", "ground", "link", limits=lg.JointLimits(-1, 1))])
    r, _ = again(m, format)
    drawn = {x.kind: x.size for x in r.body("link").visuals}
    assert drawn["box"] == pytest.approx((0.1, 0.2, 0.3), abs=1e-15)
    assert drawn["cylinder"] == pytest.approx((0.05, 0.4) if format != "urdf" else (0.02, 0.2))
    with warnings.catch_warnings():
        warnings.simplefilter("error", lg.WriterWarning)
        lg.save(m, tmp_path / f"a.{'xml' if format == 'mjcf' else format}")


def test_other_programs_read_hostile_names():
    m = lg.Mechanism('r"<', [lg.Body('l"<&ü', 1.0, (0.1, 0, 0))], [lg.Joint("j'&>", "revolute", "ground", 'l"<&ü')])
    pin, mujoco = pytest.importorskip("pinocchio"), pytest.importorskip("mujoco")
    assert "j'&>" in list(pin.buildModelFromXML(lg.convert(m, "urdf").text).names)
    assert mujoco.MjModel.from_xml_string(lg.convert(m, "mjcf").text).joint(0).name == "j'&>"

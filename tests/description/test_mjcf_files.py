"""MJCF files that include others, and files with mistakes."""

import math

import pytest
from tests.description.mjcf_models import (  # noqa: F401
    BALL,
    MODELS,
    model,
    mujoco,
    no_log,
    quiet,
)

from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import DescriptionError, MechanismError

# -- include -----------------------------------------------------------------------------------------------------------------


def test_included_files_become_part_of_the_model(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "defaults.xml").write_text('<mujocoinclude><default><joint damping="3"/></default></mujocoinclude>')
    (tmp_path / "arm.xml").write_text(
        f'<mujoco><body name="arm"><joint name="j"/>{BALL}<include file="hand.xml"/></body></mujoco>'
    )
    (tmp_path / "hand.xml").write_text(f'<mujoco><body name="hand"><joint name="k"/>{BALL}</body><body name="other"/></mujoco>')
    main = tmp_path / "main.xml"
    main.write_text('<mujoco><include file="parts/defaults.xml"/><worldbody><include file="arm.xml"/></worldbody></mujoco>')
    m = mjcf.read(main)
    ref = mujoco.MjModel.from_xml_path(str(main))
    assert [b.name for b in m.bodies] == [ref.body(i).name for i in range(1, ref.nbody)]
    assert [j.friction.viscous for j in m.joints if j.kind.nv] == list(ref.dof_damping)


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("main.xml", "included twice"),
        ("loop.xml", "included twice"),
        ("/etc/hostname", "not a relative path"),
        ("C:/x.xml", "not a relative path"),
        ("~/x.xml", "not a relative path"),
        ("http://localhost/x.xml", "not a relative path"),
        ("../outside.xml", "outside the model's directory"),
        ("a/../../outside.xml", "outside the model's directory"),
        ("none.xml", "none.xml: cannot be read"),
        ("bad.xml", r"bad.xml:2: not XML"),
        ("", "file is empty"),
    ],
)
def test_includes_that_are_refused(tmp_path, file, says):
    (tmp_path / "outside.xml").write_text("<mujoco><body/></mujoco>")
    inside = tmp_path / "model"
    inside.mkdir()
    (inside / "loop.xml").write_text('<mujoco><include file="loop.xml"/></mujoco>')
    (inside / "bad.xml").write_text("<mujoco>\n<body></mujoco>")
    main = inside / "main.xml"
    main.write_text(f'<mujoco><worldbody>\n<include file="{file}"/></worldbody></mujoco>')
    with pytest.raises(DescriptionError, match=says) as error:
        mjcf.read(main)
    assert f":{1 if file == 'loop.xml' else 2}: <include>" in str(error.value)


def test_a_text_includes_nothing():
    with pytest.raises(DescriptionError, match="without a folder"):
        quiet(model('<include file="a.xml"/>'))


# -- bad input ---------------------------------------------------------------------------------------------------------------


def one(inside, how="", before="", after=""):
    return model(f'\n<body name="b" {how}>\n{inside}</body>', before, after)


BAD = {
    "urdf": ("<robot/>", 1, "this is URDF"),
    "other": ("<html/>", 1, "starts with <mujoco>"),
    "section": ("<mujoco>\n<worldbdy/></mujoco>", 2, "Did you mean 'worldbody'"),
    "fragment": ("<mujocoinclude/>", 1, "part of a model"),
    "element": (one("<jiont/>"), 3, "Did you mean 'joint'"),
    "attribute": (one('<joint dampng="1"/>'), 3, "no attribute 'dampng'. Did you mean 'damping'"),
    "default attribute": (one("", before='<default><geom sice="1"/></default>'), 1, "Did you mean 'size'"),
    "type": (one('<joint type="hing"/>'), 3, "Did you mean 'hinge'"),
    "geom type": (one('<geom type="ball" size="1"/>'), 3, "no choice 'ball'"),
    "class": (one('<joint class="nope"/>'), 3, "no default class 'nope'"),
    "childclass": (one("", 'childclass="nope"'), 2, "no default class 'nope'"),
    "class twice": (
        one("", before='<default><default class="a"/><default class="a"/></default>'),
        1,
        "there are two default classes",
    ),
    "class without name": (one("", before="<default><default/></default>"), 1, "needs the attribute 'class'"),
    "pos": (one("", 'pos="0 0"'), 2, "pos needs 3 numbers, got '0 0'"),
    "nan": (one("", 'pos="0 0 nan"'), 2, "finite"),
    "two orientations": (one("", 'quat="1 0 0 0" euler="0 0 0"'), 2, "quat and euler"),
    "quat zero": (one("", 'quat="0 0 0 0"'), 2, "length 0"),
    "zaxis zero": (one("", 'zaxis="0 0 0"'), 2, "no direction"),
    "xyaxes parallel": (one("", 'xyaxes="1 0 0 2 0 0"'), 2, "no direction"),
    "axis zero": (one('<joint axis="0 0 0"/>'), 3, "direction"),
    "eulerseq": (one("", before='<compiler eulerseq="xyw"/>'), 1, "eulerseq is 'xyw'"),
    "angle": (one("", before='<compiler angle="grad"/>'), 1, "angle: there is no choice 'grad'"),
    "global": (one("", before='<compiler coordinate="global"/>'), 1, "global"),
    "range": (one('<joint range="2 1" limited="true"/>'), 3, "first less than the second"),
    "no autolimits": (one('<joint range="1 2"/>', before='<compiler autolimits="false"/>'), 3, 'limited="true"'),
    "damping": (one('<joint damping="-1"/>'), 3, "cannot be negative"),
    "armature": (one('<joint armature="-1"/>'), 3, "cannot be negative"),
    "mass": (one('<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'), 3, "cannot be negative"),
    "no pos": (one('<inertial mass="1" diaginertia="1 1 1"/>'), 3, "needs the attribute 'pos'"),
    "no mass": (one('<inertial pos="0 0 0" diaginertia="1 1 1"/>'), 3, "needs the attribute 'mass'"),
    "two inertials": (one('<inertial pos="0 0 0" mass="1"/>' * 2), 3, "two inertial"),
    "full and quat": (one('<inertial pos="0 0 0" mass="1" quat="1 0 0 0" fullinertia="1 1 1 0 0 0"/>'), 3, "only fullinertia"),
    "size missing": (one("<joint/><geom/>"), 3, "a sphere needs 1 numbers in size"),
    "size few": (one('<joint/><geom type="box" size="1 1"/>'), 3, "a box needs 3 numbers"),
    "size negative": (one('<joint/><geom size="-1"/>'), 3, "positive"),
    "fromto sphere": (one('<geom size="1" fromto="0 0 0 0 0 1"/>'), 3, "not a sphere"),
    "fromto point": (one('<geom type="capsule" size="1" fromto="0 0 1 0 0 1"/>'), 3, "must differ"),
    "fromto and pos": (one('<geom type="capsule" size="1" pos="1 1 1" fromto="0 0 0 0 0 1"/>'), 3, "fromto and pos"),
    "mesh": (one('<joint/><geom type="mesh" mesh="m"/>'), 3, "no mesh 'm'"),
    "mesh fitted": (one('<joint/><geom type="box" mesh="m"/>'), 3, "no mesh 'm'"),
    "hfield": (one('<joint/><geom type="hfield" hfield="m"/>'), 3, "no hfield 'm'"),
    "density": (one('<joint/><geom size="1" density="-1"/>'), 3, "cannot be negative"),
    "same body": (model('\n<body name="b"/>\n<body name="b"/>'), 3, "already used in line 2"),
    "same body, same line": (model('\n<body name="b"/><body name="b"/>'), 2, "already used in line 2"),
    "same joint": (one('<joint name="j"/><joint name="j"/>'), 3, "already used in line 3"),
    "same site": (one('<site name="j"/><site name="j"/>'), 3, "already used in line 3"),
    "world": (model('\n<body name="world"/>'), 2, "cannot be called 'world'"),
    "world joint": (model("<joint/>"), 1, "the worldbody is fixed"),
    "free below": (one("<body><freejoint/></body>"), 3, "not a child of the worldbody"),
    "free and more": (one("<freejoint/><joint/>"), 2, "only joint"),
    "composite": (one('<composite type="cable"/>'), 3, "<composite> is not supported"),
    "flexcomp": (one("<flexcomp/>"), 3, "<flexcomp> is not supported"),
    "replicate": (one('<replicate count="0"/>'), 3, "count is 0"),
    "replicate joint": (one('<replicate count="2">\n<joint/></replicate>'), 4, "directly inside <replicate>"),
    "replicate much": (one('<replicate count="1000000"><site/></replicate>'), 3, "1000005 elements"),
    "attach": (one('<attach model="m" prefix="p"/>'), 3, "no model in <asset> 'm'"),
    "attach nothing": (one('<attach prefix="p"/>'), 3, "neither a model nor a body"),
    "attach itself": (one('<attach body="b" prefix="p"/>'), 3, "inside the body 'b'"),
    "attach unknown": (one('<attach body="c" prefix="p"/>'), 3, "no body 'c'"),
    "no prefix": (one('<attach body="b"/>'), 3, "needs the attribute 'prefix'"),
    "flex": (one("", after="<deformable>\n<flex/></deformable>"), 4, "<flex> is not supported"),
    "scaled frame": (one('<frame scale="2"/>'), 3, "scales its contents"),
    "equality body": (one("", after='<equality><connect body1="c" anchor="0 0 0"/></equality>'), 3, "no body 'c'"),
    "equality site": (one("", after='<equality><weld site1="c" site2="d"/></equality>'), 3, "no site 'c'"),
    "one site": (one('<site name="c"/>', after='<equality><weld site1="c"/></equality>'), 3, "needs the attribute 'site2'"),
    "no anchor": (one("", after='<equality><connect body1="b"/></equality>'), 3, "needs the attribute 'anchor'"),
    "equality": (one("", after="<equality><conect/></equality>"), 3, "Did you mean 'connect'"),
    "key": (one("<joint/>", after='<keyframe><key qpos="1 2"/></keyframe>'), 3, "qpos needs 1 number, got '1 2'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_where_and_what(case):
    text, line, says = BAD[case]
    with pytest.raises((DescriptionError, MechanismError), match=says) as error:
        quiet(text)
    assert str(error.value).startswith(f"m.xml:{line}: <"), error.value


def test_meshes_without_mass_do_no_harm():
    text = model(
        '<body><joint/><geom size=".1"/><geom type="mesh" mesh="m" group="2"/></body>', '<compiler inertiagrouprange="0 1"/>'
    )
    assert quiet(text).bodies[0].mass == pytest.approx(1000 * 4 / 3 * math.pi * 1e-3)
    text = model('<body><geom type="mesh" mesh="m"/></body>')  # fixed: its mass does not matter
    assert quiet(text).bodies[0].mass == 0
    text = model('<body><joint/><geom type="mesh" mesh="m"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>')
    assert quiet(text).bodies[0].mass == 1


def test_files_are_read_and_unreadable_ones_refused(tmp_path):
    file = tmp_path / "m.xml"
    file.write_text(MODELS["pendulum"])
    m = mjcf.read(file)
    assert m.nv == 1
    assert m.file == str(file)
    with pytest.raises(DescriptionError, match="cannot be read"):
        mjcf.read(tmp_path / "none.xml")

"""What of MJCF is ignored, and what is said about it."""

import warnings

import pytest
from tests.description.mjcf_models import (  # noqa: F401
    BALL,
    model,
    mujoco,
    no_log,
    quiet,
)

from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import ReaderWarning


@pytest.mark.parametrize(
    ("body", "before", "after", "says"),
    [
        (f'<body><joint name="x" damping="1 2"/>{BALL}</body>', "", "", "nonlinear damping.*x"),
        (f'<body><joint name="x" stiffness="1 0 2"/>{BALL}</body>', "", "", "nonlinear stiffness.*x"),
        (f'<body><joint name="x" type="free" springdamper="1 1"/>{BALL}</body>', "", "", "springdamper of a free.*x"),
        (f'<body><joint name="x" type="free" stiffness="1"/>{BALL}</body>', "", "", "stiffness of a free.*x"),
        (
            f'<body><joint name="x" type="free"/>{BALL}</body>',
            '<default><joint frictionloss="1"/></default>',
            "",
            "frictionloss of a free.*x",
        ),
        (f"<body><joint/>{BALL}</body>", '<option viscosity="1"/>', "", "viscosity"),
        (f"<body><joint/>{BALL}</body>", '<option><flag equality="disable"/></option>', "", "flag.*equality"),
        (f"<body><joint/>{BALL}</body>", '<option><flag actuation="disable"/></option>', "", "flag.*actuation"),
        (f"<body><joint/>{BALL}</body>", '<option><flag limit="disable"/></option>', "", "flag.*limit"),
        (f"<body><joint/>{BALL}</body>", '<option actuatorgroupdisable="1"/>', "", "option.*disables actuators"),
    ],
)
def test_what_changes_the_dynamics_warns(body, before, after, says):
    text = model(body, before, after)
    mujoco.MjModel.from_xml_string(text)  # it is a model
    with pytest.warns(ReaderWarning, match=says):
        m = mjcf.read_text(text)
    assert any(says.split(".*")[0] in note for note in m.notes)


def test_the_rest_is_noted_without_a_warning():
    text = model(
        f'<geom type="plane" size="1 1 1"/><body mocap="true" name="mo">{BALL}</body>'
        f'<body name="b"><joint name="j"/>{BALL}<site/>'
        "<camera/><light/></body>",
        after='<actuator><motor joint="j" name="m1"/><motor joint="j"/></actuator><sensor><jointpos joint="j"/></sensor>'
        '<contact><exclude body1="b" body2="mo"/></contact><tendon><fixed><joint joint="j" coef="1"/></fixed></tendon>',
    )
    mujoco.MjModel.from_xml_string(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = mjcf.read_text(text)
    for what in (
        "actuator> (2: m1)",
        "sensor> (1)",
        "contact> (1)",
        "mocap body (1: mo)",
        "geom> of the world (1)",
    ):
        assert sum(what in note for note in m.notes) == 1, (what, m.notes)


def test_an_impossible_inertia_is_kept_and_warned_of():
    text = model('<body name="odd"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>')
    with pytest.warns(ReaderWarning, match="odd"):
        m = mjcf.read_text(text)
    assert m.bodies[0].effective
    assert m.bodies[0].inertia == (1, 0, 0, 1, 0, 3)


@pytest.mark.parametrize(
    "inside",
    [
        "",
        '<geom size=".1" mass="0"/>',
        '<body name="fixed"><site name="s"/></body>',
        f'<body name="below"><joint/>{BALL}</body>',
        '<joint axis="1 0 0"/>',
    ],
)
def test_a_moving_body_without_mass_is_warned_of(inside):
    text = model(f'<body name="bare"><joint/>{inside}</body>')
    with pytest.raises(ValueError, match="mass and inertia of moving bodies"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.warns(ReaderWarning, match=r"moving body without mass \(1: bare\): its mass is 0") as caught:
        m = mjcf.read_text(text)
    assert len(caught) == 1
    assert m.body("bare").mass == 0
    assert any("moving body without mass (1: bare)" in note for note in m.notes)


@pytest.mark.parametrize(
    "text",
    [
        model(f'<body name="bare"><joint/><body>{BALL}</body></body>'),  # its mass is in what is fixed to it
        model(f'<body><joint/>{BALL}<body name="bare"/></body>'),
        model(f'<body><joint/><joint axis="1 0 0"/>{BALL}</body>'),
        model(f'<body name="bare"/><body><joint/>{BALL}</body>'),
        model('<body name="bare"><joint/></body>', '<compiler boundmass=".1" boundinertia=".1"/>'),
    ],
)
def test_bodies_without_mass_that_are_no_mistake(text):
    known = mujoco.MjModel.from_xml_string(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mjcf.read_text(text).nv == known.nv


def test_gravity_can_be_disabled():
    body = f"<body><joint/>{BALL}</body>"
    assert quiet(model(body)).gravity == (0, 0, -9.81)
    assert quiet(model(body, '<option gravity="0 0 -1.6"/>')).gravity == (0, 0, -1.6)
    assert quiet(model(body, '<option><flag gravity="disable"/></option>')).gravity == (0, 0, 0)


def test_visuals_have_shape_colour_and_file():
    text = model(
        '<body><joint/><geom type="box" size=".1 .2 .3" material="red" pos="0 0 1"/>'
        '<geom type="capsule" size=".1 .5" rgba="0 1 0 1"/>'
        '<geom type="mesh" mesh="part" mass="0"/><geom size="1" group="3"/></body>',
        '<compiler meshdir="meshes"/>'
        '<asset><mesh file="sub/part.stl" scale="2 2 2"/><material name="red" rgba="1 0 0 1"/></asset>',
    )
    box, capsule, mesh = quiet(text).bodies[0].visuals
    assert (box.kind, box.size, box.color, box.placement.position) == ("box", (0.2, 0.4, 0.6), (1, 0, 0, 1), (0, 0, 1))
    assert (capsule.kind, capsule.size, capsule.color) == ("capsule", (0.1, 1.0), (0, 1, 0, 1))
    assert (mesh.kind, mesh.size, mesh.file) == ("mesh", (2, 2, 2), "meshes/sub/part.stl")


def test_a_body_outside_the_world_is_passed_over():
    """So MuJoCo reads a file that is a part of a model that another file includes."""
    text = (
        f'<mujoco>\n<body name="hand"><joint/>{BALL}</body><worldbody><body><joint name="j"/>{BALL}</body></worldbody></mujoco>'
    )
    with pytest.warns(ReaderWarning, match=r"<body> outside <worldbody> \(1: hand\): ignored, .*part of a model"):
        m = mjcf.read_text(text)
    assert m.coordinate_names == ("j",)
    assert mujoco.MjModel.from_xml_string(text).njnt == 1

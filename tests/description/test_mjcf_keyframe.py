"""A keyframe that a run begins with: its pose, speeds and controls, against MuJoCo."""

import warnings

import numpy as np
import pytest
from tests.description.mjcf_dynamics import reference, torques, velocities
from tests.description.mjcf_models import BALL, model, mujoco, no_log, to_mujoco  # noqa: F401

import lagrangian as lg
from lagrangian.errors import ArgumentError, DescriptionError, ReaderWarning

BODIES = (
    f'<body name="base"><freejoint name="base"/>{BALL}'
    f'<body name="leg" pos=".5 0 0"><joint name="hip" type="ball"/>{BALL}'
    f'<body name="foot" pos=".5 0 0"><joint name="knee" axis="0 1 0" ref="20"/>{BALL}</body></body></body>'
    f'<body name="other" pos="0 2 0"><joint name="slide" type="slide"/>{BALL}</body>'
)
ACTUATORS = (
    '<actuator><motor name="m" joint="slide" gear="2"/><adhesion body="other" ctrlrange="0 1"/>'
    '<position name="servo" joint="knee" kp="30" kv="2"/></actuator>'
)
QPOS = "1 2 3  .5 .5 -.5 .5  .8 .6 0 0  .3  -.2"
KEYS = f'''<keyframe>
<key name="home" qpos="{QPOS}" qvel="1 -2 3  .1 .2 .3  -.4 .5 .6  .7  .8" ctrl=".4 0 .9"/>
<key name="still" qpos="{QPOS}"/>
</keyframe>'''
TEXT = model(BODIES, after=ACTUATORS + KEYS)
pytestmark = pytest.mark.filterwarnings("ignore::lagrangian.ReaderWarning")


def test_pose_speeds_and_controls_are_those_of_mujoco():
    m, ref = lg.loads(TEXT, "mjcf", keyframe="home"), reference(TEXT)
    data = mujoco.MjData(ref)
    mujoco.mj_resetDataKeyframe(ref, data, 0)
    q, qd = np.array(m.initial.q), np.array(m.initial.qd)
    np.testing.assert_allclose(to_mujoco(m, q), data.qpos, atol=1e-15)
    np.testing.assert_allclose(velocities(m, q, qd), data.qvel, atol=1e-15)
    assert [m.parameters[f"ctrl_{name}"].value for name in ("m", "servo")] == [0.4, 0.9]
    mujoco.mj_forward(ref, data)
    torque_by_speed = dict(zip(m.speed_names, torques(m, q, qd), strict=True))
    assert [torque_by_speed["knee"], torque_by_speed["slide"]] == pytest.approx(data.qfrc_actuator[-2:], rel=1e-12)
    begun = lg.simulate(m, 0.01)
    np.testing.assert_allclose([*begun.q[0], *begun.qd[0]], [*q, *qd], atol=1e-12)


def test_a_control_that_is_given_goes_before_the_keyframe():
    m = lg.loads(TEXT, "mjcf", keyframe="home", parameters={"ctrl_m": 7})
    assert [m.parameters[f"ctrl_{name}"].value for name in ("m", "servo")] == [7, 0.9]


def test_a_keyframe_without_speeds_and_controls_begins_at_rest():
    m = lg.loads(TEXT, "mjcf", keyframe="still")
    assert m.initial.q == pytest.approx(m.poses["home"])
    assert m.initial.qd is None
    assert m.parameters["ctrl_m"].value == 0
    assert [note for note in m.notes if "<key>" in note and "home" in note]  # which is not chosen


def test_unknown_keyframes_are_refused():
    with pytest.raises(ArgumentError, match=r"keyframe: there is no keyframe 'hom'. Did you mean 'home'\? Known: home, still"):
        lg.loads(TEXT, "mjcf", keyframe="hom")
    for number in (2, -1, True, "2"):
        with pytest.raises(ArgumentError, match=f"there is no keyframe {number!r}.*; or a number, from 0 to 1"):
            lg.loads(TEXT, "mjcf", keyframe=number)
    for attribute, says in (('qvel="1 2"', "qvel needs 11 numbers"), ('ctrl="1 2"', "ctrl needs 3 numbers")):
        text = model(BODIES, after=f"{ACTUATORS}<keyframe><key name='k' {attribute}/></keyframe>")
        with pytest.raises(DescriptionError, match=says):
            lg.loads(text, "mjcf", keyframe="k")
    with pytest.raises(ArgumentError, match="TOML takes no option 'keyframe'"):
        lg.loads("", "toml", keyframe="k")


def test_activations_that_are_left_out_are_warned_of():
    actuators = '<actuator><general name="m" joint="slide" dyntype="filter"/></actuator>'
    text = model(BODIES, after=f'{actuators}<keyframe><key name="k" act=".3"/></keyframe>')
    with pytest.warns(ReaderWarning, match=r"<key> act \(1: k\): ignored"):
        lg.loads(text, "mjcf", keyframe="k")


def test_keys_are_counted_from_0_as_mujoco_counts_them():
    for number, name in ((0, "home"), (np.int64(1), "still"), ("1", "still")):
        ours, named = (lg.loads(TEXT, "mjcf", keyframe=x) for x in (number, name))
        assert list(ours.initial.q) == list(named.initial.q)
        assert dict(ours.parameters) == dict(named.parameters)


def test_a_file_of_keys_alone_is_a_part():
    with pytest.raises(DescriptionError, match=r"needs bodies.* this file is a part that another file includes"):
        lg.loads('<mujoco><keyframe><key name="k" qpos="1 2"/></keyframe></mujoco>', "mjcf")


def test_controls_of_actuators_that_are_left_out_are_warned_of():
    """A drone falls without its rotors, which act at sites."""
    site = '<site name="s"/></body><body name="other"'
    actuators = "".join(f'<general name="{name}" site="s" gear="0 0 1 0 0 0"/>' for name in ("up", "down", "off"))
    keys = '<keyframe><key name="hover" ctrl="3 -3 0"/><key name="off"/></keyframe>'
    text = model(BODIES.replace('</body><body name="other"', site), after=f"<actuator>{actuators}</actuator>{keys}")
    with pytest.warns(ReaderWarning) as caught:
        m = lg.loads(text, "mjcf", keyframe="hover")
    (message,) = [str(w.message) for w in caught]
    assert "<actuator> that the keyframe gives a control (2: up, down): ignored: it acts through a site" in message
    assert any(note.startswith("<actuator> (1: off): ignored") for note in m.notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReaderWarning)
        lg.loads(text, "mjcf", keyframe="off")
        lg.loads(text, "mjcf")

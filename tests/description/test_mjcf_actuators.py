"""Actuators of MJCF as torques of joints, against MuJoCo."""

import numpy as np
import pytest
from tests.description.mjcf_dynamics import compare, reference, torques, velocities
from tests.description.mjcf_models import BALL, model, mujoco, no_log, quiet  # noqa: F401

import lagrangian as lg
from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import ArgumentError, DescriptionError, ReaderWarning

ARM = (
    f'<body name="a" pos="0 0 1"><joint name="left-hip" axis="0 1 0" ref="20" range="-90 120"/>{BALL}'
    f'<body name="b" pos=".5 0 0"><joint name="slide" type="slide" axis="1 0 0" armature=".1" actuatorfrcrange="-3 3"/>{BALL}'
    f'<body name="c" pos=".5 0 .1"><joint name="knee" axis="0 1 0"/>{BALL}</body></body></body>'
)
TENDON = (
    '<tendon><fixed name="t" range="-1 2"><joint joint="left-hip" coef=".5"/><joint joint="knee" coef="-2"/></fixed>'
    '<fixed name="bounded" actuatorfrcrange="-.5 .7"><joint joint="knee" coef="1.5"/></fixed></tendon>'
)


def with_actuators(actuators, before=""):
    return model(ARM, before, f"{TENDON}<actuator>{actuators}</actuator>")


KINDS = {
    "motor": '<motor name="m" joint="left-hip" gear="25"/>',
    "limited motor": '<motor name="m" joint="left-hip" gear="-3" ctrlrange="-1 .2" forcerange="-.1 .1"/>',
    "position": '<position name="m" joint="knee" kp="30" kv="2" gear="1.5"/>',
    "position by ratio": '<position name="m" joint="knee" kp="30" dampratio=".7" gear="2"/>',
    "tendon by ratio": '<position name="m" tendon="t" kp="30" dampratio=".7"/>',
    "bounded tendon": '<position name="m" tendon="bounded" kp="300"/>',
    "inherited range": '<position name="m" joint="left-hip" kp="30" inheritrange=".1"/>',
    "inherited from a tendon": '<position name="m" tendon="t" kp="3" inheritrange=".2"/>',
    "ratio with armature": '<position name="m" joint="knee" kp="30" dampratio=".7" armature=".1"/>',
    "effort": '<position name="m" joint="slide" kp="3000" forcerange="-50 1e9"/>',
    "velocity": '<velocity name="m" joint="slide" kv=".4"/>',
    "damper": '<damper name="m" joint="knee" kv="3" ctrlrange="0 1"/>',
    "cylinder": '<cylinder name="m" joint="slide" area="2" bias=".1 .2 -.3" timeconst=".5"/>',
    "general": '<general name="m" tendon="t" gainprm=".3 0 0" biastype="affine" biasprm=".1 -10 -1" forcerange="-50 50"/>',
    "affine gain": '<general name="m" joint="knee" gaintype="affine" gainprm=".3 .2 -.1"/>',
    "in parent": '<motor name="m" jointinparent="knee" gear="2"/>',
    "own inertia": '<motor name="m" joint="knee" gear="3" armature=".02" damping=".1"/>',
    "two of one joint": '<motor name="m" joint="knee"/><position name="other" joint="knee" kp="3"/>',
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("control", [0.0, 0.6])
def test_torques_are_those_of_mujoco(kind, control):
    text = with_actuators(KINDS[kind])
    m = quiet(text, {"ctrl_m": control} if control else None)
    assert m.parameters["ctrl_m"].value == control
    ref = reference(text)
    data = mujoco.MjData(ref)
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, qd = rng.normal(size=3), rng.normal(size=3)
        data.qpos[:], data.qvel[:], data.ctrl[0] = q, velocities(m, q, qd), control
        if ref.na:  # the control has been on for 0.3 s
            data.act[:] = control * (1 - np.exp(-0.3 / 0.5))
        mujoco.mj_forward(ref, data)
        theirs = data.qfrc_actuator
        np.testing.assert_allclose(torques(m, q, qd, t=0.3), theirs, atol=1e-12 * max(1, abs(theirs).max()))


def test_an_integrated_velocity_is_a_ramp():
    m = quiet(with_actuators('<intvelocity name="m" joint="knee" kp="2" actrange="-1 1"/>'), {"ctrl_m": 0.5})
    assert torques(m, [0, 0, 0.1], [0, 0, 0], t=0.4)[2] == pytest.approx(2 * (0.2 - 0.1))
    assert torques(m, [0, 0, 0.1], [0, 0, 0], t=9.0)[2] == pytest.approx(2 * (1 - 0.1))


def test_an_integrated_velocity_inherits_the_range_of_what_it_integrates_to():
    text = with_actuators('<intvelocity name="m" joint="left-hip" kp="2" inheritrange=".1"/>')
    (low, high), limited = reference(text).actuator_actrange[0], reference(text).actuator_ctrllimited[0]
    assert not limited
    m = quiet(text, {"ctrl_m": 9.0})
    for t, act in ((0.01, 0.09), (9.0, high)):
        assert low < act <= high
        assert torques(m, [0.1, 0, 0], [0, 0, 0], t=t)[0] == pytest.approx(2 * (act - 0.1))


def test_armature_and_damping_of_an_actuator_are_the_joints():
    m = compare(with_actuators(KINDS["own inertia"]))
    assert m.joint("knee").rotor.reflected_inertia == pytest.approx(0.18)
    assert m.joint("knee").friction.viscous == pytest.approx(0.9)


def test_defaults_of_all_kinds_are_one():
    """As in MuJoCo, what a default says of one kind of actuator holds for the others."""
    before = '<default><general gainprm="7" ctrlrange="-1 1"/><default class="c"><position kv="3"/></default></default>'
    text = with_actuators('<position name="m" class="c" joint="knee"/>', before)
    m, ref = quiet(text), reference(text)
    assert m.parameters["kp_m"].value == ref.actuator_gainprm[0, 0]
    assert m.parameters["kv_m"].value == -ref.actuator_biasprm[0, 2]


def test_a_run_has_the_servos_of_the_file_unless_torques_are_given():
    text = with_actuators('<position name="left-m" joint="left-hip" kp="100" kv="20"/>')
    m = quiet(text, {"ctrl_left_m": 0.3, "kp_left_m": 200.0})
    assert {"ctrl_left_m", "kp_left_m", "kv_left_m"} == set(m.parameters)
    motion = lg.simulate(m, 0.02)
    expected = 200 * (0.3 - motion.q[:, 0]) - 20 * motion.qd[:, 0]
    np.testing.assert_allclose(motion.tau[:, 0], expected, atol=1e-9)
    assert not lg.simulate(m, 0.02, torque=0).tau.any()
    assert any("torque=0" in note for note in m.notes)
    assert any("parameters" in note for note in m.notes)


def test_odd_names_of_joints_are_written_and_read_back():
    m = quiet(with_actuators(KINDS["position"] + '<position name="o" joint="left-hip" kp="3"/>'))
    again = lg.loads(lg.dumps(m))
    assert dict(again.initial.torque) == dict(m.initial.torque)
    assert "`left-hip`" in lg.dumps(m)


def test_parameters_that_are_not_there_are_refused():
    with pytest.raises(ArgumentError, match=r"ctrl_n.*ctrl_m"):
        mjcf.read_text(with_actuators(KINDS["motor"]), "m.xml", {"ctrl_n": 1.0})
    with pytest.raises(ArgumentError, match="finite number"):
        mjcf.read_text(with_actuators(KINDS["motor"]), "m.xml", {"ctrl_m": "1"})


@pytest.mark.parametrize(
    ("actuator", "says"),
    [
        ('<muscle name="m" joint="knee"/>', "muscle"),
        ('<general name="m" joint="knee" gaintype="muscle"/>', "gaintype muscle"),
        ('<position name="m" site="s" refsite="s2" kp="3"/>', "site"),
    ],
)
def test_what_is_not_carried_over_is_named(actuator, says):
    sites = '<site name="s2"/><body name="x"><joint name="j2"/><geom size=".1"/><site name="s"/></body>'
    with pytest.warns(ReaderWarning, match=says) as caught:
        m = mjcf.read_text(model(ARM + sites, "", f"<actuator>{actuator}</actuator>"))
    assert "m" in str(caught[0].message)
    assert not m.initial.torque


@pytest.mark.parametrize(
    ("actuator", "says"),
    [
        ('<position name="m" joint="knee" kp="1" kv="1" dampratio="1"/>', "kv and dampratio"),
        ('<position name="m" joint="knee" kq="1"/>', "kq"),
        ('<motor name="m" joint="kne"/>', "knee"),
        ('<motor name="m"/>', "transmission"),
        ('<motor name="m" tendon="x"/>', "tendon"),
        ('<engine name="m" joint="knee"/>', "motor"),
    ],
)
def test_mistakes_are_refused(actuator, says):
    with pytest.raises(DescriptionError, match=says):
        mjcf.read_text(with_actuators(actuator))


@pytest.mark.parametrize("value", [{"ctrl_m": "abc"}, {"ctrl_m": None}, {"ctrl_m": [1]}, {"ctrl_m": True}, [0.5]])
def test_parameters_are_numbers(value):
    with pytest.raises(ArgumentError, match="number"):
        mjcf.read_text(with_actuators('<motor name="m" joint="knee"/>'), parameters=value)


def test_many_actuators_without_names():
    """Each is told from the others by a number, which is found in one step."""
    servos = '<position joint="elbow"/>' * 3000
    arm = '<worldbody><body><joint name="elbow"/><geom size="1"/></body></worldbody>'
    m = lg.loads(f"<mujoco>{arm}<actuator>{servos}</actuator></mujoco>", "mjcf")
    controls = [name for name in dict(m.parameters) if name.startswith("ctrl_")]
    assert controls[:3] == ["ctrl_elbow", "ctrl_elbow_2", "ctrl_elbow_3"]
    assert len(controls) == 3000


def test_many_actuators_at_one_joint_act_together():
    """Their sum was nested too deeply to run."""
    arm = '<worldbody><body><joint name="elbow"/><geom size=".1" pos=".5 0 0"/></body></worldbody>'
    many, one = (
        lg.simulate(lg.loads(f"<mujoco>{arm}<actuator>{servos}</actuator></mujoco>", "mjcf"), 0.5, [0.3], t_eval=2).q[-1, 0]
        for servos in ('<position joint="elbow" kp="0.5"/>' * 600, '<position joint="elbow" kp="300"/>')
    )
    assert many == pytest.approx(one, abs=1e-7)

"""What defaults of one kind of actuator are to another, against MuJoCo."""

import numpy as np
import pytest
from tests.description.mjcf_dynamics import reference, torques
from tests.description.mjcf_models import BALL, model, mujoco, no_log, quiet  # noqa: F401

from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import ReaderWarning

DEFAULTS = (
    "general gainprm='9' biastype='affine' biasprm='7 -2 -5'",
    "general gainprm='9 1 2' gaintype='affine' dyntype='filter' dynprm='.3'",
    "general gainprm='9' dyntype='filterexact' dynprm='.3'",
    "position kp='4' kv='2'",
    "position kp='4' timeconst='.2'",
    "velocity kv='3'",
    "damper kv='2' ctrlrange='0 1'",
    "cylinder area='2' bias='1 -2 -3' timeconst='.4'",
    "motor gear='2'",
    "muscle force='3'",
    "adhesion gain='5' ctrlrange='0 1'",
)
ACTUATORS = ("general", "position", "position kp='2'", "velocity", "velocity kv='2'", "motor", "cylinder", "cylinder area='3'")
HINGE = f"<body><joint name='k' limited='true' range='-90 90'/>{BALL}</body>"


def text_of(default, actuator):
    return model(
        HINGE,
        f"<default><default class='c'><{default}/></default></default>",
        f"<actuator><{actuator} name='m' class='c' joint='k' lengthrange='-1 1'/></actuator>",
    )


@pytest.mark.skipif(int(mujoco.__version__.split(".")[0]) < 4, reason="older versions carry more over between kinds")
@pytest.mark.parametrize("default", DEFAULTS)
def test_gains_of_every_kind_after_defaults_of_another(default):
    for actuator in ACTUATORS:
        text = text_of(default, actuator)
        ref = reference(text)
        if ref.actuator_dyntype[0] == mujoco.mjtDyn.mjDYN_MUSCLE:
            continue
        data, m = mujoco.MjData(ref), quiet(text, {"ctrl_m": 0.3})
        data.qpos[0], data.qvel[0], data.ctrl[0] = 0.4, 0.7, 0.3
        if ref.na:
            data.act[0] = 0.3 * (1 - np.exp(-0.1 / ref.actuator_dynprm[0, 0]))
        mujoco.mj_forward(ref, data)
        assert torques(m, [0.4], [0.7], t=0.1) == pytest.approx(data.qfrc_actuator, rel=1e-12, abs=1e-12), actuator


def test_a_general_actuator_whose_class_is_a_muscle_is_one():
    """It pulls without a control, too, so leaving it out is a warning."""
    text = text_of("muscle ctrlrange='0 1'", "general")
    assert reference(text).actuator_gaintype[0] == mujoco.mjtGain.mjGAIN_MUSCLE
    with pytest.warns(ReaderWarning, match=r"<actuator> \(1: m\): ignored: gaintype muscle"):
        m = mjcf.read_text(text)
    assert not m.initial.torque
    assert quiet(text_of("muscle", "motor")).initial.torque

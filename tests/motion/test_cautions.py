"""What a run of a robot file says before it begins."""

import warnings

import pytest

import lagrangian as lg

LINK = '<body name="{0}" pos="0 0 {1}"><joint name="{0}" axis="0 1 0" range="{2}"/><geom size=".1"/></body>'
SERVOS = "".join(f'<position name="s{x}" joint="{x}" kp="40" kv="4"/>' for x in "abcd")


def robot(limits="-90 90"):
    bodies = "".join(LINK.format(x, k, limits) for k, x in enumerate("abcd"))
    text = f"<mujoco><worldbody>{bodies}</worldbody><actuator>{SERVOS}</actuator></mujoco>"
    return lg.loads(text, "mjcf")


def warnings_of(m, **options):
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        lg.simulate(m, 0.01, **options)
    return [str(w.message) for w in met]


@pytest.fixture(scope="module")
def servos():
    return robot()


@pytest.mark.parametrize(
    ("torque", "off"),
    [
        ({"b": "2*t"}, "'a', 'c', 'd'"),
        ([0, 1, 2, 0], "'a', 'd'"),
        (lambda t, q, qd: 0 * q, "'a', 'b', 'c' ..."),
        (lg.Traced(lambda t, q, qd: [0 * x for x in q]), "'a', 'b', 'c' ..."),
    ],
)
def test_torques_that_replace_a_files_actuators_are_reported_once(torque, off):
    m = robot()
    (message,) = warnings_of(m, torque=torque)
    assert f"replace the actuators of the file: those of {off} are off" in message
    assert not warnings_of(m, torque=torque)


def test_nothing_is_reported_where_it_is_meant(servos):
    own = dict(servos.initial.torque)
    assert servos.initial.driven_speeds == ("a", "b", "c", "d")
    for torque in (None, 0, dict.fromkeys("abcd", 1.0), {**own, "a": 3.0}):
        assert not warnings_of(servos, torque=torque), torque
    arm = lg.library("stewart")  # whose own torques are no actuators of a robot file
    assert arm.initial.torque
    assert not arm.initial.driven_speeds


def test_all_joints_that_begin_outside_their_limits_are_reported_at_once():
    (message,) = warnings_of(robot("10 90"))
    assert message.count("begins at 0, outside its limits 0.174533 to 1.5708") == 3
    assert "and 1 more begin outside theirs: these limits are not enforced. Choose another start with q0" in message


def test_a_start_beside_a_limit_is_told_from_it():
    (message,) = warnings_of(robot("0 0.3"), q0=[0.3 * 0.017453292519943295 + 1e-9, 0, 0, 0])
    assert "'a' begins at 0.005235989, outside its limits 0 to 0.005235988" in message

"""What an MJCF has that MuJoCo does not know is refused, as MuJoCo does; what is ignored is said."""

import warnings

import numpy as np
import pytest

from lagrangian.description import schema
from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import DescriptionError, ReaderWarning

mujoco = pytest.importorskip("mujoco")

WORLD = '<worldbody><body name="b"><joint name="j"/><geom size=".1"/></body></worldbody>'


def model(more="", attributes=""):
    return f"<mujoco{attributes}>\n{more}{WORLD}</mujoco>"


def notes(text):
    """The notes of a model that MuJoCo reads too, and of which there is nothing to warn."""
    mujoco.MjModel.from_xml_string(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return list(mjcf.read_text(text).notes)


UNKNOWN = {
    "option": ('<option gravty="0 0 0"/>', "no attribute 'gravty'. Did you mean 'gravity'"),
    "option's element": ("<option><flags/></option>", "no element in <option> 'flags'. Did you mean 'flag'"),
    "flag": ('<option><flag gravty="disable"/></option>', "no attribute 'gravty'. Did you mean 'gravity'"),
    "key": ('<keyframe><key qpo="1"/></keyframe>', "no attribute 'qpo'. Did you mean 'qpos'"),
    "compiler": ('<compiler angel="radian"/>', "no attribute 'angel'. Did you mean 'angle'"),
    "compiler's element": ("<compiler><lengthrang/></compiler>", "Did you mean 'lengthrange'"),
    "lengthrange": ('<compiler><lengthrange mod="none"/></compiler>', "no attribute 'mod'. Did you mean 'mode'"),
    "default": ('<default clas="a"/>', "no attribute 'clas'. Did you mean 'class'"),
    "default joint": ('<default><joint dampng="1"/></default>', "no attribute 'dampng'. Did you mean 'damping'"),
    "name in default": ('<default><joint name="a"/></default>', "no attribute 'name'"),
    "default motor": ('<default><motor amature="1"/></default>', "no attribute 'amature'. Did you mean 'armature'"),
    "default tendon": ('<default><tendon stifness="1"/></default>', "no attribute 'stifness'. Did you mean 'stiffness'"),
    "default equality": ('<default><equality solrf="1 1"/></default>', "no attribute 'solrf'. Did you mean 'solref'"),
    "default mesh": ('<default><mesh scal="1 1 1"/></default>', "no attribute 'scal'. Did you mean 'scale'"),
    "in default": ('<default><jont damping="1"/></default>', "no element in <default> 'jont'. Did you mean 'joint'"),
    "weld in default": ("<default><weld/></default>", "no element in <default> 'weld'"),
    "freejoint in default": ("<default><freejoint/></default>", "no element in <default> 'freejoint'. Did you mean"),
    "nested": ('<default><default class="a"><geom sice="1"/></default></default>', "no attribute 'sice'. Did you mean 'size'"),
    "inside a default": ("<default><joint><joint/></joint></default>", "no element in <joint> 'joint'"),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_mujoco_refuses_is_refused(case):
    text = model(UNKNOWN[case][0])
    with pytest.raises(ValueError, match="unrecognized"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(DescriptionError, match=rf"^m.xml:2: <.*{UNKNOWN[case][1]}.*Known: "):
        mjcf.read_text(text, "m.xml")


def test_the_root_has_its_name_only():
    with pytest.raises(DescriptionError, match=r"no attribute 'modl'. Did you mean 'model'"):
        mjcf.read_text(model(attributes=' modl="x"'))
    assert mjcf.read_text(model(attributes=' model="x"')).name == "x"


def schema_refuses(text):
    try:
        mujoco.MjModel.from_xml_string(text)
    except ValueError as error:
        return "unrecognized" in str(error)
    return False


# in the newest MuJoCo no longer, in files still
EARLIER = {
    "light": {"texture"},
    "camera": {"orthographic"},
    "option": {"apirate", "collision", "mpr_iterations", "mpr_tolerance"},
    "flag": {"passive"},
    "compiler": {"convexhull", "exactmeshinertia"},
}
PLACES = {
    "option": "<option {0}/>",
    "flag": "<option><flag {0}/></option>",
    "compiler": "<compiler {0}/>",
    "lengthrange": "<compiler><lengthrange {0}/></compiler>",
    "key": "<keyframe><key {0}/></keyframe>",
}


@pytest.mark.skipif(tuple(map(int, mujoco.__version__.split(".")[:2])) < (4, 0), reason="the names are those of MuJoCo 4.0")
@pytest.mark.parametrize("tag", [*PLACES, *schema.MJCF_DEFAULTS])
def test_mujoco_knows_every_name(tag):
    place = PLACES.get(tag, f"<default><{tag} {{0}}/></default>")
    known = schema.MJCF_ATTRIBUTES[tag] if tag in PLACES else schema.MJCF_DEFAULTS[tag]
    refused = {name for name in known if schema_refuses(model(place.format(f'{name}="?"')))}
    assert refused == EARLIER.get(tag, set())


# -- what is ignored ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ['density="1.2"', 'viscosity="1e-5"', 'wind="1 0 0"'])
def test_a_fluid_is_warned_of(value):
    name = value.partition("=")[0]
    with pytest.warns(ReaderWarning, match=rf"<option> of a fluid \(1: {name}\): ignored") as caught:
        m = mjcf.read_text(model(f"<option {value}/>"))
    assert len(caught) == 1
    assert len(m.notes) == 1


def test_a_fluid_of_no_density_is_none():
    assert notes(model('<option density="1.2" wind="0 0 0"/><option density="0"/>')) == []


def test_settings_of_the_simulation_are_noted():
    text = model('<option timestep="0.001" integrator="RK4"><flag energy="enable" contact="disable" spring="enable"/></option>')
    assert notes(text) == [
        "<option> (2: timestep, integrator): ignored: a setting of the simulation in MuJoCo",
        "<flag> (2: energy, contact): ignored: a setting of the simulation in MuJoCo",
    ]


@pytest.mark.parametrize("name", ["equality", "frictionloss", "spring", "damper", "constraint"])
def test_flags_that_leave_out_forces_are_warned_of(name):
    with pytest.warns(ReaderWarning, match=rf"<flag> that disables \(1: {name}\): ignored: the feature stays enabled"):
        mjcf.read_text(model(f'<option><flag {name}="disable"/></option>'))


@pytest.mark.parametrize(("first", "last"), [("enable", "disable"), ("disable", "enable")])
def test_of_several_options_the_last_holds(first, last):
    text = model(
        f'<option gravity="1 2 3"><flag gravity="{first}"/></option><option gravity="4 5 6"><flag gravity="{last}"/></option>'
    )
    ref = mujoco.MjModel.from_xml_string(text)
    off = bool(ref.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    np.testing.assert_array_equal(mjcf.read_text(text).gravity, np.zeros(3) if off else ref.opt.gravity)


def test_what_a_keyframe_has_beside_its_pose_is_noted():
    keys = '<key name="k" time="1" qpos=".5" qvel="2" ctrl="3"/><key name="l" qvel="1"/><key name="m" qpos="1"/>'
    actual = notes(model(f'<actuator><motor joint="j"/></actuator><keyframe>{keys}</keyframe>'))
    meaning = "not part of a pose; load(path, keyframe=...) starts a simulation with it"
    assert [note for note in actual if "<key>" in note] == [
        "<key> time (1: k): ignored",
        f"<key> qvel (2: k, l): {meaning}",
        f"<key> ctrl (1: k): {meaning}",
    ]


@pytest.mark.parametrize("tag", ["visual", "statistic", "size"])
def test_sections_that_are_not_read_are_noted(tag):
    assert notes(model(f"<{tag}/>")) == [f"<{tag}> (1): ignored"]


def test_cameras_and_lights_are_noted():
    text = model().replace("<geom", '<camera name="eye"/><light/><light/><geom')
    assert notes(text) == ["<camera> (1: eye): ignored", "<light> (2): ignored"]

"""Files that an SDF includes: found beside it and around it, renamed, placed, merged; never fetched, never outside."""

import numpy as np
import pytest
from tests.description.sdf_models import body_poses, frame_pose, joint, link
from tests.description.test_sdf_frames import A, B, C, T, text

import lagrangian as lg
from lagrangian.errors import DescriptionError, ReaderWarning

HAND = f"""<sdf version="1.6"><model name="hand"><pose>{text(C)}</pose>{link("palm", text(A))}{link("tip", text(B))}
  {joint("knuckle", "palm", "tip", axis="<use_parent_model_frame>1</use_parent_model_frame>")}</model></sdf>"""


def robot(include, before="", after=""):
    return f"""<sdf version="1.9"><model name="robot"><pose>{text(B)}</pose>{link("base")}{before}
      {include}{after}</model></sdf>"""


def put(tmp_path, files):
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


CONFIG = """<model><name>hand</name><sdf version="1.4">old.sdf</sdf><sdf version="1.6">hand.sdf</sdf>
  <sdf version="9.9">new.sdf</sdf></model>"""
LIBRARY = {
    "models/hand/model.config": CONFIG,
    "models/hand/hand.sdf": HAND,
    "models/bare/model.sdf": HAND,
    "models/x/hand.sdf": HAND,
}


@pytest.mark.parametrize("uri", ["model://hand", "model://hand/", "package://hand/hand.sdf", "hand", "bare", "hand/hand.sdf"])
def test_models_around_the_file(tmp_path, uri):
    put(tmp_path, {**LIBRARY, "models/robot.sdf": robot(f"<include><uri>{uri}</uri></include>")})
    m = lg.load(tmp_path / "models" / "robot.sdf")
    assert [b.name for b in m.bodies] == ["base", "hand::palm", "hand::tip"]
    assert m.coordinate_names[-1] == "hand::knuckle"
    np.testing.assert_allclose(body_poses(m, m.initial.q)["hand::palm"], T(*B) @ T(*C) @ T(*A), atol=1e-14)
    # given in the frame of the model, by the rules of the version of its own file
    np.testing.assert_allclose(m.joint("hand::knuckle").axis, T(*B)[:3, :3].T @ [0, 0, 1], atol=1e-14)


def test_a_model_of_a_folder_that_gazebo_is_reported(tmp_path, monkeypatch):
    files = {name.replace("models", "library"): text for name, text in LIBRARY.items()}
    put(tmp_path, {**files, "elsewhere/robot.sdf": robot("<include><uri>model://hand</uri></include>")})
    with pytest.raises(DescriptionError, match="GZ_SIM_RESOURCE_PATH"):
        lg.load(tmp_path / "elsewhere" / "robot.sdf")
    put(tmp_path, {"elsewhere/world.sdf": robot("<include><uri>model://a hand</uri></include>")})
    with pytest.raises(DescriptionError, match=r"export GZ_SIM_RESOURCE_PATH='/folder/that/holds/a hand'$"):
        lg.load(tmp_path / "elsewhere" / "world.sdf")
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", str(tmp_path / "library"))
    assert len(lg.load(tmp_path / "elsewhere" / "robot.sdf").bodies) == 3


def test_what_an_include_says_otherwise(tmp_path):
    left = f'<include><uri>hand</uri><name>left</name><pose relative_to="base">{text(A)}</pose></include>'
    right = f"<include><uri>hand</uri><name>right</name><pose>{text(A)}</pose><placement_frame>tip</placement_frame></include>"
    still = "<include><uri>hand</uri><name>still</name><static>1</static></include>"
    put(tmp_path, {**LIBRARY, "models/robot.sdf": robot(left + right + still)})
    m = lg.load(tmp_path / "models" / "robot.sdf")
    poses = body_poses(m, m.initial.q)
    np.testing.assert_allclose(poses["left::palm"], T(*B) @ T(*A) @ T(*A), atol=1e-14)
    np.testing.assert_allclose(poses["right::tip"], T(*B) @ T(*A), atol=1e-14)
    np.testing.assert_allclose(poses["right::palm"], T(*B) @ T(*A) @ np.linalg.inv(T(*B)) @ T(*A), atol=1e-14)
    assert {j.type for j in m.joints if j.child.startswith("still")} == {"fixed"}


def test_a_model_that_is_merged(tmp_path):
    include = f'<include merge="true"><uri>hand</uri><pose relative_to="base">{text(A)}</pose></include>'
    weld = joint("weld", "base", "palm", "fixed", "")
    put(tmp_path, {**LIBRARY, "models/robot.sdf": robot(include, after=weld)})
    m = lg.load(tmp_path / "models" / "robot.sdf")
    assert [b.name for b in m.bodies] == ["base", "palm", "tip"]
    poses = body_poses(m, m.initial.q)
    np.testing.assert_allclose(poses["palm"], T(*B) @ T(*A) @ T(*A), atol=1e-14)
    np.testing.assert_allclose(poses["tip"], T(*B) @ T(*A) @ T(*B), atol=1e-14)
    np.testing.assert_allclose(m.joint("knuckle").axis, T(*B)[:3, :3].T @ [0, 0, 1], atol=1e-14)
    np.testing.assert_allclose(frame_pose(m, "_merged__hand__model__", m.initial.q), T(*B) @ T(*A), atol=1e-14)


def test_a_model_that_is_merged_by_a_frame_of_its_own(tmp_path):
    include = f'<include merge="1"><uri>hand</uri><pose>{text(C)}</pose><placement_frame>tip</placement_frame></include>'
    put(tmp_path, {**LIBRARY, "models/robot.sdf": robot(include)})
    m = lg.load(tmp_path / "models" / "robot.sdf")
    np.testing.assert_allclose(body_poses(m, m.initial.q)["tip"], T(*B) @ T(*C), atol=1e-14)


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("https://fuel.gazebosim.org/1.0/x/models/foot", "there is no .*not downloaded; .*export .*/folder/that/holds/foot"),
        ("https://fuel.gazebosim.org/1.0/x/models/..%2F..", "leads out"),
        ("https://example.org/models/hand", "not downloaded"),
        ("file:///etc/passwd", "not downloaded"),
        ("/etc/passwd", "not downloaded"),
        ("C:/models/hand", "not downloaded"),
        ("../models/hand/hand.sdf", "leads out"),
        ("model://../models/hand", "leads out"),
        ("model://hand/../../secret.sdf", "leads out"),
        ("model:///etc", "leads out"),
        ("nowhere", "there is no 'nowhere'"),
        ("hand/model.config", "there is no"),  # not a description
    ],
)
def test_wrong_includes_are_refused_at_their_line(tmp_path, uri, why):
    put(tmp_path, {**LIBRARY, "secret.sdf": HAND, "models/robot.sdf": robot(f"\n<include><uri>{uri}</uri></include>")})
    with pytest.raises(DescriptionError, match=why) as error:
        lg.load(tmp_path / "models" / "robot.sdf")
    assert "robot.sdf:4: <include>" in str(error.value)


def test_a_file_that_includes_itself(tmp_path):
    ring = robot("<include><uri>b.sdf</uri></include>")
    put(tmp_path, {"a.sdf": ring, "b.sdf": robot("<include><uri>a.sdf</uri></include>")})
    with pytest.raises(DescriptionError, match="includes itself"):
        lg.load(tmp_path / "a.sdf")
    merged = robot('<include merge="true"><uri>a.sdf</uri></include>')
    put(tmp_path, {"a.sdf": merged})
    with pytest.raises(DescriptionError, match="includes itself"):
        lg.load(tmp_path / "a.sdf")


def test_files_that_include_more_and_more(tmp_path):
    """Twenty files that each include the next one twice would be a million models."""
    files = {}
    for k in range(20):
        twice = "".join(f"<include><uri>f{k + 1}.sdf</uri><name>{side}</name></include>" for side in "ab")
        files[f"f{k}.sdf"] = robot(twice)
    put(tmp_path, {**files, "f20.sdf": HAND})
    with pytest.raises(DescriptionError, match="more than 1000 files"):
        lg.load(tmp_path / "f0.sdf")


def test_errors_name_both_files(tmp_path):
    put(tmp_path, {"robot.sdf": robot("<include><uri>hand.sdf</uri></include>"), "hand.sdf": "<sdf version='1.9'>\n<model>"})
    with pytest.raises(DescriptionError, match=r"robot\.sdf:3: <include>.*included here: .*hand\.sdf:2: not XML"):
        lg.load(tmp_path / "robot.sdf")


def test_a_text_includes_nothing():
    with pytest.raises(DescriptionError, match="a string without a folder"):
        lg.loads(robot("<include><uri>hand</uri></include>"), format="sdf")


def test_what_every_world_of_gazebo_includes(tmp_path):
    sun = "<include><uri>model://sun</uri></include><include><uri>model://ground_plane</uri></include>"
    put(tmp_path, {"w.world": f'<sdf version="1.6"><world name="w">{sun}<model name="m">{link("b")}</model></world></sdf>'})
    m = lg.load(tmp_path / "w.world")
    assert [b.name for b in m.bodies] == ["m::b"]
    assert any("ground_plane" in note for note in m.notes)


def test_meshes_of_a_model_elsewhere_are_found(tmp_path):
    mesh = "<visual name='v'><geometry><mesh><uri>meshes/a.stl</uri></mesh></geometry></visual>"
    put(
        tmp_path,
        {
            "x/hand.sdf": f'<sdf version="1.9"><model name="hand">{link("palm", more=mesh)}</model></sdf>',
            "x/meshes/a.stl": "solid",
        },
    )
    put(tmp_path, {"robot.sdf": robot("<include><uri>x/hand.sdf</uri></include>")})
    (visual,) = lg.load(tmp_path / "robot.sdf").body("hand::palm").visuals
    assert visual.file == str(tmp_path / "x" / "meshes" / "a.stl")


def test_warnings_name_the_file(tmp_path):
    put(tmp_path, {"a.sdf": robot(link("b", more="<kinematic>true</kinematic>"))})
    with pytest.warns(ReaderWarning, match=r"a\.sdf: <kinematic> link \(1: b\)"):
        lg.load(tmp_path / "a.sdf")


def test_a_static_model_that_is_merged_is_not_static(tmp_path):
    """As in libsdformat; it is said."""
    include = '<include merge="true"><uri>hand</uri><static>true</static></include>'
    put(tmp_path, {**LIBRARY, "models/robot.sdf": robot(include)})
    with pytest.warns(ReaderWarning, match="<static> of a merged model .*hand"):
        m = lg.load(tmp_path / "models" / "robot.sdf")
    assert "knuckle" in [j.name for j in m.joints]


FUEL = "https://fuel.gazebosim.org/1.0/Somebody/models/hand"


@pytest.mark.parametrize("uri", ["model://hand", "hand", "file://hand", FUEL, f"{FUEL}/4"])
def test_a_folder_of_models_beside_that_of_the_worlds(tmp_path, uri):
    put(tmp_path, {**LIBRARY, "worlds/robot.sdf": robot(f"<include><uri>{uri}</uri></include>")})
    assert len(lg.load(tmp_path / "worlds" / "robot.sdf").bodies) == 3


def test_links_are_followed_before_a_path_is_judged(tmp_path):
    """A folder that is a link is where it leads; a file in it that leads elsewhere is not read."""
    put(
        tmp_path,
        {"far/hand/hand.sdf": HAND, "secret.sdf": HAND, "a/robot.sdf": robot("<include><uri>hand/hand.sdf</uri></include>")},
    )
    (tmp_path / "a" / "models").mkdir()
    (tmp_path / "a" / "models" / "hand").symlink_to(tmp_path / "far" / "hand", target_is_directory=True)
    assert len(lg.load(tmp_path / "a" / "robot.sdf").bodies) == 3
    (tmp_path / "far" / "hand" / "hand.sdf").unlink()
    (tmp_path / "far" / "hand" / "hand.sdf").symlink_to(tmp_path / "secret.sdf")
    with pytest.raises(DescriptionError, match="is a link that leads out of the folder"):
        lg.load(tmp_path / "a" / "robot.sdf")


def test_a_manifest_that_is_a_link_is_not_read(tmp_path):
    """What it says would be in the message."""
    put(tmp_path, {"secret.xml": '<model><sdf version="1.5">secret</sdf></model>'})
    (tmp_path / "a" / "hand").mkdir(parents=True)
    (tmp_path / "a" / "hand" / "model.config").symlink_to(tmp_path / "secret.xml")
    (tmp_path / "a" / "robot.sdf").write_text(robot("<include><uri>model://hand</uri></include>"))
    with pytest.raises(DescriptionError, match="is a link that leads out of the folder"):
        lg.load(tmp_path / "a" / "robot.sdf")


# -- URDF --------------------------------------------------------------------------------------------------------------

URDF = """<robot name="gripper">
  <link name="palm"><inertial><origin xyz="0 0 .1" rpy=".1 .2 .3"/><mass value="2"/>
    <inertia ixx=".01" ixy="0.001" ixz="0" iyy=".02" iyz="0" izz=".015"/></inertial>
    <visual><origin xyz="0 0 .2"/><geometry><box size=".1 .2 .3"/></geometry></visual></link>
  <link name="left"><inertial><mass value=".3"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link>
  <link name="right"><inertial><mass value=".3"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link>
  <link name="tip"/>
  <joint name="slide" type="prismatic"><parent link="palm"/><child link="left"/><origin xyz="0 .1 .2" rpy=".3 0 1"/>
    <axis xyz="0 1 0"/><limit lower="0" upper=".05" effort="20" velocity="1"/><dynamics damping=".5" friction=".1"/></joint>
  <joint name="follow" type="prismatic"><parent link="palm"/><child link="right"/><origin xyz="0 -.1 .2" rpy="0 .4 1"/>
    <axis xyz="0 -1 0"/><limit lower="0" upper=".05" effort="20" velocity="1"/>
    <mimic joint="slide" multiplier="2" offset=".01"/></joint>
  <joint name="end" type="fixed"><parent link="left"/><child link="tip"/><origin xyz="0 0 .1"/></joint>
</robot>"""


def test_a_urdf(tmp_path):
    """It is what its own reader makes of it, on a base that flies free, and joins to the rest of the model."""
    put(
        tmp_path,
        {
            "gripper.urdf": URDF,
            "robot.sdf": '<sdf version="1.9"><world name="w"><gravity>0 0 -9.81</gravity>'
            "<include><uri>gripper.urdf</uri><name>hand</name></include></world></sdf>",
        },
    )
    ours, alone = lg.load(tmp_path / "robot.sdf"), lg.load(tmp_path / "gripper.urdf", floating=True, mimic=True)
    assert [b.name for b in ours.bodies] == ["hand::" + b.name for b in alone.bodies]
    assert len(ours.body("hand::palm").visuals) == 1
    for name in ("slide", "follow"):
        one, other = ours.joint(f"hand::{name}"), alone.joint(name)
        assert (one.limits, one.friction) == (other.limits, other.friction)
    q, v = alone.random_configuration(np.random.default_rng(0)), np.arange(1.0, alone.nv + 1)
    for a, b in ((lg.compile(ours), lg.compile(alone)),):
        np.testing.assert_allclose(a.inverse_dynamics(q, v, -v), b.inverse_dynamics(q, v, -v), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(a.constraint_jacobian(q), b.constraint_jacobian(q), atol=1e-14)
    held = f"{joint('weld', 'base', 'gripper::palm', 'fixed', '')}"
    put(tmp_path, {"robot.sdf": robot(f"<include><uri>gripper.urdf</uri><pose>{text(A)}</pose></include>", after=held)})
    m = lg.load(tmp_path / "robot.sdf")
    np.testing.assert_allclose(body_poses(m, m.initial.q)["gripper::palm"], T(*B) @ T(*A), atol=1e-14)


@pytest.mark.parametrize("names", [("left", "palm"), ("palm", "right"), ("tip", "left")])
def test_joints_of_a_urdf_that_are_called_as_links_are(tmp_path, names):
    """Which URDF allows, and SDF does not: links were where the link of that name is, and not where the joint is."""
    called = URDF.replace('"slide"', f'"{names[0]}"').replace('"follow"', f'"{names[1]}"')
    put(tmp_path, {"gripper.urdf": called, "robot.sdf": robot("<include><uri>gripper.urdf</uri></include>")})
    alone, ours = lg.load(tmp_path / "gripper.urdf", mimic=True), lg.load(tmp_path / "robot.sdf")
    there, here = body_poses(alone, alone.neutral()), body_poses(ours, ours.initial.q)
    base = np.linalg.inv(here["gripper::palm"])
    for body in alone.bodies:
        np.testing.assert_allclose(base @ here[f"gripper::{body.name}"], there[body.name], atol=1e-14)
    equation = str(ours.constraints[0].equation)
    assert f"`gripper::{names[1]}`-2*`gripper::{names[0]}`" in equation


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("prismatic", "planar"), "joint 'follow' is planar|mimic"),
        (('<link name="tip"/>', '<link name="tip"/><loop name="l"/>'), "the loops of an included URDF"),
        (('<parent link="left"/>', '<parent link="nobody"/>'), "included here: .*nobody"),
    ],
)
def test_a_urdf_that_cannot_be_included(tmp_path, change, why):
    put(tmp_path, {"gripper.urdf": URDF.replace(*change), "robot.sdf": robot("<include><uri>gripper.urdf</uri></include>")})
    with pytest.raises(DescriptionError, match=why):
        lg.load(tmp_path / "robot.sdf")

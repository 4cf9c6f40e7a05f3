"""SDF that is wrong, or that says what cannot be carried over: errors with the line, and warnings."""

import contextlib
import random

import pytest
from tests.description.sdf_models import joint, link, model, quiet
from tests.description.test_sdf import ARM_SDF

import lagrangian as lg
from lagrangian.errors import ArgumentError, DescriptionError, LagrangianError, ReaderWarning

TWO = link("a") + link("b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot name='x'/>", "this is URDF, not SDF"),
        ("<mujoco/>", "MuJoCo"),
        ("<gazebo/>", "starts with <sdf"),
        ("<sdf><model name='m'/></sdf>", "needs the attribute 'version'"),
        ("<sdf version='100'><model name='m'/></sdf>", "version is '100'"),
        ("<sdf version='1.0'><model name='m'/></sdf>", "versions from 1.2 to 1.12"),
        ("<sdf version='1.13'><model name='m'/></sdf>", "versions from 1.2 to 1.12"),
        ("<sdf version='1.9'/>", "has no model"),
        ("<sdf version='1.9'><world name='a'/><world name='b'/></sdf>", "has 2 worlds"),
        ("<sdf version='1.9'><world name='a'/><model name='b'/></sdf>", "beside a world"),
        (model(""), "has no link"),
        (model("<link/>"), "needs the attribute 'name'"),
        (model(link("a") + "\n" + link("a")), "already used in line 1"),
        (
            model(TWO + "<joint name='j' type='hinge'><parent>a</parent><child>b</child></joint>"),
            "there is no joint type 'hinge'",
        ),
        (model(TWO + "<joint name='j'><parent>a</parent><child>b</child></joint>"), "needs the attribute 'type'"),
        (model(TWO + "<joint name='j' type='fixed'><child>b</child></joint>"), "has no parent"),
        (model(TWO + "<joint name='j' type='fixed'><parent>a</parent></joint>"), "has no child"),
        (model(TWO + "<joint name='j' type='fixed'><parent/><child>b</child></joint>"), "is empty"),
        (model(TWO + joint("j", "a", "c")), "called 'c'"),
        (model(TWO + joint("j", "a", "a")), "joins link 'a' to itself"),
        (model(TWO + joint("j", "a", "b", xyz="")), "has no axis"),
        (model(TWO + joint("j", "a", "b", "universal")), "has no axis2"),
        (model(TWO + joint("j", "a", "b", xyz="0 0 0")), "is 0 0 0"),
        (model(TWO + joint("j", "a", "b", xyz="0 0")), "xyz needs 3 numbers"),
        (model(TWO + joint("j", "a", "b", axis="<dynamics><damping>-1</damping></dynamics>")), "cannot be negative"),
        (model(TWO + joint("j", "a", "b", "screw", more="<thread_pitch>0</thread_pitch>")), "use a prismatic joint"),
        (model("<link name='a'><pose relative_to='b'/></link>"), "called 'b'"),
        (model("<link name='a'><pose relative_to='a'/></link>"), "depends on itself: a -> a"),
        (model(link("a") + "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"), "f -> g -> f"),
        (model(TWO + joint("j", "a", "j")), "depends on itself"),
        (model(link("a"), attributes="canonical_link='b'"), "called 'b'"),
        (model(link("a"), attributes="placement_frame='b'"), "called 'b'"),
        (model(link("a", "1 2 3")), "pose needs 6 numbers"),
        (model(link("a", "1 2 3 4 5 x")), "is not a number"),
        (model(link("a", "1 2 3 4 5 nan")), "finite"),
        (model("<link name='a'><pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose></link>"), "length 0"),
        (model("<link name='a'><pose rotation_format='axis'>0 0 0</pose></link>"), "no format 'axis'"),
        (model(link("a", mass=-1)), "cannot be negative"),
        (model("<static>maybe</static>" + link("a")), "truth value"),
        (model("<link name='a'><drake:deformable_properties/></link>"), "deformable"),
        (model(TWO + "<drake:joint name='j' type='curvilinear'/>"), "curvilinear joint is not supported"),
        (model("<model name='x'>" * 101 + link("a") + "</model>" * 101), "more than 100 deep"),
        ("<sdf version='1.9'><!DOCTYPE x></sdf>", "not XML"),
    ],
)
def test_wrong_files_are_refused_with_their_line(text, message):
    with pytest.raises(DescriptionError, match=message) as error:
        quiet(text)
    assert str(error.value).startswith("<text>:")


def test_the_line_of_a_mistake():
    text = model("\n".join(["", link("a"), link("b"), "", joint("j", "a", "c")]))
    with pytest.raises(DescriptionError, match=r'<text>:7: <child> in <joint name="j">'):
        quiet(text)


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        (
            joint("j", "world", "a", axis="<dynamics><frction>1</frction></dynamics>"),
            r"in <dynamics> .*<frction> in line 2 \(did you mean <friction>",
        ),
        (joint("j", "world", "a", more="<foo/>"), "unknown element in <joint> .*<foo> in line 2"),
        (joint("j", "world", "a", axis="<limit><lower>2</lower><upper>1</upper></limit>"), "lower is above its upper .*line"),
        (joint("j", "world", "a", more="<axis><xyz>1 0 0</xyz></axis>"), "second <axis> of a <joint>"),
        (
            "<link name='k'><pose relative_too='a'>1 0 0 0 0 0</pose></link>",
            "'relative_too' in line 2 .did you mean 'relative_to'",
        ),
        ("<link name='k'><inertial><mass value='3'/></inertial></link>", "unknown attribute of <mass> .*'value'"),
        ("<frame name='f' attach_to='a'/>", "did you mean 'attached_to'"),
        (joint("j", "world", "a").replace("<xyz>", "<xyz frame='a'>"), "unknown attribute of <xyz>"),
        ("<link name='k'><kinematic>1</kinematic></link>", "<kinematic> link"),
        ("<link name='k'><velocity_decay><linear>1</linear></velocity_decay></link>", "<velocity_decay>"),
        ("<link name='k'><inertial><fluid_added_mass/></inertial></link>", "<fluid_added_mass>"),
        ("<link name='k'><inertial><pose relative_to='a'>1 0 0 0 0 0</pose></inertial></link>", "relative_to of the <pose>"),
        ("<link name='world'/>", "link named 'world'"),
        ("<drake:tendon_constraint/>", "<drake:tendon_constraint>"),
        (
            "<drake:joint name='p' type='planar'><drake:parent>a</drake:parent><drake:child>world</drake:child>"
            "<drake:damping>1 1 1</drake:damping></drake:joint>",
            "damping of a planar joint that is swapped",
        ),
        (link("k", mass=1, inertia=(1, 1, 5)), "impossible inertia"),
        (
            joint("j", "world", "a", "ball", axis="<dynamics><spring_stiffness>2</spring_stiffness></dynamics>"),
            "spring of a ball",
        ),
    ],
)
def test_warned_of(inside, message):
    with pytest.warns(ReaderWarning, match=message):
        lg.loads(model(link("a") + inside), format="sdf")


def test_noted_without_a_warning(recwarn):
    text = model(link("a", more="<collision name='c'/><sensor name='s'/>") + "<plugin name='p'/><custom:thing/>")
    notes = "\n".join(lg.loads(text, format="sdf").notes)
    for what in ("<collision>", "<sensor>", "<plugin>", "<custom:thing>", "moves freely"):
        assert what in notes
    assert not [w for w in recwarn if issubclass(w.category, ReaderWarning)]


def test_a_joint_that_is_not_where_the_frame_of_its_parent_is():
    """SDF takes the body of the frame only: it is easily mistaken."""
    m = quiet(model(link("a") + "<frame name='f' attached_to='world'><pose>1 0 0 0 0 0</pose></frame>" + joint("j", "f", "a")))
    assert m.joint("j").placement.position == (0, 0, 0)
    assert any("joint that is not where its parent's <frame> is (1: j)" in note for note in m.notes)


def test_a_link_called_ground():
    m = quiet(model(link("ground") + joint("j", "world", "ground")))
    assert [b.name for b in m.bodies] == ["ground_link"]


def test_a_link_called_world():
    """Bullet's files have one, to hold the robot."""
    m = quiet(model("<link name='world'/>" + link("a") + joint("j", "world", "a", xyz="0 1 0")))
    assert [(j.name, j.type, j.parent, j.child) for j in m.joints] == [
        ("root_joint", "fixed", "ground", "world"),
        ("j", "revolute", "world", "a"),
    ]


def test_wrong_options_are_refused():
    with pytest.raises(ArgumentError, match="has no named parameters"):
        lg.loads(model(link("a")), format="sdf", parameters={})
    with pytest.raises(ArgumentError, match="GZ_SIM_RESOURCE_PATH"):
        lg.loads(model(link("a")), format="sdf", root=".")


def test_deep_and_wide_files_are_read_in_time():
    many = 3000
    frames = "".join(f'<frame name="f{k}" attached_to="{f"f{k - 1}" if k else "a"}"/>' for k in range(many))
    m = quiet(
        model(link("a") + frames + "".join(link(f"l{k}") for k in range(500)) + "".join(f"<odd{k}/>" for k in range(20000)))
    )
    assert m.frame(f"f{many - 1}").body == "a"


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_give_errors_of_our_own(seed):
    """Pieces of a whole file, left out, doubled or exchanged."""
    rng = random.Random(seed)
    whole = ARM_SDF.replace(">", "> ").replace("<", " <").split(" ")
    for _ in range(100):
        words = list(whole)
        for _ in range(rng.randint(1, 4)):
            k, other = rng.randrange(len(words)), rng.randrange(len(words))
            words[k] = rng.choice(["", words[other], words[k] * 2, "1e400", "-1", "nan"])
        with contextlib.suppress(LagrangianError):
            quiet(" ".join(words))


def test_a_world_without_a_model():
    with pytest.warns(ReaderWarning, match="world without a model"):
        m = lg.loads("<sdf version='1.9'><world name='w'><light name='sun' type='point'/></world></sdf>", "sdf")
    assert (m.name, m.bodies, m.nv) == ("w", (), 0)


def test_a_joint_called_world():
    """It holds its link to the world, and is not itself what it is joined to."""
    m = quiet(model(link("a") + joint("world", "world", "a")))
    assert (m.joint("world").parent, m.joint("world").child) == ("ground", "a")


def test_what_is_only_drawn_is_no_error():
    pose = "<visual name='v'>\n<pose>0 0 1</pose><geometry><sphere><radius>1</radius></sphere></geometry></visual>"
    m = quiet(model(link("a", more=pose)))
    assert m.bodies[0].visuals == ()
    assert any("<visual> with a mistake (1: line 2): not drawn: pose needs 6 numbers" in note for note in m.notes)

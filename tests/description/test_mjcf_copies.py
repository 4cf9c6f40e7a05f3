"""<replicate> and <attach> against MuJoCo: names, places, defaults and settings of what is copied."""

import pytest
from tests.description.mjcf_models import BALL, check, check_file, model, mujoco, no_log, quiet  # noqa: F401

from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import DescriptionError

LINK = f'<body name="link" pos="0 0 .2"><joint name="j" axis="0 1 0"/>{BALL}<site name="tip" pos="0 0 .1"/></body>'


def names(m, ref):
    theirs = [ref.body(i).name for i in range(1, ref.nbody)]
    assert [b.name for b in m.bodies if "__" not in b.name] == theirs
    assert [j.name for j in m.joints if j.kind.nv] == [ref.joint(i).name for i in range(ref.njnt)]
    assert sorted(f.name for f in m.frames) == sorted(ref.site(i).name for i in range(ref.nsite))


# -- replicate ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how",
    ['count="3"', 'count="3" offset=".1 .2 0" euler="0 10 20"', 'count="11" sep="_" euler="30 0 0" offset="0 1 0"'],
)
def test_replicates_are_those_of_mujoco(how):
    names(*check(model(f"<replicate {how}>{LINK}</replicate>")))
    names(*check(model(f'<body name="base"><joint name="b"/>{BALL}<replicate {how}>{LINK}</replicate></body>')))


def test_replicate_in_replicate_and_frame():
    inner = f'<replicate count="2" offset="0 .5 0" sep="-"><frame euler="0 0 30">{LINK}</frame></replicate>'
    names(*check(model(f'<frame pos="1 2 3" euler="10 0 0"><replicate count="3" euler="0 20 0">{inner}</replicate></frame>')))


def test_replicate_of_what_is_in_a_body():
    parts = '<geom size=".1" pos="1 0 0"/><site name="s" pos="0 1 0"/>'
    check(model(f'<body><joint/><replicate count="2" offset="0 0 1" euler="0 0 40">{parts}</replicate></body>'))


def test_replicate_gives_its_class():
    default = '<default><default class="heavy"><geom density="5000"/><joint damping="3"/></default></default>'
    m, ref = check(model(f'<replicate count="2" childclass="heavy">{LINK}</replicate>', before=default))
    assert [j.friction.viscous for j in m.joints] == [3, 3] == list(ref.dof_damping.ravel()[:2])


def test_what_refers_to_copies_is_copied():
    text = model(
        f'<body name="post" pos="0 0 1">{BALL}</body><replicate count="3" sep="_">{LINK}<body name="other">'
        f"<freejoint/>{BALL}</body></replicate>",
        after='<equality><connect name="pin" body1="link" body2="other" anchor="0 0 .1"/>'
        '<weld name="torn" body1="link" body2="post"/></equality>'
        '<actuator><motor name="motor" joint="j"/></actuator>',
    )
    m, ref = check(text)
    assert [x.name for x in m.loops] == ["pin_0", "pin_1", "pin_2"] == [ref.equality(i).name for i in range(ref.neq)]
    assert [(x.a, x.b) for x in m.loops] == [(f"link_{k}", f"other_{k}") for k in range(3)]
    assert any("torn" in note and "dropped" in note for note in m.notes)
    assert [ref.actuator(i).name for i in range(ref.nu)] == ["motor_0", "motor_1", "motor_2"]
    assert {"ctrl_motor_0", "ctrl_motor_1", "ctrl_motor_2"} <= set(m.parameters)


def test_tendons_of_copies_and_what_refers_to_them():
    text = model(
        f'<replicate count="2">{LINK}</replicate>',
        after='<tendon><fixed name="t" stiffness="5"><joint joint="j" coef="2"/></fixed></tendon>'
        '<actuator><motor name="pull" tendon="t"/></actuator>',
    )
    m, ref = check(text)
    assert [ref.tendon(i).name for i in range(ref.ntendon)] == ["t0", "t1"]
    assert [ref.actuator(i).name for i in range(ref.nu)] == ["pull0", "pull1"]
    assert len(m.springs) == 2
    assert {"ctrl_pull0", "ctrl_pull1"} <= set(m.parameters)


# -- attach ------------------------------------------------------------------------------------------------------------------

CHILD = f"""
<mujoco model="child">
  <compiler angle="radian" eulerseq="zyx" meshdir="none"/>
  <option gravity="0 0 -5"/>
  <default><joint damping="2"/><default class="light"><geom density="10"/></default></default>
  <worldbody>
    <geom name="floor" size="1"/>
    <body name="arm" pos="1 0 0" euler=".1 .2 .3">
      <joint name="a" axis="0 1 0" range="-1 1"/><geom class="light" size=".2" pos=".1 0 0"/>
      <body name="hand" childclass="light"><joint name="h" axis="1 0 0" pos="0 .1 0"/>{BALL}<site name="tip"/></body>
    </body>
    <frame name="stand" pos="0 3 0" euler="0 .4 0"><body name="pillar"><joint name="p"/>{BALL}</body></frame>
  </worldbody>
  <equality><weld name="hold" body1="hand" body2="arm"/><weld name="far" body1="hand" body2="pillar"/></equality>
</mujoco>"""
PARENT = """
<mujoco>
  <compiler angle="degree"/>
  <default><joint damping="7"/><geom density="100"/></default>
  <asset><model name="other" file="parts/child.xml"/></asset>
  <worldbody>
    <body name="base" euler="10 20 30"><joint name="b" range="-90 90"/><geom size=".3"/>{}</body>
    <frame pos="1 1 1" euler="0 45 0">{}</frame>
  </worldbody>
</mujoco>"""


@pytest.fixture
def parent(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "child.xml").write_text(CHILD)

    def write(inside="", framed="", text=PARENT):
        (tmp_path / "parent.xml").write_text(text.format(inside, framed))
        return tmp_path / "parent.xml"

    return write


@pytest.mark.parametrize("what", ['body="arm"', 'body="hand"', 'frame="stand"', ""])
def test_attached_models_are_those_of_mujoco(parent, what):
    attach = f'<attach model="other" {what} prefix="x_"/>'
    names(*check_file(parent(attach)))
    names(*check_file(parent("", attach)))
    m, ref = check_file(parent(attach, attach.replace("x_", "y_")))
    names(m, ref)
    assert [x.name for x in m.loops] == [ref.equality(i).name for i in range(ref.neq)]


def test_settings_of_the_attached_model_are_its_own(parent):
    m, ref = check_file(parent('<attach model="other" body="arm" prefix="x_"/>'))
    a, b = m.joint("x_a"), m.joint("b")
    assert (a.limits.lower, a.limits.upper) == (-1, 1)  # radians there, degrees here
    assert b.limits.upper == pytest.approx(1.5707963)
    assert (a.friction.viscous, b.friction.viscous) == (2, 7)
    assert m.gravity == (0, 0, -9.81) == tuple(ref.opt.gravity)
    assert any("<option> of an attached model" in note for note in m.notes)
    merging = PARENT.replace('<compiler angle="degree"/>', '<compiler angle="degree" conflict="merge"/>')
    m, ref = check_file(parent('<attach model="other" body="arm" prefix="x_"/>', text=merging))
    assert m.gravity == (0, 0, -5) == tuple(ref.opt.gravity)


def test_attach_in_replicate_and_by_a_model_that_attaches(parent, tmp_path):
    names(*check_file(parent('<replicate count="2" offset="0 1 0"><attach model="other" body="arm" prefix="x_"/></replicate>')))
    middle = '<mujoco model="m"><asset><model file="child.xml"/></asset><worldbody><body name="mid" euler="1 2 3">'
    middle += f'<joint name="j" damping="1"/>{BALL}<attach model="child" body="arm" prefix="in_"/></body></worldbody></mujoco>'
    (tmp_path / "parts" / "middle.xml").write_text(middle)
    text = PARENT.replace("child.xml", "middle.xml")
    names(*check_file(parent('<attach model="other" body="mid" prefix="x_"/>', text=text)))


def test_a_body_of_the_model_itself():
    text = model(f'{LINK}<frame pos="1 0 0"><attach body="link" prefix="second_"/></frame>')
    names(*check(text))


def test_a_model_does_not_attach_itself(tmp_path):
    file = tmp_path / "a.xml"
    body = f'<body name="b">{BALL}</body><attach model="m" body="b" prefix="x"/>'
    file.write_text(model(body, before='<asset><model name="m" file="b.xml"/></asset>'))
    (tmp_path / "b.xml").write_text(file.read_text().replace("b.xml", "a.xml"))
    with pytest.raises(DescriptionError, match="attaches itself"):
        mjcf.read(file)


def test_copies_of_copies_are_bounded():
    inside = LINK
    for _ in range(8):
        inside = f'<replicate count="9">{inside}</replicate>'
    with pytest.raises(DescriptionError, match="at most 500000"):
        quiet(model(inside))

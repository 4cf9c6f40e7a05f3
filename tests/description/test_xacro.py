"""Xacro files are expanded where the package is, and nothing in them reaches beyond them."""

import sys

import pytest

import lagrangian as lg
from lagrangian.description.urdf import xacro
from lagrangian.description.urdf.xacro import check_expression
from lagrangian.errors import ArgumentError, DescriptionError

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
ROBOT = (
    HEAD
    + """
<xacro:arg name="mass" default="2"/>
<xacro:include filename="$(find my_robot)/urdf/parts.xacro"/>
<link name="base"/>
<xacro:bar name="a" mass="${float('$(arg mass)') * 3}"/>
<link name="b"><inertial><mass value="${sin(pi / 2) + len([1, 2])}"/></inertial></link>
<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>
</robot>"""
)
PARTS = (
    HEAD
    + """<xacro:macro name="bar" params="name mass">
<link name="${name}"><inertial><mass value="${mass}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j_${name}" type="continuous"><parent link="base"/><child link="${name}"/></joint>
</xacro:macro></robot>"""
)


@pytest.fixture
def package(tmp_path):
    """A ROS package that is not in a folder of its name."""
    pytest.importorskip("xacro")
    home = tmp_path / "checkout"
    (home / "urdf").mkdir(parents=True)
    (home / "package.xml").write_text("<package><name>my_robot</name></package>")
    (home / "urdf" / "parts.xacro").write_text(PARTS)
    (home / "urdf" / "robot.urdf.xacro").write_text(ROBOT)
    return home / "urdf"


@pytest.mark.filterwarnings("ignore::lagrangian.ReaderWarning")
def test_a_xacro_file_is_expanded(package):
    m = lg.load(package / "robot.urdf.xacro")
    assert {b.name: b.mass for b in m.bodies} == {"base": 0, "a": 6, "b": 3}
    assert any("xacro file (1): expanded" in note for note in m.notes)
    assert lg.load(package / "robot.urdf.xacro", xacro={"mass": 5}).body("a").mass == 15


@pytest.mark.filterwarnings("ignore::lagrangian.ReaderWarning")
def test_a_urdf_is_expanded_only_if_asked(package):
    file = package / "robot.urdf"
    file.write_text(ROBOT)
    with pytest.raises(DescriptionError, match=r"not yet a URDF; run xacro first.*xacro=True"):
        lg.load(file)
    assert lg.load(file, xacro=True).body("a").mass == 6
    with pytest.raises(DescriptionError, match="not yet a URDF"):
        lg.load(package / "robot.urdf.xacro", xacro=False)
    with pytest.raises(ArgumentError, match="xacro is 3"):
        lg.load(file, xacro=3)
    with pytest.raises(ArgumentError, match="xacro is for files"):
        lg.loads(ROBOT, "urdf", xacro=True)


@pytest.mark.filterwarnings("ignore::lagrangian.ReaderWarning")
def test_an_argument_that_the_file_does_not_have_is_refused(package):
    file = package / "robot.urdf.xacro"
    with pytest.raises(
        ArgumentError, match=r"no argument of this xacro file called 'mas'. Did you mean 'mass'\? Known: mass$"
    ) as error:
        lg.load(file, xacro={"mas": 5})
    assert str(file) in str(error.value)
    # declared in a file that is included, used without a declaration, and named in an evaluation
    (package / "parts.xacro").write_text(PARTS.replace("<xacro:macro", '<xacro:arg name="inner" default="1"/><xacro:macro'))
    link = '<link name="$(arg tip)"><inertial><mass value="$(eval 2*count)"/></inertial></link>'
    joint = '<joint name="t" type="fixed"><parent link="b"/><child link="$(arg tip)"/></joint>'
    file.write_text(ROBOT.replace("</robot>", f"{link}{joint}</robot>"))
    values = {"mass": 5, "inner": 2, "tip": "end", "count": 3}
    assert lg.load(file, xacro=values).body("end").mass == 6
    with pytest.raises(ArgumentError, match=r"'Tip'.*Known: count, inner, mass, tip$"):
        lg.load(file, xacro={**values, "Tip": "x"})


def test_without_the_package_it_is_reported_what_to_do(package, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(DescriptionError, match=r"not yet a URDF; run xacro first.*.*`pip install xacro`"):
        lg.load(package / "robot.urdf.xacro")


MISTAKES = {
    "argument": (
        '<link name="$(arg side)"/><xacro:arg name="late" default="1"/>',
        "Undefined substitution argument side; xacro={'side': '...'} gives it a value; its arguments are late, side$",
    ),
    "empty": (
        """<xacro:arg name="limits" default=""/><xacro:arg name="side" default="left"/>
        <link name="${xacro.load_yaml('$(arg limits)')['a']}"/>""",
        "empty name; its argument limits is empty; xacro={'limits': '...'} gives it a value; its arguments are limits, side$",
    ),
    "two empty": (
        """<xacro:arg name="a" default=""/><xacro:arg name="b" default=""/><xacro:include filename="$(arg b)"/>""",
        "its arguments a, b are empty; xacro={'a': '...', 'b': '...'} gives them values; its arguments are a, b$",
    ),
    "empty of itself": ('<xacro:include filename=""/>', "includes a file with an empty name$"),
    "folder": ('<xacro:include filename="../urdf/"/>', r"urdf: this is a directory; name a file in it$"),
    "no such file": ('<xacro:include filename="pats.xacro"/>', r"pats.xacro: there is no such file.*parts.xacro"),
    "name": ('<link name="${side}"/>', "name 'side' is not defined"),
    "package": ('<xacro:include filename="$(find elsewhere)/a.xacro"/>', r"find elsewhere.: there is no such package"),
    "above": ('<xacro:include filename="../../secret.xacro"/>', "outside the folder and the packages of the file"),
    "absolute": ('<xacro:include filename="/etc/hostname"/>', "outside the folder and the packages of the file"),
    "yaml": ("<link name=\"${xacro.load_yaml('/etc/hostname')}\"/>", "outside the folder and the packages of the file"),
    "entity": ('<xacro:include filename="bomb.xacro"/>', "document type is not allowed"),
    "endless": ('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', "endlessly|recursion"),
    "link": ('<link name="a"/><link name="a"/>', r"robot.xacro, expanded by xacro: .*names must differ"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_reported(package, case):
    inside, says = MISTAKES[case]
    (package.parent.parent / "secret.xacro").write_text(f'{HEAD}<link name="secret"/></robot>')
    (package / "bomb.xacro").write_text('<!DOCTYPE r [<!ENTITY a "aaaa">]><robot><link name="&a;"/></robot>')
    (package / "robot.xacro").write_text(f"{HEAD}{inside}</robot>")
    with pytest.raises(DescriptionError, match=says) as error:
        lg.load(package / "robot.xacro")
    assert str(package / "robot.xacro") in str(error.value)


HOSTILE = [
    "$(eval open('{0}', 'w'))",
    "$(eval exec('import os'))",
    "$(${{'ev' + 'al'}} open('{0}', 'w'))",
    "${{open('{0}', 'w')}}",
    "${{().__class__}}",
    "${{python.vars(str)}}",
    "${{python.type(1)}}",
    "${{[python][0]['vars']}}",
    "${{'{{0.__class__}}'.format(1)}}",
    "${{(lambda: 1)()}}",
    "${{(x for x in [1]).gi_frame}}",
    "${{xacro.load_yaml.func_globals}}",
    "${{__import__('os')}}",
]


@pytest.mark.parametrize("expression", HOSTILE)
def test_expressions_only_compute(package, expression):
    file = package / "made"
    text = expression.format(file).replace('"', "&quot;")
    (package / "robot.xacro").write_text(f'{HEAD}<link name="{text}"/></robot>')
    with pytest.raises(DescriptionError):
        lg.load(package / "robot.xacro")
    assert not file.exists()


HEAVY = ["${{9**9**9}}", "${{'a' * 10**11}}", "${{'a'.ljust(10**11)}}", "$(eval 9**9**9)", "${{math.factorial(10**9)}}"]


@pytest.mark.parametrize("expression", [*HEAVY, "${{a10}}"])
def test_what_computes_too_much_is_ended(package, expression, monkeypatch):
    monkeypatch.setattr(xacro, "_TIMEOUT_SECONDS", 1.5)
    doubled = "".join(f'<xacro:property name="a{k + 1}" value="{f"${{a{k}}}" * 10}"/>' for k in range(10))
    inside = f'<xacro:property name="a0" value="xxxxxxxxxx"/>{doubled}<link name="{expression.format()}"/>'
    (package / "robot.xacro").write_text(f"{HEAD}{inside}</robot>")
    with pytest.raises(DescriptionError, match=r"does not finish|more than 2 GB|does not expand"):
        lg.load(package / "robot.xacro")


def test_a_folder_around_the_file_that_is_no_package_is_not_read(package):
    home = package.parent.parent
    (home / "secret").mkdir()
    (home / "secret" / "key.yaml").write_text("key: hidden")
    for name in ("secret", home.name, home.parent.name):
        (package / "robot.xacro").write_text(f"{HEAD}<link name=\"${{load_yaml('$(find {name})/secret/key.yaml')}}\"/></robot>")
        with pytest.raises(DescriptionError, match="there is no such package"):
            lg.load(package / "robot.xacro")


@pytest.mark.parametrize(
    "fine", ["1 + 2 * x", "a.b[1:2]", "[f(x) for x in y if x > 0]", "'a' if b else {'c': 1}", "math.sin(pi)"]
)
def test_what_computes_is_fine(fine):
    check_expression(fine)

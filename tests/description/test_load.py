"""Which reader a file goes to, and what is said when none fits."""

import pytest

import lagrangian as lg
from lagrangian.description.load import load, loads
from lagrangian.description.mjcf import reader as mjcf_reader
from lagrangian.description.sdf import reader as sdf_reader
from lagrangian.description.urdf import reader as urdf_reader
from lagrangian.errors import ArgumentError, DescriptionError, LagrangianError

PENDULUM = """
[[body]]
name = "bob"
mass = 1
center = [1, 0, 0]
[[joint]]
name = "theta"
type = "revolute"
child = "bob"
"""


PROLOGUE = "\ufeff<?xml version='1.0'?>\n<!-- a <mujoco> comment -->\n<!DOCTYPE robot [<!ENTITY a 'b>'>]>\n"


@pytest.fixture
def readers(monkeypatch):
    """Stand-ins for the XML readers that say how they were called."""
    for name, reader in (("urdf", urdf_reader), ("mjcf", mjcf_reader), ("sdf", sdf_reader)):
        monkeypatch.setattr(reader, "read", lambda path, name=name, **options: (name, path.name, options))


@pytest.mark.parametrize("name", ["arm.toml", "ARM.TOML"])
def test_toml_is_recognised_by_its_name(tmp_path, name):
    file = tmp_path / name
    file.write_text(PENDULUM)
    for path in (file, str(file)):
        arm = load(path)
        assert arm.name.lower() == "arm"
        assert arm.coordinate_names == ("theta",)
        assert arm.file == str(file)


@pytest.mark.parametrize(
    ("name", "text", "reader"),
    [
        ("a.urdf", "<robot/>", "urdf"),
        ("a.mjcf", "<mujoco/>", "mjcf"),
        ("a.xml", "<mujoco/>", "mjcf"),
        ("a.xml", "<mujoco model='x'><worldbody/></mujoco>", "mjcf"),
        ("a.xml", "<robot name='x'/>", "urdf"),
        ("a.xml", PROLOGUE + "<robot/>", "urdf"),
        ("a.sdf", "<sdf/>", "sdf"),
        ("a.world", "<sdf/>", "sdf"),
        ("a.sdf", PROLOGUE + "<robot/>", "urdf"),
        ("a.sdf", "<mujoco/>", "sdf"),  # which refuses it
        ("a.xml", "<sdf version='1.9'/>", "sdf"),
    ],
)
def test_xml_is_recognised_by_its_content(tmp_path, readers, name, text, reader):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert load(tmp_path / name) == (reader, name, {})


def test_options_reach_the_reader(tmp_path, readers):
    (tmp_path / "a.urdf").write_text("<robot/>")
    assert load(tmp_path / "a.urdf", floating=True) == ("urdf", "a.urdf", {"floating": True})


def test_unknown_options(tmp_path, readers):
    (tmp_path / "a.urdf").write_text("<robot/>")
    with pytest.raises(ArgumentError, match="Did you mean 'floating'") as caught:
        lg.load(tmp_path / "a.urdf", floting=True)
    assert str(caught.value).count("floting") == 1
    with pytest.raises(ArgumentError, match=r"takes no option 'floating'; give the base a \[\[joint\]\] with type = \"free\""):
        load(tmp_path / "a.toml", floating=True)
    with pytest.raises(ArgumentError, match=r"takes no option 'floating'; give the base a <freejoint/>"):
        load(tmp_path / "a.mjcf", floating=True)
    with pytest.raises(ArgumentError, match="a URDF file has no named parameters"):
        load(tmp_path / "a.urdf", parameters={"l": 1})


def test_parameters_reach_the_toml_reader(tmp_path):
    file = tmp_path / "arm.toml"
    file.write_text("[parameters]\nm = 1\n" + PENDULUM.replace("mass = 1", "mass = 'm'"))
    assert float(load(file, parameters={"m": 3}).bodies[0].mass) == 3
    with pytest.raises(ArgumentError, match=r"arm\.toml: parameters: there is no parameter 'mm'. Did you mean 'm'"):
        load(file, parameters={"mm": 3})


# -- texts -----------------------------------------------------------------------------------------------------------------

URDF = '<robot name="r">\n<link name="a"/>\n</robot>'
MJCF = '<mujoco model="m">\n<worldbody><body name="b"><joint/><geom size="0.1"/></body></worldbody>\n</mujoco>'


def test_texts_of_each_format():
    named = "[parameters]\nm = 1\n" + PENDULUM.replace("mass = 1", "mass = 'm'")
    assert loads(PENDULUM).coordinate_names == ("theta",)
    assert float(loads(named, parameters={"m": 3}).bodies[0].mass) == 3
    assert loads(URDF, "urdf").nv == 0
    assert loads(URDF, format="urdf", floating=True).nv == 6
    assert loads(MJCF, "mjcf").name == "m"


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("[[body]]\nname = 1", "toml", r"^<text>: \[\[body\]\] 1: name: 1 is given"),
        ("<robot name='r'>\n<joint/></robot>", "urdf", "^<text>:2: <joint>"),
        ("<mujoco>\n<worldboddy/></mujoco>", "mjcf", "^<text>:2: <worldboddy>"),
        (PENDULUM, "tmol", "no format 'tmol'. Did you mean 'toml'"),
        (PENDULUM, "yaml", "no format 'yaml'. Known: toml, urdf, mjcf"),
        ("robots/arm.toml", "toml", "'robots/arm.toml' is a path; use load"),
        (b"x = 1", "toml", "loads takes a string, not bytes"),
        (None, "toml", "loads takes a string, not NoneType"),
    ],
)
def test_texts_that_are_refused(text, kind, message):
    with pytest.raises(LagrangianError, match=message):
        loads(text, kind)


def test_options_of_texts():
    with pytest.raises(ArgumentError, match=r"^<text>: TOML takes no option 'floating'"):
        loads(PENDULUM, floating=True)
    with pytest.raises(ArgumentError, match=r"^loads: there is no argument 'floting'. Did you mean 'floating'"):
        lg.loads(URDF, "urdf", floting=True)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (PENDULUM, "toml"),
        (PENDULUM * 100, "toml"),
        ("name = 'arm'", "toml"),
        ("[[body]]", "toml"),
        ("x" * 300, "toml"),
        ("x" * 300 + ".toml", "toml"),
        (URDF, "urdf"),
        ("<robot name='r'/>", "urdf"),
        ("<?xml version='1.0'?>" + MJCF, "mjcf"),
    ],
)
def test_a_text_where_a_path_belongs(text, kind):
    with pytest.raises(ArgumentError, match=rf'^load takes the path of a file.*format="{kind}"') as caught:
        load(text)
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a = 1.toml", "[x].toml", "two\nlines.toml", "<robot.toml"])
def test_a_path_may_look_odd(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    try:
        (tmp_path / name).write_text(PENDULUM)
    except OSError:
        pytest.skip("the file system does not take this name")
    assert load(name).coordinate_names == ("theta",)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".toml", "x = "),
        (".toml", PENDULUM + "parent = 'grund'"),
        (".toml", PENDULUM + "rpy = ['sinus(1)', 0, 0]"),
        (".toml", PENDULUM.replace("mass = 1", "mass = -1")),
        (".toml", "[dh]\nconvention = 'standard'\n[[dh.row]]\nlink = 'a'\n[[dh.row]]\nlink = 'a'"),
        (".toml", "[dh]\nconvention = 'standard'\n[[dh.row]]\nmass = -1"),
        (".urdf", "<robot name='r'"),
        (".urdf", "<robot name='r'/>"),
        (".urdf", "<robot name='r'><link name='a'/><link name='a'/></robot>"),
        (".xml", "<html/>"),
        (".xml", "<mujoco><worldbody><body><joint axis='0 0 0'/></body></worldbody></mujoco>"),
        (".xml", "<mujoco><worldbody><body name='a'><geom size='-1'/></body></worldbody></mujoco>"),
    ],
)
def test_errors_name_the_file_once(tmp_path, suffix, text):
    file = tmp_path / f"wrong{suffix}"
    file.write_text(text)
    with pytest.raises(LagrangianError) as caught:
        load(file)
    assert str(caught.value).startswith(str(file))
    assert str(caught.value).count("wrong") == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{}", "suffix '.json'.*Known: .toml, .urdf, .xacro, .mjcf, .xml"),
        ("a", "", "suffix ''"),
        ("run.nc", "", r"this is a saved motion, not a mechanism; read it with lagrangian.read\('run.nc'\)"),
        ("a.tmol", "", "Did you mean '.toml'"),
        ("a.xml", "<html/>", "root is <html>; <robot>"),
        ("a.xml", "not xml", "not XML"),
        ("a.xml", "", "not XML"),
        ("a.xml", "<!--" * 1000, "not XML"),
    ],
)
def test_files_no_reader_takes(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(DescriptionError, match=message):
        load(tmp_path / name)


@pytest.mark.parametrize("suffix", [".toml", ".xml"])
def test_missing_file_says_what_is_there(tmp_path, suffix):
    (tmp_path / f"arm{suffix}").write_text("")
    with pytest.raises(DescriptionError, match=rf"no such file.*arm\{suffix}"):
        load(tmp_path / f"amr{suffix}")
    with pytest.raises(DescriptionError, match="no such file; there is no folder"):
        load(tmp_path / "nowhere" / f"arm{suffix}")


def test_directories_are_no_descriptions(tmp_path):
    folder = tmp_path / "x.toml"
    folder.mkdir()
    for path in (folder, tmp_path):
        with pytest.raises(DescriptionError, match="this is a directory"):
            load(path)


@pytest.mark.parametrize("path", [None, 3, b"arm.toml", ""])
def test_what_is_no_path(path):
    with pytest.raises(ArgumentError, match="a path to a file is needed"):
        load(path)

"""Which reader a file goes to, and what is said when none fits."""

import sys
import types

import pytest

from lagrangian import description
from lagrangian.description.load import load
from lagrangian.errors import ArgumentError, DescriptionError

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
    for name in ("urdf", "mjcf"):
        stub = types.ModuleType(f"lagrangian.description.{name}")
        stub.read = lambda path, name=name, **options: (name, path.name, options)
        monkeypatch.setitem(sys.modules, stub.__name__, stub)
        monkeypatch.setattr(description, name, stub, raising=False)


@pytest.mark.parametrize("name", ["arm.toml", "ARM.TOML"])
def test_toml(tmp_path, name):
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
    ],
)
def test_xml(tmp_path, readers, name, text, reader):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert load(tmp_path / name) == (reader, name, {})


def test_options_reach_the_reader(tmp_path, readers):
    (tmp_path / "a.urdf").write_text("<robot/>")
    assert load(tmp_path / "a.urdf", floating=True) == ("urdf", "a.urdf", {"floating": True})


def test_unknown_options(tmp_path, readers):
    (tmp_path / "a.urdf").write_text("<robot/>")
    with pytest.raises(ArgumentError, match="Did you mean 'floating'"):
        load(tmp_path / "a.urdf", floting=True)
    with pytest.raises(ArgumentError, match="takes no option 'floating'"):
        load(tmp_path / "a.toml", floating=True)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{}", "suffix '.json'.*Known: .toml, .urdf, .mjcf, .xml"),
        ("a", "", "suffix ''"),
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
    with pytest.raises(DescriptionError, match="no such file; nor is there a directory"):
        load(tmp_path / "nowhere" / f"arm{suffix}")


def test_directories(tmp_path):
    folder = tmp_path / "x.toml"
    folder.mkdir()
    for path in (folder, tmp_path):
        with pytest.raises(DescriptionError, match="this is a directory"):
            load(path)


@pytest.mark.parametrize("path", [None, 3, b"arm.toml", ""])
def test_what_is_no_path(path):
    with pytest.raises(ArgumentError, match="a path to a file is needed"):
        load(path)

"""Files that a description names are found by looking around it."""

import pytest

from lagrangian.description.files import find_file, package_folders
from lagrangian.description.urdf import reader as urdf
from lagrangian.errors import DescriptionError


@pytest.fixture
def around(tmp_path, monkeypatch):
    """A robot in a package whose folder is called otherwise, beside another package."""
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH"):
        monkeypatch.delenv(variable, raising=False)
    for folder in ("src/main-branch/urdf", "src/main-branch/meshes", "src/gripper/meshes", "far/arm/meshes"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.stl").write_text("")
    (tmp_path / "src/main-branch/package.xml").write_text("<package>\n <name> arm </name></package>")
    return tmp_path


def robot(around):
    return around / "src/main-branch/urdf/r.urdf"


@pytest.mark.parametrize(
    ("name", "actual"),
    [
        ("package://arm/meshes/a.stl", "src/main-branch/meshes/a.stl"),  # by its package.xml
        ("model://main-branch/meshes/a.stl", "src/main-branch/meshes/a.stl"),  # by its folder's name
        ("package://gripper/meshes/a.stl", "src/gripper/meshes/a.stl"),  # beside a folder above
        ("../meshes/a.stl", "src/main-branch/meshes/a.stl"),
        ("a.stl", "src/main-branch/urdf/a.stl"),
    ],
)
def test_found_around_the_file(around, name, actual):
    assert find_file(name, robot(around)).samefile(around / actual)


@pytest.mark.parametrize("variable", ["ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH"])
def test_found_where_ros_is_reported_to_look(around, monkeypatch, variable):
    monkeypatch.setenv(variable, f"/nowhere:{around / 'far'}")
    assert find_file("package://arm/meshes/a.stl", "/elsewhere/r.urdf").samefile(around / "far/arm/meshes/a.stl")
    # what is around the file comes first
    assert find_file("package://arm/meshes/a.stl", robot(around)).samefile(around / "src/main-branch/meshes/a.stl")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("package://arm/../../far/arm/meshes/a.stl", "leads out of the package"),
        ("package://../far/a.stl", "leads out of the package"),
        ("package://none/a.stl", "there is no such file; export ROS_PACKAGE_PATH"),
        ("http://example.org/a.stl", "only local files"),
        ("b.stl", "there is no such file beside the model"),
    ],
)
def test_not_found(around, name, says):
    with pytest.raises(DescriptionError, match=says):
        find_file(name, robot(around))
    assert not list(package_folders("..", robot(around)))


def test_missing_meshes_are_noted(around):
    visual = '<visual><geometry><mesh filename="{0}"/></geometry></visual>'
    files = ("package://arm/meshes/a.stl", "package://arm/meshes/none.stl")
    robot(around).write_text(f'<robot name="r"><link name="a">{"".join(visual.format(x) for x in files)}</link></robot>')
    assert urdf.read(robot(around)).notes == (f"mesh file (1: {files[1]}): not found, so that it is not drawn",)


def test_a_file_that_a_package_lacks_is_not_a_package_that_is_missing(around):
    with pytest.raises(DescriptionError, match=r"the package .*main-branch has no such file$"):
        find_file("package://arm/meshes/b.stl", robot(around))
    with pytest.raises(DescriptionError, match="export ROS_PACKAGE_PATH=/folder/that/holds/leg"):
        find_file("package://leg/meshes/b.stl", robot(around))

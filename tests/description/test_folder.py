"""Which files a description may name: those in its folder or below, or in a chosen root."""

import os

import pytest
from tests.description.mjcf_models import BALL

import lagrangian as lg
from lagrangian.description.mechanism_like import as_mechanism
from lagrangian.errors import ArgumentError, DescriptionError

PART = f'<mujoco><worldbody><body name="part"><joint/>{BALL}</body></worldbody></mujoco>'
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MODELS = {
    "include": '<mujoco><include file="{}"/></mujoco>',
    "mesh": '<mujoco><asset><mesh name="m" file="{}"/></asset><worldbody><body name="part"><joint/>'
    '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
    "model": '<mujoco><asset><model name="m" file="{}"/></asset><worldbody><attach model="m" body="part" prefix=""/></worldbody>'
    "</mujoco>",
}


@pytest.fixture(params=MODELS)
def model(request, tmp_path):
    """A file in `a`, and what writes into it the name of a file of the kind that it uses; one is in `b`."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    suffix, text = (".obj", TETRAHEDRON) if request.param == "mesh" else (".xml", PART)
    (tmp_path / "b" / f"part{suffix}").write_text(text)

    def write(name):
        (tmp_path / "a" / "main.xml").write_text(MODELS[request.param].format(name + suffix))
        return tmp_path / "a" / "main.xml"

    return write


def test_files_outside_need_a_root_that_is_chosen(model, tmp_path, monkeypatch):
    file = model("../b/part")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DescriptionError, match=r"outside the model's directory.*load\(path, root='\.'\)$") as error:
        lg.load(file)
    assert "main.xml:1: <" in str(error.value)
    for root in (tmp_path, str(tmp_path), ".", tmp_path.parent):
        assert [b.name for b in lg.load(file, root=root).bodies] == ["part"]


def test_a_root_is_a_folder_that_holds_the_file(model, tmp_path):
    file = model("../b/part")
    for root, says in (
        (tmp_path / "none", "no folder"),
        (file, "no folder"),
        (tmp_path / "b", "does not contain"),
        (3, "a path"),
    ):
        with pytest.raises(ArgumentError, match=says):
            lg.load(file, root=root)
    with pytest.raises(DescriptionError, match="outside the chosen root"):
        lg.load(file, root=tmp_path / "a")


def test_links_are_followed_before_a_path_is_judged(model, tmp_path):
    os.symlink(tmp_path / "b", tmp_path / "a" / "link")
    file = model("link/part")
    with pytest.raises(DescriptionError, match="outside the model's directory"):
        lg.load(file)
    assert lg.load(file, root=tmp_path).nv == 1


@pytest.mark.parametrize("name", ["/etc/hostname", "~/part", "C:/part", "\\\\server\\part", "file:///etc/part"])
def test_paths_that_are_not_relative(model, tmp_path, name):
    with pytest.raises(DescriptionError, match=r"not a relative path|cannot be read|no such file"):
        lg.load(model(name), root=tmp_path)


def test_texts_name_files_only_with_a_root(tmp_path):
    (tmp_path / "part.xml").write_text(PART)
    text = MODELS["include"].format("part.xml")
    with pytest.raises(DescriptionError, match="a string without a folder"):
        lg.loads(text, "mjcf")
    assert lg.loads(text, "mjcf", root=tmp_path).nv == 1
    with pytest.raises(lg.ArgumentError, match="a path"):
        lg.loads(text, "mjcf", root=5)


def test_other_formats_have_no_root(tmp_path):
    with pytest.raises(ArgumentError, match="root"):
        lg.loads('<robot name="r"><link name="a"/></robot>', "urdf", root=tmp_path)
    with pytest.raises(ArgumentError, match=r"root.* is for MJCF"):
        as_mechanism("two_r", root=tmp_path)


def test_a_part_of_a_model_is_refused_with_a_sentence(tmp_path):
    for name, text in {
        "a.xml": "<mujocoinclude/>",
        "b.mjcf": "<mujocoinclude/>",
    }.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(DescriptionError, match="part of a model that another file includes"):
            lg.load(tmp_path / name)

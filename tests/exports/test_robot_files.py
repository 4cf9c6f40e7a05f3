"""Robot files as targets of exports: the writers have tests of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

import lagrangian as lg


def test_a_robot_file_is_what_save_writes(tmp_path: Path) -> None:
    for name, suffix in (("urdf", ".urdf"), ("mjcf", ".xml"), ("sdf", ".sdf"), ("toml", ".toml")):
        export_result = lg.export("panda", name, tmp_path / f"mine{suffix}")
        assert export_result.paths == (tmp_path / f"mine{suffix}",)
        lg.save(lg.library("panda"), tmp_path / f"saved{suffix}")
        assert export_result.paths[0].read_text() == (tmp_path / f"saved{suffix}").read_text()
        assert lg.load(export_result.paths[0]).nv == 7
        assert lg.export("panda", name, tmp_path / "folder").paths == (tmp_path / "folder" / f"panda{suffix}",)


def test_loops_of_a_urdf_go_to_a_file_beside_it_where_asked(tmp_path: Path) -> None:
    with pytest.warns(lg.WriterWarning, match="torque"):
        export_result = lg.export("four_bar", "urdf", tmp_path / "linkage.urdf", loops="yaml")
    assert [path.name for path in export_result.paths] == ["linkage.urdf", "linkage.yaml"]
    assert lg.load(tmp_path / "linkage.urdf").loops
    assert any("YAML" in note for note in export_result.notes)


def test_what_changes_the_dynamics_is_warned_of() -> None:
    with pytest.warns(lg.WriterWarning, match="rotor"):
        export_result = lg.export("puma560", "urdf")
    assert not any("rotor" in note for note in export_result.notes)


def test_functions_have_no_meaning_in_a_robot_file() -> None:
    with pytest.raises(lg.ArgumentError, match="writes a mechanism, not functions of it"):
        lg.export("two_r", "urdf", functions=["gravity"])

"""`lagrangian.export` and its command: what is refused, and that nothing half-written is left behind."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner

import lagrangian as lg
from lagrangian.cli.main import app
from lagrangian.exports import output_folder
from lagrangian.exports.reference_values import evaluate_routine, routine_inputs, sample_states
from lagrangian.exports.targets import register
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget, TargetOption
from lagrangian.functions.catalogue import FUNCTIONS, package
from tests.exports.compiled_c import STRICT, run
from tests.exports.reference import expected_results, relative_error


def command_output(*words: str) -> str:
    done = CliRunner().invoke(app, ["export", *words])
    assert done.exit_code == 2
    return done.output


def test_an_unknown_target_lists_those_that_exist() -> None:
    with pytest.raises(lg.ArgumentError, match=r"target: there is no target 'cc'\. Did you mean 'c'\? Known: c, ") as error:
        lg.export("two_r", "cc")
    assert all(name in str(error.value) for name in lg.export_targets())
    assert "Did you mean 'c'?" in command_output("two_r", "--to", "cc")


def test_a_mistake_in_a_target_is_reported_with_its_name() -> None:
    class Texts(ExportTarget):
        name, about = "texts", "a target that returns the texts themselves"

        def make(self, mechanism: lg.Mechanism, request: ExportRequest) -> ExportedFiles:
            return {"a.txt": ""}  # type: ignore[return-value]

    class Misspelt(ExportTarget):
        name, about = "misspelt", "a target that asks for an option that it does not list"
        options: ClassVar[dict[str, Any]] = {"digits": TargetOption("the digits of a number", 3)}

        def make(self, mechanism: lg.Mechanism, request: ExportRequest) -> ExportedFiles:
            return ExportedFiles({"a.txt": str(self.option(request, "digit"))})

    register(Texts())
    register(Misspelt())
    with pytest.raises(lg.ArgumentError, match="export target 'texts': `make` returned an object of type dict"):
        lg.export("two_r", "texts")
    with pytest.raises(lg.ArgumentError, match=r"export target 'misspelt': there is no option 'digit'\. Did you mean 'digits'"):
        lg.export("two_r", "misspelt")


def test_a_target_that_lacks_something_is_refused_when_it_is_registered() -> None:
    class Nameless(ExportTarget):
        about = "a target without a name"

        def make(self, mechanism: lg.Mechanism, request: ExportRequest) -> ExportedFiles:
            return ExportedFiles()

    class Undescribed(Nameless):
        name, about = "undescribed", None  # type: ignore[assignment]

    class Loose(Nameless):
        name = "loose"
        options: ClassVar[dict[str, Any]] = {"digits": 3}

    class Listed(Nameless):
        name = "listed"
        options = ["digits"]  # type: ignore[assignment]  # noqa: RUF012

    class Unfinished(ExportTarget):
        name, about = "unfinished", "a target that makes nothing"

    for kind, missing in ((Nameless, "`name`"), (Undescribed, "`about`"), (Loose, "TargetOption"), (Listed, "mapping")):
        with pytest.raises(lg.ArgumentError, match=missing):
            register(kind())
    with pytest.raises(TypeError, match="make"):
        Unfinished()  # type: ignore[abstract]
    assert "undescribed" not in lg.export_targets()


def test_without_jax_the_targets_can_still_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    for name in ("jax", "jax_code"):
        monkeypatch.delitem(sys.modules, f"lagrangian.exports.targets.{name}", raising=False)
    assert "jax" in lg.export_targets()
    with pytest.raises(lg.ArgumentError, match="needs JAX, which is not installed"):
        lg.export("two_r", "jax")


def test_an_unknown_function_lists_those_that_exist() -> None:
    with pytest.raises(lg.ArgumentError, match="Did you mean 'gravity'") as error:
        lg.export("two_r", "c", functions=["gravty"])
    assert all(name in str(error.value) for name in FUNCTIONS)
    assert "gravity" in command_output("two_r", "--to", "c", "--functions", "gravty")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"functions": "gravity"}, "must be a list of names"),
        ({"functions": []}, "name at least one function"),
        ({"functions": ["gravity:tip"]}, "gravity has no frame"),
        ({"functions": ["jacobian:tool"]}, "there is no frame or body 'tool'"),
        ({"functions": ["multipliers"]}, "multipliers cannot be exported: the mechanism has no constraints"),
        ({"functions": ["torque"]}, "torque cannot be exported: the description gives no torques"),
        ({"parameters": ["l3"]}, "there is no parameter 'l3'"),
        ({"parameters": "l1"}, "must be a list of names"),
        ({"parameters": ["link1.masss"]}, "there is no entry 'masss'"),
        ({"real": "half"}, "there is no value 'half'"),
        ({"rael": "float"}, "there is no option 'rael'. Did you mean 'real'"),
    ],
)
def test_what_is_wrong_is_reported(arguments: dict[str, object], message: str) -> None:
    with pytest.raises((lg.ArgumentError, lg.MechanismError), match=re.escape(message)):
        lg.export("two_r", "c", **arguments)


def test_a_direction_that_depends_on_a_parameter_is_not_adjustable() -> None:
    with pytest.raises(lg.ArgumentError, match="'lam' cannot stay adjustable"):
        lg.export("bicycle", "c", functions=["mass_matrix"], parameters=["lam"])
    export_result = lg.export("bicycle", "c", functions=["mass_matrix"])
    assert any("lam" in note for note in export_result.notes)


def puck() -> lg.Mechanism:
    """A disc that rubs on its plane, with dry friction against the direction of its velocity."""
    body = lg.Body("puck", 0.2, (0, 0, 0), (1e-4, 1e-4, 2e-4))
    friction = {"viscous": 0.1, "coulomb": 0.4}
    return lg.Mechanism("puck", [body], [lg.Joint("slide", "planar", "ground", "puck", axis="z", friction=friction)])


def test_dry_friction_in_a_plane_stays_against_the_velocity() -> None:
    generated, dyn = package(puck(), ["friction", "inverse_dynamics", "forward_dynamics"]), lg.compile(puck())
    assert "slide.friction.viscous" in [p.name for p in generated.parameters]
    for state in sample_states(puck(), 2):
        for routine in generated.routines:
            inputs = routine_inputs(routine, state)
            assert (
                relative_error(evaluate_routine(generated, routine, inputs), expected_results(dyn, routine.name, inputs)) < 1e-14
            )
    with pytest.raises(lg.ArgumentError, match=r"slide\.friction\.coulomb' cannot stay adjustable"):
        lg.export(puck(), "c", parameters=["slide.friction.coulomb"])
    smooth = puck().with_parameters({"slide.friction.coulomb": 0.0, "slide.friction.coulomb_negative": 0.0})
    with pytest.raises(lg.ArgumentError, match="cannot stay adjustable"):
        lg.export(smooth, "c", parameters=["slide.friction.coulomb"])


def test_a_function_that_is_too_long_is_refused() -> None:
    bodies = [lg.Body(f"b{k}", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01)) for k in range(300)]
    joints = [lg.Joint(f"j{k}", "revolute", f"b{k - 1}" if k else "ground", f"b{k}", placement=(0.2, 0, 0)) for k in range(300)]
    with pytest.raises(lg.ArgumentError, match="inverse_dynamics_derivatives cannot be exported: it has 300 speeds"):
        lg.export(lg.Mechanism("long", bodies, joints), "c", functions=["inverse_dynamics_derivatives"])


@pytest.mark.parametrize("where", ["a/file/below", "a/file", "no\0name"])
def test_a_place_that_cannot_be_is_refused_before_the_work(where: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("kept")
    with pytest.raises(lg.ArgumentError):
        lg.export("two_r", "c", tmp_path / where)
    assert (tmp_path / "a" / "file").read_text() == "kept"
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a", "file"]


def test_nothing_half_written_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []

    def failing(path: Path, content: str | bytes) -> Path:
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        written.append(path)
        path.write_text(str(content))
        return path

    monkeypatch.setattr(output_folder, "write", failing)
    with pytest.raises(lg.ArgumentError, match="No space left on device"):
        lg.export("two_r", "c", tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_files_that_are_there_are_replaced_and_others_kept(tmp_path: Path) -> None:
    (tmp_path / "two_r.h").write_text("old")
    (tmp_path / "mine.txt").write_text("mine")
    export_result = lg.export("two_r", "c", tmp_path)
    assert (tmp_path / "two_r.h").read_text() == export_result.files["two_r.h"]
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert set(export_result.paths) == {tmp_path / name for name in export_result.files}


def test_a_function_is_an_attribute_or_an_error() -> None:
    export_result = lg.export("two_r", "c")
    with pytest.raises(AttributeError, match="inverse_dynamics"):
        export_result.inverse_dynamics  # noqa: B018
    assert repr(export_result) == "<Export to c: two_r.h, two_r.c, two_r_test.c, CMakeLists.txt>"


# -- names -------------------------------------------------------------------------------------------------------------

HOSTILE = 'π*/ int main(void) { remove("x"); } /*'


def hostile() -> lg.Mechanism:
    """Names that are keywords, collide, are not ASCII, or try to leave a comment."""
    bodies = [lg.Body(name, 1.0, (0.1, 0, 0), (0.01, 0.02, 0.03)) for name in ("double", "int-a", "int_a", HOSTILE)]
    names = ["for", "größe", "θ₁", "x y"]
    joints = [
        lg.Joint(name, "revolute", "ground" if k == 0 else bodies[k - 1].name, bodies[k].name, placement=(0.2, 0, 0))
        for k, name in enumerate(names)
    ]
    frames = [lg.Frame("tool tip", HOSTILE, (0.1, 0, 0)), lg.Frame("tool-tip", HOSTILE, (0.2, 0, 0))]
    return lg.Mechanism("while", bodies, joints, frames=frames)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler is installed")
def test_hostile_names_are_made_legal_and_listed(tmp_path: Path) -> None:
    m = hostile()
    export_result = lg.export(m, "c", tmp_path / "out", functions=["inverse_dynamics", "pose", "step"])
    name = next(n for n in export_result.files if n.endswith(".h")).removesuffix(".h")
    assert name != "while"
    header = str(export_result.files[f"{name}.h"])
    assert header.isascii()
    assert "pose_tool_tip(" in header
    assert "pose_tool_tip_(" in header or "pose_tool_tip_2(" in header
    assert any("while" in note for note in export_result.notes)
    run("gcc", *STRICT, f"{name}.c", f"{name}_test.c", "-lm", "-o", "check", folder=tmp_path / "out")
    assert "WRONG" not in run("./check", folder=tmp_path / "out")
    assert sorted(os.listdir(tmp_path)) == ["out"]


def test_the_command_says_what_it_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["export", "two_r", "--to", "c", "-f", "gravity,jacobian:tip", "--option", "real=float"])
    assert done.exit_code == 0
    assert "wrote two_r-c/two_r.h" in done.output
    assert "float two" not in (tmp_path / "two_r-c" / "two_r.c").read_text()
    assert "jacobian_tip" in (tmp_path / "two_r-c" / "two_r.h").read_text()
    listed = CliRunner().invoke(app, ["targets", "--json"])
    assert listed.exit_code == 0
    assert '"inverse_dynamics"' in listed.output


# -- folders -----------------------------------------------------------------------------------------------------------


def test_functions_of_an_earlier_export_do_not_stay(tmp_path: Path) -> None:
    """They would read the constants of the later one."""
    lg.export("two_r", "octave", tmp_path / "out", functions=["gravity"])
    lg.export("panda", "octave", tmp_path / "out", functions=["gravity"])
    (tmp_path / "out" / "mine.m").write_text("mine")
    lg.export("two_r", "octave", tmp_path / "out", functions=["inverse_dynamics"])
    assert not (tmp_path / "out" / "+two_r" / "gravity.m").exists()
    assert (tmp_path / "out" / "+panda" / "gravity.m").exists()
    assert (tmp_path / "out" / "mine.m").exists()
    changed = tmp_path / "out" / "+two_r" / "inverse_dynamics.m"
    changed.write_text("changed")
    with pytest.raises(lg.ArgumentError, match="it was changed since"):
        lg.export("two_r", "octave", tmp_path / "out", functions=["gravity"])
    assert changed.read_text() == "changed"


def test_no_file_is_replaced_where_one_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "two_r_test.c").mkdir()
    (tmp_path / "two_r.h").write_text("old")
    with pytest.raises(lg.ArgumentError, match="this is a folder"):
        lg.export("two_r", "c", tmp_path)
    assert (tmp_path / "two_r.h").read_text() == "old"
    assert not (tmp_path / "two_r.c").exists()


def test_the_file_that_was_read_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(app, ["new", "arm"])
    before = (tmp_path / "arm.toml").read_text()
    assert "the mechanism was read from this file" in command_output("arm.toml", "--to", "toml")
    assert (tmp_path / "arm.toml").read_text() == before


@pytest.mark.parametrize(("target", "path"), [("urdf", "thing.txt"), ("mjcf", "thing.urdf"), ("c", "thing.h")])
def test_a_path_with_the_ending_of_another_file_is_refused(target: str, path: str, tmp_path: Path) -> None:
    with pytest.raises(lg.ArgumentError, match="is not that of this target"):
        lg.export("two_r", target, tmp_path / path)
    assert not list(tmp_path.iterdir())
    assert lg.export("two_r", "mjcf", tmp_path / "thing.mjcf").paths == (tmp_path / "thing.mjcf",)


def test_options_at_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (
        ("--to", "fmu", "--option", "step=1e-4", "--option", "binary=false"),
        ("--to", "c", "-f", "gravity", "-f", "inverse_dynamics", "--parameters", "none"),
        ("--to", "urdf", "--option", "loops=yaml"),
    ):
        done = CliRunner().invoke(app, ["export", "two_r", *words])
        assert done.exit_code == 0, done.output
    header = (tmp_path / "two_r-c" / "two_r.h").read_text()
    assert "two_r_gravity" in header
    assert "two_r_inverse_dynamics" in header
    assert "constants" not in header
    assert "jax makes functions in Python" in command_output("two_r", "--to", "jax")
    assert "there is no frame or body 'tool'" in command_output("two_r", "--to", "c", "--frames", "tool")
    assert "parameters: there is no parameter 'm9'" in command_output("two_r", "--to", "c", "--parameters", "m9")
    assert "c, option real: there is no value 'half'" in command_output("two_r", "--to", "c", "--option", "real=half")

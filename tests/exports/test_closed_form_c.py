"""C that is written from the closed form: it reads like the formulas, and gives what the kernels give."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import ArgumentError
from lagrangian.exports.reference_values import routine_inputs, sample_states
from lagrangian.functions.catalogue import package
from lagrangian.functions.routine import Routine
from lagrangian.model.expression import call, symbol
from lagrangian.model.single_coordinate import with_single_coordinates
from tests.exports.compiled_c import STRICT, run
from tests.exports.reference import expected_results, relative_error

NAMES = (
    "two_r", "three_r", "scara", "stanford", "puma560", "cart_pendulum", "furuta", "double_pendulum", "heavy_top", "four_bar",
    "slider_crank", "rolling_disc", "flyball_governor", "jansen", "wire_particles", "chaplygin_sleigh", "delta",
)  # fmt: skip
FUNCTIONS = (
    "mass_matrix", "coriolis_matrix", "gravity", "friction", "inverse_dynamics", "bias", "kinetic_energy", "potential_energy",
    "pose", "jacobian",
)  # fmt: skip
LOOPS = ("closure", "constraint_jacobian", "constraint_rate", "constraint_bias")

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler is installed")


class Code:
    """The functions of a mechanism, compiled without optimisation, which is faster; `values` are those of the struct."""

    def __init__(self, mechanism: lg.Mechanism, folder: Path, functions: Sequence[str] | None = None, **options: object) -> None:
        if functions is None:
            functions = [*FUNCTIONS, *(LOOPS if mechanism.equation_count else ["forward_dynamics"])]
        self.made = lg.export(mechanism, "c", folder, functions=functions, style="closed_form", **options)
        self.name = next(name for name in self.made.files if name.endswith("_test.c")).removesuffix("_test.c")
        self.source, self.header = str(self.made.files[f"{self.name}.c"]), str(self.made.files[f"{self.name}.h"])
        run("gcc", *STRICT, "-shared", "-fPIC", f"{self.name}.c", "-lm", "-o", "code.so", folder=folder)
        self.library = ctypes.CDLL(str(folder / "code.so"))
        self.mechanism = with_single_coordinates(mechanism)
        self.routines = package(self.mechanism, functions, parameters=[], loops=False).routines
        self.fields = re.findall(r"    double (\w+);", self.header)
        self.values = np.zeros(0)
        if self.fields:
            constants = (ctypes.c_double * len(self.fields)).in_dll(self.library, f"{self.name}_default_parameters")
            self.values = np.array(constants)

    def __call__(self, routine: Routine, value: Mapping[str, Sequence[float]]) -> np.ndarray:
        arrays = [np.ascontiguousarray(value[x.name], dtype=float) for x in routine.inputs]
        passed: list[object] = [
            ctypes.c_double(a[0]) if x.shape == () else a.ctypes.data_as(ctypes.c_void_p)
            for x, a in zip(routine.inputs, arrays, strict=True)
        ]
        values = np.full(max(1, routine.size), np.nan)
        passed += [self.values.ctypes.data_as(ctypes.c_void_p)] if self.fields else []
        getattr(self.library, f"{self.name}_{routine.name}")(*passed, values.ctypes.data_as(ctypes.c_void_p))
        return values[: routine.size]

    def compare(self, dyn: lg.Dynamics, count: int = 3) -> None:
        for state in sample_states(self.mechanism, count):
            for routine in self.routines:
                inputs = routine_inputs(routine, state)
                assert relative_error(self(routine, inputs), expected_results(dyn, routine.name, inputs)) < 1e-12, routine.name


def statements(source: str) -> list[str]:
    """Comments and statements of a source, each in one line."""
    joined = re.sub(r"\n\s*(\* +)?([+-]) ", r" \2 ", source)
    return [line.strip() for line in joined.splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_every_function_is_that_of_the_kernels(name: str, tmp_path: Path) -> None:
    m = lg.library(name)
    code = Code(m, tmp_path)
    dyn = lg.compile(code.mechanism)
    code.compare(dyn)
    named = [p for p in code.mechanism.parameters if p in code.fields]
    assert bool(named) == bool(m.parameters)
    if named:
        other = {p: 1.1 * float(m.parameters[p]) + 0.01 for p in named}
        code.values = np.array([other.get(f, v) for f, v in zip(code.fields, code.values, strict=True)])
        code.compare(dyn.with_parameters(other), count=2)


def test_it_reads_like_the_closed_form(tmp_path: Path) -> None:
    code = Code(lg.library("two_r"), tmp_path)
    actual = statements(code.source)
    at = actual.index("/* M12 = m2*(r2^2 + l1*r2*c2) + I2 */")
    assert actual[at + 1] == "M[1] = p->m2*(p->r2*p->r2 + p->l1*p->r2*c2) + p->I2;"
    assert actual[at + 2] == "M[2] = M[1];"
    assert "const double c2 = cos(q[1]);" in actual
    assert "const double c12 = cos(q[0] + q[1]);" in actual
    assert "double l1; /* by default 1 */" in code.header
    assert "constants" not in code.header


@pytest.mark.parametrize("name", ["puma560", "four_bar", "jansen"])
def test_the_formulas_are_those_that_are_printed(name: str) -> None:
    m = lg.library(name)
    eom = lg.derive(m)
    formulas = set(statements(str(lg.export(m, "c", style="closed_form").files[f"{name}.c"])))
    matrices = [eom.M, eom.C, eom.G, *([eom.Psi, eom.Psi_dot, eom.closure] if m.equation_count else [eom.F])]
    for line in (line for matrix in matrices for line in str(matrix).splitlines() if not line.endswith(" = 0")):
        assert f"/* {line} */" in formulas


def test_lines_are_short_enough_to_be_printed() -> None:
    files = lg.export(lg.library("puma560"), "c", style="closed_form").files
    assert max(map(len, str(files["puma560.c"]).splitlines())) < 120


def test_numbers_of_the_description_are_numbers_in_the_code(tmp_path: Path) -> None:
    code = Code(lg.library("puma560"), tmp_path, ["gravity"])
    assert "parameters" not in code.header
    assert "G[3] = 0.0282528*s23*s4*s5;" in code.source


def test_numbers_of_parts_stay_adjustable_by_their_paths(tmp_path: Path) -> None:
    m = lg.library("puma560")
    code = Code(m, tmp_path, ["gravity", "mass_matrix"], parameters=["link2.mass", "link3.center.x", "gravity.z"])
    assert code.fields == ["link2_mass", "link3_center_x", "gravity_z"]
    assert "/* G4 = -0.00288*gravity.z*s23*s4*s5 */" in code.source
    code.values = np.array([20.0, 0.05, -1.62])
    code.compare(lg.compile(m.with_parameters({"link2.mass": 20.0, "link3.center.x": 0.05, "gravity.z": -1.62})))


def test_parameters_that_are_not_requested_are_constants(tmp_path: Path) -> None:
    m = lg.library("two_r")
    code = Code(m, tmp_path, ["mass_matrix", "coriolis_matrix"], parameters=["l1", "m2"])
    assert code.fields == ["l1", "m2"]
    assert "const double r2 = 0.583;" in code.source
    code.values = np.array([0.4, 3.0])
    code.compare(lg.compile(m.with_parameters(l1=0.4, m2=3.0)))


def test_constraints_that_depend_on_time(tmp_path: Path) -> None:
    q1, q2, t, w = symbol("q1"), symbol("q2"), symbol("t"), lg.parameter("w", 1.5)
    bodies = [lg.Body(name, 1.0, (0.2, 0, 0), (0.1, 0.1, 0.1)) for name in "ab"]
    joints = [
        lg.Joint("q1", "revolute", "ground", "a", axis="z"),
        lg.Joint("q2", "revolute", "a", "b", axis="z", placement=(0.5, 0, 0)),
    ]
    odd = 2 + call("sign", q2) * call("abs", q2) ** 3 + call("tanh", q1) + call("max", q1, 0.3 * t)
    led = lg.PfaffianConstraint("led", (("q1", call("exp", q1) * t), ("q2", odd)), 3 * call("sin", w * t) + t**2)
    m = lg.Mechanism("driven", bodies, joints, constraints=(led,))
    code = Code(m, tmp_path, ["constraint_jacobian", "constraint_rate", "constraint_bias"])
    assert code.fields == ["w"]
    code.compare(lg.compile(m))


@pytest.mark.parametrize("real", ["double", "float"])
def test_the_test_program_passes_and_finds_a_wrong_number(real: str, tmp_path: Path) -> None:
    export_result = lg.export(lg.library("scara"), "c", tmp_path / "out", style="closed_form", real=real)
    build = ("gcc", *STRICT, "-Wdouble-promotion", "scara.c", "scara_test.c", "-lm", "-o", "check")
    run(*(x for x in build if real == "float" or x != "-Wdouble-promotion"), folder=tmp_path / "out")
    assert run("./check", folder=tmp_path / "out").count(" ok") == 18
    wrong = str(export_result.files["scara.c"]).replace("M[10] = p->m3 + p->m4", "M[10] = p->m3 - p->m4")
    (tmp_path / "out" / "scara.c").write_text(wrong)
    run("gcc", "scara.c", "scara_test.c", "-lm", "-o", "check", folder=tmp_path / "out")
    done = subprocess.run(["./check"], cwd=tmp_path / "out", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "mass_matrix M                            WRONG" in done.stdout


def test_it_is_cpp_too(tmp_path: Path) -> None:
    lg.export(lg.library("four_bar"), "c", tmp_path / "out", style="closed_form")
    run("g++", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "four_bar.c", folder=tmp_path / "out")


# -- refusals ----------------------------------------------------------------------------------------------------------


def refusal(m: lg.Mechanism, **options: object) -> str:
    with pytest.raises(ArgumentError) as caught:
        lg.export(m, "c", style="closed_form", **options)
    return str(caught.value)


def test_what_nobody_could_read_is_refused_and_what_is_long_is_reported() -> None:
    said = refusal(lg.library("panda"))
    assert "coriolis_matrix have 46648 terms" in said
    assert "style='fast'" in said
    notes = lg.export(lg.library("bricard"), "c", functions=["coriolis_matrix"], style="closed_form").notes
    assert any(note.startswith("coriolis_matrix has 1825 terms") for note in notes)


def test_a_derivation_that_would_take_too_long_is_refused() -> None:
    bodies = [lg.Body(f"b{i}", 1.0, (0.1, 0.02, 0.3), (0.1, 0.2, 0.3)) for i in range(30)]
    joints = [
        lg.Joint(f"j{i}", "revolute", f"b{i - 1}" if i else "ground", f"b{i}", axis="xyz"[i % 3], placement=(0.1, 0.2, 0.3))
        for i in range(30)
    ]
    assert "style='fast' writes the functions" in refusal(lg.Mechanism("long", bodies, joints))


def test_functions_and_parameters_that_have_no_formula_are_refused() -> None:
    assert "no formula of regressor" in refusal(lg.library("two_r"), functions=["regressor"])
    assert "mechanisms with constraints" in refusal(lg.library("four_bar"), functions=["forward_dynamics"])
    assert "there is no function" in refusal(lg.library("two_r"), functions=["mass"])
    assert "must be a list of names" in refusal(lg.library("two_r"), functions="gravity")
    assert "follows from other parameters" in refusal(lg.library("jansen"), parameters=["dx"])

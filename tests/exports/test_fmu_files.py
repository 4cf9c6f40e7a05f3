"""The files of FMUs: their descriptions, their sources, and how they are compiled."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import LagrangianError
from lagrangian.exports.targets import fmu
from tests import test_hostile_names
from tests.exports.fmus import Fmu, fmpy
from tests.exports.quadruped import quadruped_mechanism

HERE, HEADERS = Path(__file__).parent, Path(fmpy.__file__).parent / "c-code"
STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror")
NAMES = ("puma560", "four_bar", "quadruped")
LONG = tuple(pytest.param(name, marks=pytest.mark.slow) for name in ("two_r", "panda", "rolling_disc", "stewart"))


def files(export: lg.ExportResult) -> dict[str, bytes]:
    (content,) = export.files.values()
    with zipfile.ZipFile(BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def sources(mechanism: lg.Mechanism | str, folder: Path) -> list[str]:
    """The sources alone, in a folder; the names of those that are compiled."""
    texts = files(lg.export(mechanism, "fmu", binary=False))
    for name, content in texts.items():
        if name.startswith("sources/"):
            (folder / name.removeprefix("sources/")).write_bytes(content)
    return sorted(path.name for path in folder.glob("*.c"))


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def program(name: str) -> str:
    result = shutil.which(name)
    if result is None:
        pytest.skip(f"there is no {name}")
    return result


@pytest.mark.parametrize("name", [*NAMES, *LONG])
def test_descriptions_are_valid_and_sources_compile_without_a_warning(name: str, tmp_path: Path) -> None:
    from fmpy.validation import validate_fmu
    from lxml import etree

    mechanism = quadruped_mechanism() if name == "quadruped" else lg.library(name)
    export = lg.export(mechanism, "fmu", tmp_path / "model.fmu", binary=False)
    assert validate_fmu(str(tmp_path / "model.fmu")) == []
    texts = files(export)
    schema = etree.XMLSchema(etree.parse(HEADERS.parent / "schema" / "fmi3" / "fmi3BuildDescription.xsd"))
    schema.assertValid(etree.fromstring(texts["sources/buildDescription.xml"]))
    listed = [x.get("name") for x in etree.fromstring(texts["sources/buildDescription.xml"]).iter("SourceFile")]
    assert sorted(f"sources/{x}" for x in listed) == sorted(x for x in texts if x.endswith(".c"))
    for path, content in texts.items():
        if path.startswith("sources/"):
            (tmp_path / Path(path).name).write_bytes(content)
    run(program("gcc"), *STRICT, "-fsyntax-only", *listed, cwd=tmp_path)


def test_functions_are_those_of_the_standard(tmp_path: Path) -> None:
    """The sources are compiled with the headers of the standard, as fmpy has them, in the place of our own."""
    own = sources("two_r", tmp_path)
    (tmp_path / "fmi3.h").write_text(
        '#include "fmi3Functions.h"\n#define FMI3_NAME(name) name\n#define FMI3_STATUS(name) FMI3_Export fmi3Status name\n'
        "#define FMI3_INSTANCE(name) FMI3_Export fmi3Instance name\n"
    )
    run(program("gcc"), "-std=c99", "-Werror", f"-I{HEADERS}", "-fPIC", "-shared", "-fvisibility=hidden", "-o", "model.so", *own,
        "-lm", cwd=tmp_path)  # fmt: skip
    expected = set(re.findall(r"define (fmi3\w+)\s+fmi3FullName", (HEADERS / "fmi3Functions.h").read_text()))
    shown = {line.split()[-1] for line in run(program("nm"), "-D", "--defined-only", "model.so", cwd=tmp_path).splitlines()}
    assert len(expected) > 70
    assert shown == expected


def test_a_sanitizer_finds_nothing(tmp_path: Path) -> None:
    clang = program("clang")
    shutil.copy(HERE / "fmu_driver.c", tmp_path)
    for name, coordinate, value in (("four_bar", 0, 0.2), ("rolling_disc", 6, 0.15)):
        own = sources(name, tmp_path)
        token = re.search(r'MODEL_TOKEN "(\w+)"', (tmp_path / "fmu_model.h").read_text())
        assert token is not None
        run(clang, "-std=c99", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", f'-DTOKEN="{token[1]}"',
            f"-DCOORDINATE={coordinate}", f"-DVALUE={value}", "-o", "driver", *own, "-lm", cwd=tmp_path)  # fmt: skip
        run(tmp_path / "driver", cwd=tmp_path)
        (tmp_path / f"{name}.c").unlink()


def test_several_fmus_can_be_linked_into_one_program(tmp_path: Path) -> None:
    objects = []
    for name in ("two_r", "four_bar"):
        folder = tmp_path / name
        folder.mkdir()
        own = sources(name, folder)
        run(program("gcc"), "-std=c99", f"-DFMI3_FUNCTION_PREFIX={name}_", "-c", *own, cwd=folder)
        objects += [str(path) for path in folder.glob("*.o")]
    (tmp_path / "main.c").write_text(
        "const char *two_r_fmi3GetVersion(void);\nconst char *four_bar_fmi3GetVersion(void);\n"
        "int main(void) { return two_r_fmi3GetVersion()[0] != four_bar_fmi3GetVersion()[0]; }\n"
    )
    run(program("gcc"), "-o", "both", "main.c", *objects, "-lm", cwd=tmp_path)
    run(tmp_path / "both", cwd=tmp_path)


@pytest.mark.slow
def test_an_importer_builds_the_sources(tmp_path: Path) -> None:
    """fmpy makes the library by CMake."""
    from fmpy.build import build_platform_binary

    program("cmake")
    lg.export("four_bar", "fmu", tmp_path / "model.fmu", binary=False)
    folder = fmpy.extract(str(tmp_path / "model.fmu"), unzipdir=str(tmp_path / "extracted"))
    build_platform_binary(folder)
    results = fmpy.simulate_fmu(folder, fmi_type="CoSimulation", stop_time=1.0, output_interval=0.5, output=["theta1"])
    expected = lg.simulate("four_bar", 1.0, t_eval=3).q[:, 0]
    assert np.abs(results["theta1"] - expected).max() < 1e-7


def test_the_same_mechanism_gives_the_same_bytes() -> None:
    first, second = (lg.export(lg.library("four_bar"), "fmu") for _ in range(2))
    assert dict(first.files) == dict(second.files)
    other = lg.export(lg.library("four_bar", {"l1": 0.31}), "fmu", binary=False)
    tokens = {re.search(rb'instantiationToken="(\w+)"', files(x)["modelDescription.xml"])[1] for x in (first, other)}
    assert len(tokens) == 2
    assert files(first)["modelDescription.xml"] == files(second)["modelDescription.xml"]


def test_without_a_compiler_there_are_sources_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fmu.shutil, "which", lambda name: None)
    export_result = lg.export("two_r", "fmu")
    assert not [name for name in files(export_result) if name.startswith("binaries/")]
    assert "no C compiler" in export_result.notes[-1]
    monkeypatch.setattr(fmu.shutil, "which", lambda name: str(tmp_path / "no such program"))
    assert "did not compile" in lg.export("two_r", "fmu").notes[-1]


def test_a_compiler_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "cc"
    broken.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('model.c:1: error: it is broken')\n")
    broken.chmod(0o755)
    monkeypatch.setattr(fmu.shutil, "which", lambda name: str(broken))
    assert "it is broken" in lg.export("two_r", "fmu").notes[-1]


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)


def test_hostile_names_stay_names(tmp_path: Path) -> None:
    from fmpy.validation import validate_fmu

    described = test_hostile_names.ESCAPES + "\ufffe & <b> ]]> "
    mechanism = test_hostile_names.mechanism().replace(description=described)
    fmu = Fmu(mechanism, tmp_path)
    assert validate_fmu(str(fmu.file)) == []
    assert any(name.startswith("binaries/") for name in files(fmu.export))
    assert Tags(files(fmu.export)["documentation/index.html"].decode()).found <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "ul", "li", "table", "tr", "td", "th")
    }
    about = {x.name: x.description for x in fmu.description.modelVariables}
    assert about["write18_touch_pwned"] == f"coordinate {test_hostile_names.WRITE}"
    assert "spelled differently" in fmu.export.notes[-1]
    run = lg.simulate(mechanism, 1.0, t_eval=3, limits=False, q0=[0.0, 0.0, 0.0])
    actual = fmu.simulate("CoSimulation", 1.0, 3)
    assert np.abs(actual[:, :3] - run.q).max() < 1e-8


def test_names_that_collide_are_distinguished(tmp_path: Path) -> None:
    bodies = [lg.Body(f"b{k}", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)) for k in range(3)]
    names, parents = ("a-b", "a b", "time"), ("ground", "b0", "b1")
    joints = [lg.Joint(n, "revolute", p, f"b{k}", axis="z") for k, (n, p) in enumerate(zip(names, parents, strict=True))]
    frames = [lg.Frame("θ", "b2"), lg.Frame("theta", "b1"), lg.Frame("1", "b1")]
    rule = lg.PfaffianConstraint(test_hostile_names.SHELL + test_hostile_names.FORMAT + "#\\", {"a-b": 1.0, "a b": 1.0})
    fmu = Fmu(lg.Mechanism("fmi3", bodies, joints, frames=frames, constraints=[rule]), tmp_path)
    assert fmu.states == ["a_b", "a_b_", "time_", "qd_a_b", "qd_a_b_", "qd_time"]
    assert {"theta.x", "theta.x_", "x1.x", "theta.R[1,1]", "theta.R_[1,1]"} <= set(fmu.references)
    assert "lambda_touch_pwned_n_0_x_s" in fmu.references
    assert fmu.description.modelExchange.modelIdentifier == "mechanism_fmi3"
    log: list[tuple[int, str, str]] = []
    with fmu.instance("CoSimulation", log) as instance:
        instance.set(["qd_a_b"], [1.0])
        instance.begin()
        values = instance.get("qd_a_b", "qd_a_b_")
        assert values[0] == pytest.approx(-values[1], abs=1e-14)


def test_functions_that_are_requested_are_outputs(tmp_path: Path) -> None:
    asked = ["center_of_mass", "velocity:tip", "mass_matrix", "gravity", "inverse_dynamics"]
    fmu = Fmu(lg.library("two_r"), tmp_path, functions=asked, parameters=["m2"], step=1e-2)
    dyn = lg.compile(fmu.mechanism)
    with fmu.instance("CoSimulation") as instance:
        assert instance.get("largest_step")[0] == 1e-2
        instance.set(["theta1", "theta2", "qd_theta1", "qd_theta2", "tau_theta1"], [0.3, -0.4, 0.5, 0.6, 0.7])
        q, qd = np.array([0.3, -0.4]), np.array([0.5, 0.6])
        matrix = [f"mass_matrix[{i},{j}]" for i in (1, 2) for j in (1, 2)]
        assert np.allclose(instance.get(*matrix), dyn.mass_matrix(q).ravel(), rtol=1e-13)
        assert np.allclose(instance.get("gravity_theta1", "gravity_theta2"), dyn.gravity(q), rtol=1e-13)
        assert np.allclose(instance.get(*(f"center_of_mass_{x}" for x in "xyz")), dyn.center_of_mass(q), rtol=1e-13, atol=1e-15)
        twist = [f"tip.velocity_{x}" for x in ("wx", "wy", "wz", "vx", "vy", "vz")]
        assert np.allclose(instance.get(*twist), dyn.velocity(q, qd, "tip"), rtol=1e-13, atol=1e-15)
        assert np.allclose(instance.get("inverse_dynamics_theta1", "inverse_dynamics_theta2"), [0.7, 0.0], atol=1e-12)
    parameters = [x.name for x in fmu.description.modelVariables if x.causality == "parameter"]
    assert parameters == ["m2", "largest_step"]


def test_reactions_are_outputs_of_a_mechanism_with_loops(tmp_path: Path) -> None:
    fmu = Fmu(lg.library("four_bar"), tmp_path, functions=["reactions", "torque"])
    dyn = lg.compile(fmu.mechanism)
    with fmu.instance("CoSimulation") as instance:
        instance.begin()
        instance.advance(0.0, 0.2, 0.1)
        q, qd = np.split(instance.get(*fmu.states), 2)
        qdd = instance.get(*(f"qdd_{x}" for x in fmu.mechanism.speed_names))
        multipliers = instance.get(*(x for x in fmu.references if x.startswith("lambda_")))
        values = instance.get(*(f"reactions[{i},{j}]" for i in (1, 2, 3) for j in range(1, 7)))
        assert np.abs(values - dyn.reactions(q, qd, qdd, multipliers=multipliers).ravel()).max() < 1e-10
        assert instance.get("torque_theta1")[0] == pytest.approx(2 - 0.5 * qd[0], rel=1e-14)


def test_dependencies_show_what_feeds_through(tmp_path: Path) -> None:
    """Positions and energies do not depend on the inputs: an importer closes control loops over them without iteration."""
    lg.export("four_bar", "fmu", tmp_path / "model.fmu", binary=False)
    description = fmpy.read_model_description(str(tmp_path / "model.fmu"))
    on = {x.variable.name: {y.name for y in x.dependencies} for x in (*description.outputs, *description.derivatives)}
    assert "tau_theta1" not in on["theta1"] | on["qd_theta1"] | on["C.x"] | on["kinetic_energy"] | on["der(theta1)"]
    assert "tau_theta1" in on["qdd_theta1"] & on["lambda_closure.x"] & on["der(qd_phi2)"]
    assert "qd_theta1" not in on["potential_energy"]
    assert "qd_theta1" in on["kinetic_energy"] & on["der(theta1)"]
    assert not any("time" in names for names in on.values())  # the torque of the description is one of the speed
    units = {x.name: x.unit for x in description.modelVariables}
    expected = {"theta1": "rad", "der(qd_theta1)": "rad/s2", "tau_theta1": "N.m", "m1": "kg", "l1": "m", "C.x": "m"}
    assert {name: units[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"step": 0.0}, "step"),
        ({"step": "fast"}, "step"),
        ({"binary": "yes"}, "binary"),
        ({"functions": ["jacobian:nowhere"]}, "nowhere"),
        ({"functions": ["no_such"]}, "no_such"),
        ({"functions": ["step"]}, "step needs h"),
        ({"functions": "gravity"}, "list"),
        ({"real": "float"}, "real"),
    ],
)
def test_what_cannot_be_exported_is_refused(arguments: dict[str, object], text: str) -> None:
    with pytest.raises(LagrangianError, match=text):
        lg.export("two_r", "fmu", **arguments)  # type: ignore[arg-type]


def test_what_the_fmu_leaves_out_is_reported() -> None:
    notes = " ".join(lg.export("deployable_four_bar", "fmu", binary=False).notes)
    assert "events of the description" in notes
    assert "do not stop at their limits" in " ".join(lg.export("panda", "fmu", binary=False).notes)
    assert "dry friction" in " ".join(lg.export("scara", "fmu", binary=False).notes)


@pytest.mark.parametrize(
    ("name", "called"),
    [("string", "string_"), ("FMU", "mechanism_FMU"), ("fmu_instance", "mechanism_fmu_instance"), ("model", "mechanism_model")],
)
def test_a_name_that_a_file_of_fmus_has_is_changed_and_listed(name: str, called: str, tmp_path: Path) -> None:
    listed = sources(lg.library("two_r").replace(name=name), tmp_path)
    assert f"{name} is called {called} in the code." in (tmp_path / f"{called}.h").read_text()
    run(program("gcc"), *STRICT, "-I.", "-fsyntax-only", *listed, cwd=tmp_path)

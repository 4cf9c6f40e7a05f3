"""How exported code is run at states: each gives, for every state, the results of all routines by name."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import lagrangian as lg
from lagrangian.exports.reference_values import routine_inputs
from lagrangian.functions.catalogue import package
from lagrangian.functions.routine import Routine
from tests.exports import julia_in_python
from tests.exports.compiled_c import run
from tests.exports.mechanisms import dynamics, functions, mechanism, trials
from tests.exports.reference import expected_results, relative_error

States = Sequence[dict[str, np.ndarray]]
Results = list[dict[str, np.ndarray]]
Runner = Callable[[Path, str, Sequence[Routine], States], Results]


def assert_equal_to_the_kernels(target: str, runner: Runner, name: str, folder: Path, every: bool = True) -> None:
    """Export functions of a mechanism, run them, and compare with what is compiled here."""
    m, reference, values = mechanism(name), functions(name, every), trials(name)
    lg.export(m, target, folder, functions=reference)
    routines = package(m, reference).routines
    for state, result in zip(values, runner(folder, m.name, routines, values), strict=True):
        for routine in routines:
            right = expected_results(dynamics(name), routine.name, routine_inputs(routine, state))
            assert result[routine.name].shape == right.shape, routine.name
            assert relative_error(result[routine.name], right) < 1e-12, routine.name


# -- NumPy -----------------------------------------------------------------------------------------------------------------


def module(path: Path) -> object:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def numpy_results(folder: Path, name: str, routines: Sequence[Routine], states: States) -> Results:
    """All states at once, and each alone, which must be the same."""
    code = module(folder / f"{name}.py")
    results: Results = [{} for _ in states]
    for routine in routines:
        function = getattr(code, routine.name)
        single = {x.name for x in routine.inputs if x.shape == ()}
        rows = {x.name: np.array([state[x.name] for state in states]) for x in routine.inputs}
        arguments = [x[:, 0] if name in single else x for name, x in rows.items()]
        together = function(*arguments)
        together = together if isinstance(together, tuple) else (together,)
        for k, result in enumerate(results):
            alone = function(*(x[k] for x in arguments))
            alone = alone if isinstance(alone, tuple) else (alone,)
            for x, a, b in zip(routine.outputs, alone, together, strict=True):
                assert np.shape(a) == x.shape
                assert np.shape(b) == (len(states), *x.shape)
                assert np.allclose(a, b[k], rtol=1e-13, atol=1e-13)
            result[routine.name] = np.concatenate([np.ravel(x) for x in alone])
    return results


# -- MATLAB and Octave -----------------------------------------------------------------------------------------------------


def octave(statement: str, folder: Path) -> str:
    return run("octave-cli", "--quiet", "--no-init-file", "--no-history", "--eval", statement, folder=folder)


def octave_results(folder: Path, name: str, routines: Sequence[Routine], states: States) -> Results:
    lines = ["function run_all()"]
    for state in states:
        lines += [f"  {key} = [{'; '.join(repr(float(x)) for x in values)}];" for key, values in state.items()]
        for routine in routines:
            outputs = [f"y{k}" for k in range(len(routine.outputs))]
            text = ", ".join(x.name for x in routine.inputs)
            lines.append(f"  [{', '.join(outputs)}] = {name}.{routine.name}({text});")
            for y, x in zip(outputs, routine.outputs, strict=True):
                rows, columns = (*x.shape, 1, 1)[:2]
                lines.append(f"  assert(isequal(size({y}), [{rows}, {columns}]));")
                lines.append(f"  printf('%.17g ', {y}.');")
            lines.append("  printf('\\n');")
    (folder / "run_all.m").write_text("\n".join([*lines, "end", ""]))
    return _of_lines(octave("run_all", folder).splitlines(), routines, states)


def _of_lines(lines: Sequence[str], routines: Sequence[Routine], states: States) -> Results:
    remaining_lines = iter(lines)
    return [{routine.name: np.array(next(remaining_lines).split(), dtype=float) for routine in routines} for _ in states]


# -- Rust ------------------------------------------------------------------------------------------------------------------


def rust_results(folder: Path, name: str, routines: Sequence[Routine], states: States) -> Results:
    """An example of the crate that prints all results."""
    constants = f"&{name}::DEFAULT_CONSTANTS" if "struct Constants" in (folder / "src/lib.rs").read_text() else None
    lines = ["#![allow(non_snake_case)]"]
    for k, state in enumerate(states):
        lines.append(f"fn state{k}() {{")
        for key, values in state.items():
            lines.append(f"  let _{key}: [f64; {len(values)}] = {[float(x) for x in values]};")
        for routine in routines:
            lines.append("  {")
            passed = [f"_{x.name}[0]" if x.shape == () else f"&_{x.name}" for x in routine.inputs]
            passed += [constants] if constants else []
            for j, x in enumerate(routine.outputs):
                lines.append(f"    let mut y{j} = {'0.0' if x.shape == () else f'vec![0.0; {x.size}]'};")
                passed.append(f"&mut y{j}" if x.shape == () else f"(&mut y{j}[..]).try_into().unwrap()")
            lines.append(f"    {name}::{routine.name}({', '.join(passed)});")
            for j, x in enumerate(routine.outputs):
                lines.append(f'    print!("{{:?}} ", {f"[y{j}]" if x.shape == () else f"y{j}"});')
            lines += ["    println!();", "  }"]
        lines.append("}")
    lines += ["fn main() {", *(f"  state{k}();" for k in range(len(states))), "}", ""]
    (folder / "examples").mkdir()
    (folder / "examples/run_all.rs").write_text("\n".join(lines))
    remaining_lines = iter(run("cargo", "run", "--offline", "--quiet", "--example", "run_all", folder=folder).splitlines())
    return [
        {
            routine.name: np.concatenate([ast.literal_eval(x + "]") for x in next(remaining_lines).split("]")[:-1]])
            for routine in routines
        }
        for _ in states
    ]


# -- Julia -----------------------------------------------------------------------------------------------------------------


def module_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def translated_julia_results(folder: Path, name: str, routines: Sequence[Routine], states: States) -> Results:
    """Both functions of a routine, the one that makes its arrays and the one that fills them."""
    space = julia_in_python.run((folder / f"{module_name(name)}.jl").read_text())
    results: Results = []
    for state in states:
        result = {}
        for routine in routines:
            arguments = [
                float(state[x.name][0]) if x.shape == () else julia_in_python.Array.of(float, state[x.name])
                for x in routine.inputs
            ]
            value = space[routine.name](*arguments)
            value = value if isinstance(value, tuple) else (value,)
            result[routine.name] = np.concatenate([_flat(y) for y in value])
            for y, x in zip(value, routine.outputs, strict=True):
                assert getattr(y, "shape", ()) == x.shape
        results.append(result)
    return results


def _flat(y: object) -> np.ndarray:
    return np.array(y.entries.ravel().tolist() if isinstance(y, julia_in_python.Array) else [y], dtype=float)


def julia_results(folder: Path, name: str, routines: Sequence[Routine], states: States) -> Results:
    lines = [f'include("{module_name(name)}.jl")', "shown(y) = y isa Number ? [y] : ndims(y) == 1 ? y : vec(permutedims(y))"]
    for state in states:
        lines += [f"{key} = {[float(x) for x in values]}" for key, values in state.items()]
        for routine in routines:
            text = ", ".join(f"{x.name}[1]" if x.shape == () else x.name for x in routine.inputs)
            lines.append(f"y = {module_name(name)}.{routine.name}({text})")
            lines.append('println(join((y isa Tuple ? vcat(shown.(y)...) : shown(y)), " "))')
    (folder / "run_all.jl").write_text("\n".join([*lines, ""]))
    return _of_lines(run("julia", "run_all.jl", folder=folder).splitlines(), routines, states)

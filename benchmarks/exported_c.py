"""Exported C of the Panda's inverse dynamics against Pinocchio's C++ and against C that CasADi and SymPy generate.

    python benchmarks/exported_c.py                  # all of them
    python benchmarks/exported_c.py --patience 60    # give SymPy a minute

One state after the other, scalar, on one thread; all in this process, taking turns, best of many, as ratios. Pinocchio loops
in C++ (`rneaInParallel` on one thread). CasADi and SymPy are given the recursive Newton-Euler algorithm in link axes, on their
own symbols, with the numbers of the arm written in; SymPy's result goes through its `cse`. All C is compiled by the same
compiler with the same flags.
"""

from __future__ import annotations

import argparse
import ctypes
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import lagrangian as lg
from lagrangian.peers.pinocchio import PinocchioModel

BATCH = 4096
FLAGS = {"-O2": ["-O2"], "-O3 -march=native": ["-O3", "-march=native"]}
# a loop over states in C, so that no call from Python is measured
LOOP = """
void NAME_many(const double *q, const double *qd, const double *qdd, double *tau, int count)
{
    for (int i = 0; i < count; ++i) {
        CALL
    }
}
"""


def newton_euler(arm: lg.Mechanism, functions: Any, q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any]) -> list[Any]:
    """The recursive Newton-Euler algorithm of a chain of revolute joints, as textbooks write it (Luh, Walker and Paul 1980).

    Vectors and matrices are arrays of objects: numbers, and symbols of CasADi or SymPy with their `functions` sin and cos.
    """

    def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object)

    zero = np.zeros(3, dtype=object)
    w, al, a = zero, zero, np.array([-float(g) for g in arm.gravity], dtype=object)
    links = []
    tree = lg.compile(arm).tree  # every link turns about its z axis
    for i in range(len(tree)):
        E0 = np.array(tree.constants["R"][i].reshape(3, 3), dtype=object)
        p = np.array(tree.constants["p"][i], dtype=object)
        c, s = functions.cos(q[i]), functions.sin(q[i])
        E = E0 @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]], dtype=object)
        z = np.array([0, 0, 1], dtype=object)
        a = E.T @ (a + cross(al, p) + cross(w, cross(w, p)))
        before = E.T @ w
        al = E.T @ al + z * qdd[i] + cross(before, z * qd[i])
        w = before + z * qd[i]
        mass, h = float(tree.constants["mass"][i, 0]), np.array(tree.constants["h"][i], dtype=object)
        xx, xy, xz, yy, yz, zz = tree.constants["I"][i]
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=object)
        F = mass * a + cross(al, h) + cross(w, cross(w, h))
        N = I @ al + cross(w, I @ w) + cross(h, a)
        links.append((E, p, F, N))
    f, n, results = zero, zero, []
    for E, p, F, N in reversed(links):
        f, n = f + F, n + N
        results.append(n[2])
        f, n = E @ f, E @ n
        n = n + cross(p, f)
    return results[::-1]


class Code:
    """A shared library with `NAME_many`."""

    def __init__(self, folder: Path, name: str, source: str, call: str, flags: Sequence[str]) -> None:
        text = source + LOOP.replace("NAME", name).replace("CALL", call)
        (folder / f"{name}.c").write_text(text)
        start = time.perf_counter()
        command = ["gcc", "-std=gnu99", *flags, "-shared", "-fPIC", f"{name}.c", "-lm", "-o", f"{name}.so"]
        subprocess.run(command, cwd=folder, check=True)
        self.seconds, self.size = time.perf_counter() - start, len(source)
        self.function = getattr(ctypes.CDLL(str(folder / f"{name}.so")), f"{name}_many")

    def __call__(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, out: np.ndarray) -> None:
        pointers = (a.ctypes.data_as(ctypes.c_void_p) for a in (q, qd, qdd, out))
        self.function(*pointers, ctypes.c_int(len(q)))


def ours(arm: lg.Mechanism) -> tuple[str, str]:
    export_result = lg.export(arm, "c", functions=["inverse_dynamics"])
    name = next(name for name in export_result.files if name.endswith(".h")).removesuffix(".h")
    source = str(export_result.files[f"{name}.h"]) + str(export_result.files[f"{name}.c"]).replace(f'#include "{name}.h"', "")
    return source, f"{name}_inverse_dynamics(q + 7*i, qd + 7*i, qdd + 7*i, &{name}_default_constants, tau + 7*i);"


def casadi_code(arm: lg.Mechanism) -> tuple[str, str]:
    import casadi

    q, qd, qdd = (casadi.SX.sym(name, arm.nv) for name in ("q", "qd", "qdd"))
    split = [casadi.vertsplit(x) for x in (q, qd, qdd)]
    tau = casadi.vertcat(*newton_euler(arm, casadi, *split))
    function = casadi.Function("rnea", [q, qd, qdd], [tau])
    with tempfile.TemporaryDirectory() as folder:
        generator = casadi.CodeGenerator("rnea.c", {"with_header": False})
        generator.add(function)
        generator.generate(f"{folder}/")
        source = (Path(folder) / "rnea.c").read_text()
    call = "const double *a[3] = {q + 7*i, qd + 7*i, qdd + 7*i}; double *r[1] = {tau + 7*i}; rnea(a, r, 0, 0, 0);"
    return source, call


def _sympy(arm_name: str, item: Any) -> None:
    import sympy

    arm = lg.library(arm_name)
    n = arm.nv
    q, qd, qdd = (sympy.symbols(f"{name}_0:{n}", real=True) for name in ("q", "qd", "qdd"))
    tau = newton_euler(arm, sympy, q, qd, qdd)
    common, results = sympy.cse(tau, order="none")
    text = "".join(f"    const double {symbol} = {sympy.ccode(value)};\n" for symbol, value in common)
    text += "".join(f"    tau[{k}] = {sympy.ccode(value)};\n" for k, value in enumerate(results))
    for name in ("qdd", "qd", "q"):
        for k in range(n):
            text = text.replace(f"{name}_{k}", f"{name}[{k}]")
    head = "#include <math.h>\nstatic void rnea_sympy(const double *q, const double *qd, const double *qdd, double *tau)\n{\n"
    item.send(head + text + "}\n")


def sympy_code(arm: lg.Mechanism, patience: float) -> tuple[str, str] | None:
    """None if it does not finish in time."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_sympy, args=(arm.name, there), daemon=True)
    process.start()
    there.close()
    try:
        source = here.recv() if here.poll(patience) else None
    except EOFError:
        source = None
    process.kill()
    return None if source is None else (source, "rnea_sympy(q + 7*i, qd + 7*i, qdd + 7*i, tau + 7*i);")


def best(functions: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    best_times = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            best_times[name] = min(best_times[name], time.perf_counter() - start)
    return best_times


def time_call(what: str, make: Callable[[], Any]) -> Any:
    start = time.perf_counter()
    result = make()
    seconds = time.perf_counter() - start
    message = f"{len(result[0]) / 1000:8.1f} kB" if result else "not finished"
    print(f"  {what:<40} {seconds:8.2f} s   {message}")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--patience", type=float, default=600.0, help="seconds for SymPy")
    options = parser.parse_args()
    arm = lg.library("panda").replace(frames=())
    print("Panda, inverse dynamics: to generate C")
    sources = {
        "lagrangian": time_call("lagrangian", lambda: ours(arm)),
        "CasADi": time_call("CasADi, recursive Newton-Euler", lambda: casadi_code(arm)),
        "SymPy": time_call("SymPy, recursive Newton-Euler and cse", lambda: sympy_code(arm, options.patience)),
    }
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, BATCH, arm.nv))
    expected = lg.compile(arm).inverse_dynamics(q, qd, qdd)
    peer = PinocchioModel(arm)
    pin, pool = peer.pin, peer.pin.ModelPool(peer.model, 1)
    columns, theirs = [np.asfortranarray(x.T) for x in (q, qd, qdd)], np.empty((arm.nv, BATCH), order="F")

    functions: dict[str, Callable[[], object]] = {
        "Pinocchio C++, rneaInParallel, one thread": lambda: pin.rneaInParallel(1, pool, *columns, theirs)
    }
    functions["Pinocchio C++, rneaInParallel, one thread"]()
    np.testing.assert_allclose(theirs.T, expected, rtol=1e-9, atol=1e-9)
    with tempfile.TemporaryDirectory() as folder:
        for flags, listed in FLAGS.items():
            for k, (name, value) in enumerate(sources.items()):
                if value is None:
                    continue
                code = Code(Path(folder), f"code{k}_{len(listed)}", *value, listed)
                out = np.empty((BATCH, arm.nv))
                code(q, qd, qdd, out)
                np.testing.assert_allclose(out, expected, rtol=1e-9, atol=1e-9)
                functions[f"{name} C, gcc {flags}"] = lambda code=code, out=out: code(q, qd, qdd, out)
        times = {name: seconds / BATCH for name, seconds in best(functions, options.rounds).items()}
    print(f"\nPanda, inverse dynamics, one state, scalar, one thread ({pin.__name__} {pin.__version__})")
    reference = times["lagrangian C, gcc -O2"]
    for name, seconds in times.items():
        print(f"  {name:<46} {1e9 * seconds:8.1f} ns   {seconds / reference:6.2f} of ours at -O2")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Closed-form equations against SymPy's LagrangesMethod and KanesMethod: the same arms with the same symbols, as ratios.

    python benchmarks/closed_form.py                        # every arm, each peer stopped after 60 s
    python benchmarks/closed_form.py --only puma560 --cap 600
    python benchmarks/closed_form.py --json closed_form.json

Each peer runs in a process of its own, in which our derivation is timed too, before and after it, best of many. SymPy's time is
that of building the model and forming M and the right-hand side, with nothing simplified; ours is that of the mass matrix, all
Christoffel symbols and the gravity terms in normal form. Where SymPy comes to an end, its M is held against ours at one state.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from importlib import metadata, util
from pathlib import Path
from typing import Any

import lagrangian as lg
from lagrangian.model.expression import PI, parameter

PEERS = {"lagrange": "SymPy LagrangesMethod", "kane": "SymPy KanesMethod"}
DETAILED = ("puma560", "puma560 modified", "lwr7")  # of which proof, base parameters and length are shown
Record = dict[str, Any]


def derive_ours(mechanism: lg.Mechanism, symbols: str) -> lg.EquationsOfMotion:
    """M, the Christoffel symbols and G; nobody is told of the progress."""
    return lg.derive(mechanism, symbols=symbols, limit=None, progress=lambda done, total: None)


# -- arms ----------------------------------------------------------------------------------------------------------------


def puma_modified() -> lg.Mechanism:
    quarter = PI / 2
    a2, a3, d3, d4 = (parameter(name, x) for name, x in {"a2": 0.4318, "a3": 0.0203, "d3": 0.15005, "d4": 0.4318}.items())
    rows: list[Record] = [
        {},
        {"alpha": -quarter},
        {"a": a2, "d": d3},
        {"alpha": -quarter, "a": a3, "d": d4},
        {"alpha": quarter},
        {"alpha": -quarter},
    ]
    return _modified_convention_arm("puma560 modified", rows)


def twisted_arm() -> lg.Mechanism:
    """Six joints, every length and every twist a name; without the first row's, which only place the base."""
    rows: list[Record] = [{}]
    rows += [{k: parameter(f"{k}{i}", 0.2 + 0.1 * i) for k in ("a", "d", "alpha")} for i in range(2, 7)]
    return _modified_convention_arm("general 6R", rows)


def _modified_convention_arm(name: str, rows: list[Record]) -> lg.Mechanism:
    body = {"joint": "R", "mass": 1, "inertia": (1, 1, 1)}
    return lg.Mechanism.from_dh([{**body, **row} for row in rows], convention="modified", name=name)


def urdf(name: str) -> lg.Mechanism:
    """A robot of example-robot-data without its fingers; the package carries files only, found through its list of them."""
    path = next(Path(str(f.locate())) for f in metadata.files("example-robot-data") or [] if f.name == name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arm = lg.load(path)
    joints = [
        lg.Joint(j.name, "fixed", j.parent, j.child, j.placement)
        if "finger" in j.name
        else lg.Joint(j.name, j.type, j.parent, j.child, j.placement, type_entries=j.type_entries)
        for j in arm.joints
    ]
    return lg.Mechanism(arm.name, arm.bodies, tuple(joints))


# name: the arm, and what is a symbol in it besides its inertias
ARMS: dict[str, tuple[Callable[[], lg.Mechanism], str]] = {
    "two_r": (lambda: lg.library("two_r"), "all"),
    "three_r": (lambda: lg.library("three_r"), "all"),
    "stanford": (lambda: lg.library("stanford"), "all"),
    "puma560": (lambda: lg.library("puma560"), "all"),
    "puma560 modified": (puma_modified, "all"),
    "lwr7": (lambda: lg.library("lwr7"), "all"),
    "general 6R": (twisted_arm, "all"),
    "ur5 urdf": (lambda: urdf("ur5_robot.urdf"), "inertial"),
    "panda urdf": (lambda: urdf("panda.urdf"), "inertial"),
}


# -- measuring -----------------------------------------------------------------------------------------------------------


def best(function: Callable[[], object], rounds: int, seconds: float = 3.0) -> float:
    """The shortest of at most so many calls, and of at most so many seconds."""
    result, end = float("inf"), time.perf_counter() + seconds
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        result = min(result, time.perf_counter() - start)
        if time.perf_counter() > end:
            break
    return result


class Stopped(Exception):
    """The time is up."""


def _stop(*_: object) -> None:
    raise Stopped


def child(method: str, name: str, rounds: int, cap: float) -> Record:
    """In a process of its own: our time, a peer's, and how far its M is from ours."""
    from sympy.core.cache import clear_cache

    import sympy_models

    make, symbols = ARMS[name]
    arm = make()
    eom = derive_ours(arm, symbols)
    ours = best(lambda: derive_ours(arm, symbols), rounds)
    seconds = float("inf")
    signal.signal(signal.SIGALRM, _stop)
    try:
        for _ in range(min(rounds, 3)):
            clear_cache()
            signal.setitimer(signal.ITIMER_REAL, cap)
            start = time.perf_counter()
            M, q = sympy_models.METHODS[method](eom.system)
            took = time.perf_counter() - start
            signal.setitimer(signal.ITIMER_REAL, 0)
            seconds = min(seconds, took)
            ours = min(ours, best(lambda: derive_ours(arm, symbols), rounds, 0.5))
            if took > 2:
                break
    except Stopped:
        return {"ours": ours, "seconds": None, "deviation": None}
    off = sympy_models.deviation(eom.system, eom, M, q)
    if off > 1e-8:
        raise AssertionError(f"{name}: SymPy's M by {method} is not ours: they differ by {off:.1e} of its largest entry")
    return {"ours": ours, "seconds": seconds, "deviation": off, "operators": sympy_models.operators(M)}


def peer(method: str, name: str, options: argparse.Namespace) -> Record:
    """What the child found. A peer deep in C code may not hear the clock: it is ended from here a little later."""
    command = [sys.executable, __file__, "--child", method, "--only", name]
    command += ["--rounds", str(options.rounds), "--cap", str(options.cap)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.cap + 120, check=False)
    except subprocess.TimeoutExpired:
        return {"ours": None, "seconds": None, "deviation": None}
    if done.returncode:
        raise SystemExit(f"{name}, {PEERS[method]}:\n{done.stderr}")
    record: Record = json.loads(done.stdout.splitlines()[-1])
    return record


def measure(name: str, options: argparse.Namespace, have_sympy: bool) -> Record:
    make, symbols = ARMS[name]
    arm = make()
    eom = derive_ours(arm, symbols)
    record: Record = {
        "arm": name,
        "joints": eom.n,
        "symbols": symbols,
        "ours": best(lambda: derive_ours(arm, symbols), options.rounds),
    }
    for method in PEERS if have_sympy else ():
        result = peer(method, name, options)
        record["ours"] = min(record["ours"], result.pop("ours") or record["ours"])
        record[method] = result
    return record


def details(record: Record) -> Record:
    """What else the equations give: a proof, base parameters, and the length of M as printed, beside the peers'."""
    make, symbols = ARMS[record["arm"]]
    eom = derive_ours(make(), symbols)
    start = time.perf_counter()
    certificate = eom.prove()
    proof = time.perf_counter() - start
    start = time.perf_counter()
    base = eom.base_parameters()
    grouping = time.perf_counter() - start
    return {
        "arm": record["arm"],
        "proved": bool(certificate),
        "proof": proof,
        "base": len(base),
        "grouping": grouping,
        "operators": {"ours": eom.display_form.M.operator_count, **{m: record[m].get("operators") for m in PEERS if m in record}},
    }


# -- showing -------------------------------------------------------------------------------------------------------------


def length(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def cell(record: Record, method: str, cap: float) -> str:
    """A peer's time and its ratio to ours."""
    if method not in record:
        return f"{'not installed':>32}"
    seconds, ours = record[method]["seconds"], record["ours"]
    if seconds is None:
        return f"{f'>{cap:g} s (stopped)':>18} {f'>= {cap / ours:,.0f} x':>13}"
    return f"{length(seconds):>18} {f'{seconds / ours:,.0f} x':>13}"


def show(record: Record, cap: float) -> None:
    peers = "".join(cell(record, method, cap) for method in PEERS)
    print(f"{record['arm']:<18}{record['joints']:>3}  {record['symbols']:<9}{length(record['ours']):>10}{peers}", flush=True)


def show_details(values: Record) -> None:
    verdict = "" if values["proved"] else "NOT proved, "
    operators = "".join(f"{count or 'unknown':>18}" for count in values["operators"].values())
    grouping = f"{values['base']} in {length(values['grouping'])}"
    print(f"{values['arm']:<18}{verdict + length(values['proof']):>24}{grouping:>24}{operators}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=tuple(ARMS), default=None, help="one arm")
    parser.add_argument("--rounds", type=int, default=30, help="repetitions of ours, of which the best counts")
    parser.add_argument("--cap", type=float, default=60.0, help="seconds after which a peer is stopped")
    parser.add_argument("--json", type=Path, default=None, help="write the figures to this file")
    parser.add_argument("--child", choices=tuple(PEERS), default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core, so that nothing moves between them
    if options.child:
        print(json.dumps(child(options.child, options.only, options.rounds, options.cap)))
        return
    have = util.find_spec("sympy") is not None
    print(f"peers: SymPy {metadata.version('sympy') if have else 'not installed'}; each stopped after {options.cap:g} s\n")
    print(f"{'arm':<18}{'n':>3}  {'symbols':<9}{'lagrangian':>10}" + "".join(f"{name:>32}" for name in PEERS.values()))
    chosen = [options.only] if options.only else list(ARMS)
    records = []
    for name in chosen:
        records.append(measure(name, options, have))
        show(records[-1], options.cap)
    results = []
    detailed = [record for record in records if record["arm"] in DETAILED]
    if detailed:
        print(f"\n{'':<18}{'':>24}{'':>24}   operators of M as written")
        names = "".join(f"{name.removeprefix('SymPy '):>18}" for name in ("lagrangian", *PEERS.values()))
        print(f"{'arm':<18}{'time to prove':>24}{'base parameters':>24}{names}")
    for record in detailed:
        results.append(details(record))
        show_details(results[-1])
    if options.json:
        options.json.write_text(json.dumps({"cap": options.cap, "arms": records, "details": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()

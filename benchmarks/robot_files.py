"""Every robot file under a folder: does it load, and does it agree with what Pinocchio or MuJoCo makes of it?

    python benchmarks/robot_files.py FOLDER                     # all URDF, MJCF and SDF files
    python benchmarks/robot_files.py FOLDER --format mjcf       # only those of a format
    python benchmarks/robot_files.py FOLDER --list refused      # name the files of a class, with the reason
    python benchmarks/robot_files.py FOLDER --json found.json   # everything that was found, to look at later

A URDF is compared with Pinocchio, an MJCF file with MuJoCo, at random states: the torques of inverse dynamics, with springs and
viscous friction where the other program has them (MuJoCo), without loops, dry friction, contacts and actuators. SDF is loaded;
`sdf_by_drake.py` compares it with Drake. MJCF files may name files anywhere in FOLDER. Each file is read by a worker, which may
crash or hang without harm.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np

FORMATS = {"robot": "urdf", "mujoco": "mjcf", "sdf": "sdf"}
SUFFIXES = (".urdf", ".xml", ".mjcf", ".sdf", ".world")
SECONDS = 180.0  # that a file may take
STATES = 4
AGREE = 1e-8
LARGEST = 200  # joints of mechanisms that are compared
# warnings of what the comparison leaves out anyhow, and of what is only text, explain no difference; a dcmotor has a rotor, too
NO_REASON = re.compile(
    r"<actuator>(?! dcmotor)|of actuators|actuatorfrcrange|frictionloss|range of a tendon|<equality>|"
    r"a comment that|XML declaration|an end tag|without a blank"
)
PROGRAMS = {"urdf": "Pinocchio", "mjcf": "MuJoCo"}
# what a file comes to, in the order in which it is told
CLASSES = {
    "agrees": "loaded by both, and equal to 1e-8",
    "said": "loaded by both, and different, as a warning of ours says",
    "noted": "loaded by both, and different, as a note of ours says that the other program reads the file otherwise",
    "differs": "loaded by both, and different without a word",
    "not compared": "loaded by both, and not compared",
    "refused": "loaded by the other program alone",
    "ours alone": "loaded by us alone",
    "neither": "loaded by neither",
    "loaded": "loaded, with nothing to compare it with",
    "not loaded": "not loaded, with nothing to compare it with",
    "foreign": "our reader raised an exception that is not its own",
    "crash": "the worker crashed",
    "hang": f"the worker took more than {SECONDS:.0f} s",
}


@dataclass
class Found:
    """What became of one file."""

    file: str
    format: str
    outcome: str
    reason: str = ""
    difference: float = 0.0
    load_seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)


# -- in a worker -------------------------------------------------------------------------------------------------------


def look(file: str, kind: str, folder: str) -> Found:
    """Load a file by both, and compare."""
    import lagrangian as lg

    # Pinocchio does not know of a file beside a URDF that closes its loops
    options: dict[str, Any] = {"mjcf": {"root": folder}, "urdf": {"loops": False}}.get(kind, {})
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            mechanism, ours = lg.load(file, **options), ""
        except lg.LagrangianError as error:
            mechanism, ours = None, str(error)
        except Exception:
            return Found(file, kind, "foreign", traceback.format_exc().splitlines()[-1], time.perf_counter() - start)
    finding = Found(file, kind, "loaded", "", 0.0, time.perf_counter() - start, [str(x.message) for x in said])
    if kind == "sdf":
        return finding if mechanism else replace(finding, outcome="not loaded", reason=ours)
    theirs, problem = _model(file, kind)
    if mechanism is None:
        return replace(finding, outcome="neither" if theirs is None else "refused", reason=ours)
    if theirs is None:
        return _alone(replace(finding, outcome="ours alone", reason=problem), mechanism)
    if len(mechanism.joints) > LARGEST:
        return replace(finding, outcome="not compared", reason=f"it has more than {LARGEST} joints")
    return _compare(finding, mechanism, kind, theirs)


def _model(file: str, kind: str) -> tuple[Any, str]:
    """What the other program makes of a file, or why it does not."""
    try:
        if kind == "mjcf":
            return import_module("mujoco").MjModel.from_xml_path(file), ""
        return import_module("pinocchio").buildModelFromUrdf(file), ""
    except Exception as error:  # of C++, of any kind
        return None, str(error).strip()


STAND_INS = "with stand-ins for files that are missing it "


def _alone(finding: Found, mechanism: Any) -> Found:
    """A file that MuJoCo refuses because meshes or textures are missing, which we did not need, is compared without these."""
    try:
        model = _with_stand_ins(finding.file) if finding.format == "mjcf" else None
    except Exception:  # of C++, of any kind
        model = None
    if model is None or len(mechanism.joints) > LARGEST:
        return finding
    compared = _compare(finding, mechanism, "mjcf", model)
    return (
        compared if compared.outcome == "differs" else replace(finding, reason=f"{STAND_INS}{compared.outcome}: {finding.reason}")
    )


def _with_stand_ins(file: str) -> Any:
    """MuJoCo's model, without textures, and with a tetrahedron for each mesh that is missing."""
    spec = import_module("mujoco").MjSpec.from_file(file)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for texture in list(spec.textures):
        spec.delete(texture)
    here = Path(file).absolute().parent
    for mesh in spec.meshes:
        if mesh.file and not any((folder / mesh.file).is_file() for folder in (here / spec.meshdir, here)):
            mesh.name = mesh.name or Path(mesh.file).stem
            mesh.file, mesh.uservert = "", [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    return spec.compile()


def _compare(finding: Found, mechanism: Any, kind: str, theirs: Any) -> Found:
    from lagrangian.peers.models import JointMismatchError

    try:
        difference = _largest_difference(mechanism, kind, theirs)
    except JointMismatchError as error:
        difference, finding = np.inf, replace(finding, reason=str(error))
    except NotCompared as error:
        return replace(finding, outcome="not compared", reason=str(error))
    finding = replace(finding, difference=float(difference))
    if difference <= AGREE:
        return replace(finding, outcome="agrees")
    said = [text for text in finding.warnings if not NO_REASON.search(text)]
    noted = [text for text in mechanism.notes if PROGRAMS[kind] in text]
    outcome = "said" if said else "noted" if noted else "differs"
    return replace(finding, outcome=outcome, reason=finding.reason or (noted[0] if outcome == "noted" else ""))


class NotCompared(Exception):
    """Why two models cannot be compared."""


def _largest_difference(m: Any, kind: str, theirs: Any) -> float:
    """Of the torques at random states, as a part of the largest."""
    import lagrangian as lg
    from lagrangian.configuration.coordinates import integrate
    from lagrangian.peers.models import without_forces

    m = m.replace(loops=(), constraints=(), events=())
    if kind == "mjcf":
        m = m.replace(
            joints=tuple(
                replace(j, friction=replace(j.friction, coulomb=0, coulomb_negative=None, static=None)) for j in m.joints
            )
        )
        peer = _mujoco(m, theirs)
    else:
        m = without_forces(m)
        peer = _pinocchio(m, theirs)
    if m.nv == 0:
        return 0.0
    rng = np.random.default_rng(0)
    dyn = lg.compile(m)
    worst = largest = 0.0
    for _ in range(STATES):
        q, qd, qdd = (
            integrate(m, m.neutral(), rng.uniform(-1, 1, m.nv)),
            rng.normal(size=m.nv),
            rng.normal(size=m.nv),
        )
        ours, other = dyn.inverse_dynamics(q, qd, qdd), peer.inverse_dynamics(q, qd, qdd)
        worst, largest = max(worst, float(np.abs(ours - other).max())), max(largest, float(np.abs(other).max()))
    return worst / max(largest, 1e-12)


def _pinocchio(m: Any, model: Any) -> Any:
    from lagrangian.peers.pinocchio import read_urdf

    peer, why = read_urdf(m)
    if peer is None:
        raise NotCompared(why)
    return peer


def _mujoco(m: Any, model: Any) -> Any:
    """MuJoCo's model, its joints matched to ours by their order, with its springs and dampers."""
    from lagrangian.peers.models import JointMismatchError, moving_steps
    from lagrangian.peers.mujoco import MuJoCoModel

    if any("free joint aligned" in note for note in m.notes):
        raise NotCompared("MuJoCo aligns a free joint with the inertia of what it carries")
    moving = [joint for joint in m.joints if moving_steps(joint)]
    if len(moving) != model.njnt:
        raise JointMismatchError(f"MuJoCo has {model.njnt} joints, and we have {len(moving)}")

    class InOrder(MuJoCoModel):
        def __init__(self) -> None:
            self.mujoco, self.m, self.model = import_module("mujoco"), m, model
            off = self.mujoco.mjtDisableBit
            model.opt.disableflags |= int(off.mjDSBL_CONTACT) | int(off.mjDSBL_CONSTRAINT) | int(off.mjDSBL_ACTUATION)
            model.jnt_actgravcomp[:] = 0  # what compensates weight does so without actuators, as ours does
            self.data = self.mujoco.MjData(model)
            self._set_indices()

        def _number(self, joint: Any, step: int) -> int:
            return moving.index(joint)

    return InOrder()


def work(pipe: Connection, folder: str) -> None:
    """Take files from a pipe, and give back what was found, until there is none."""
    null = os.open(os.devnull, os.O_WRONLY)  # what libraries of C++ print
    os.dup2(null, 1)
    os.dup2(null, 2)
    while (arguments := pipe.recv()) is not None:
        try:
            pipe.send(look(*arguments, folder))
        except Exception:
            pipe.send(Found(*arguments, "foreign", traceback.format_exc().splitlines()[-1]))


# -- around the workers ------------------------------------------------------------------------------------------------


class Worker:
    """A process that reads files one after the other."""

    def __init__(self, folder: Path) -> None:
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=work, args=(other, str(folder)), daemon=True)
        self.process.start()
        other.close()
        self.task: tuple[str, str] | None = None
        self.since = 0.0

    def take(self, task: tuple[str, str]) -> None:
        self.task, self.since = task, time.perf_counter()
        self.pipe.send(task)

    def end(self) -> None:
        self.process.kill()
        self.process.join()


def all_found(tasks: list[tuple[str, str]], count: int, folder: Path) -> Iterator[Found]:
    """What became of each file, as soon as it is known."""
    waiting = list(reversed(tasks))
    workers = [Worker(folder) for _ in range(min(count, len(tasks)))]
    while any(w.task for w in workers) or waiting:
        for w in workers:
            if w.task is None and waiting:
                w.take(waiting.pop())
        wait([w.pipe for w in workers if w.task], timeout=1.0)
        for k, w in enumerate(workers):
            if w.task is None:
                continue
            outcome = ""
            if w.pipe.poll():
                try:
                    yield w.pipe.recv()
                    w.task = None
                except EOFError:
                    outcome = "crash"
            elif time.perf_counter() - w.since > SECONDS:
                outcome = "hang"
            if outcome and w.task:
                yield Found(*w.task, outcome)
                w.end()
                workers[k] = Worker(folder)
    for w in workers:
        w.end()


def robot_files(folder: Path) -> Iterator[tuple[str, str]]:
    """The files that describe robots, each with its format, which the first element tells."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            head = path.read_bytes()[:20_000].decode("utf-8", "replace")
            root = re.match(r"\s*(?:(?:<\?.*?\?>|<!--.*?-->|<!.*?>)\s*)*<(\w+)", head.lstrip("\ufeff"), re.DOTALL)
            if root and root.group(1) in FORMATS:
                yield str(path), FORMATS[root.group(1)]


def alike(reason: str) -> str:
    """A reason without what is particular to a file."""
    reason = re.sub(r"^.*?\.(?:urdf|xml|mjcf|sdf|world)(?::\d+)?:\s*", "", reason.splitlines()[0] if reason else "")
    return re.sub(r"(['\"]).*?\1|-?\d[\w.+-]*", "_", reason)[:150]


def report(results: list[Found], listed: list[str]) -> None:
    for kind in FORMATS.values():
        of_kind = [x for x in results if x.format == kind]
        if not of_kind:
            continue
        counts = Counter(x.outcome for x in of_kind)
        print(f"\n{kind}: {len(of_kind)} files")
        for outcome, meaning in CLASSES.items():
            if counts[outcome]:
                print(f"  {counts[outcome]:5}  {outcome:<13} {meaning}")
        peer = sum(counts[x] for x in ("agrees", "said", "noted", "differs", "not compared", "refused"))
        if peer and kind != "sdf":
            print(f"  of {peer} that the other program loads, {100 * (1 - counts['refused'] / peer):.2f} % load here")
        if alike_alone := sum(x.reason.startswith(f"{STAND_INS}agrees") for x in of_kind):
            print(
                f"  of those that load here alone, {alike_alone} agree where stand-ins for missing files let the other load them"
            )
        times = sorted(x.load_seconds for x in of_kind)
        print(f"  seconds to load: median {times[len(times) // 2]:.3f}, largest {times[-1]:.2f}")
        for outcome in ("noted", "differs", "refused", "not loaded", "foreign", "crash", "hang"):
            reasons = Counter(alike(x.reason) for x in of_kind if x.outcome == outcome)
            for reason, count in reasons.most_common(25):
                print(f"    {outcome}: {count:4}  {reason}")
    for x in results:
        if x.outcome in listed:
            print(f"{x.outcome}: {x.file}: {x.reason or x.difference}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--format", choices=list(FORMATS.values()), help="Only files of this format.")
    parser.add_argument("--list", action="append", default=[], choices=list(CLASSES), help="Name the files of a class.")
    parser.add_argument("--json", type=Path, help="Write all that was found to this file.")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    tasks = [task for task in robot_files(options.folder) if options.format in (None, task[1])]
    results = []
    try:
        for x in all_found(tasks, options.workers, options.folder):
            results.append(x)
            print(f"\r{len(results)} of {len(tasks)}", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("\ninterrupted; what was found until then:", file=sys.stderr)
    report(sorted(results, key=lambda x: x.file), options.list)
    if options.json:
        options.json.write_text(json.dumps([asdict(x) for x in results], indent=1))


if __name__ == "__main__":
    main()

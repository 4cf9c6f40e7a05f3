"""How a run can be reproduced from a page: by a fragment of TOML, a command, or lines of Python.

For this the page knows the file of the mechanism and the arguments of the run, apart from its start.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lagrangian.description.load import library_mechanism, library_names
from lagrangian.errors import LagrangianError
from lagrangian.model.event import DEAD_CENTRE, Event
from lagrangian.model.expression import parameters
from lagrangian.model.expression.scalar import NumberWithSource
from lagrangian.model.initial_state import PartialState
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.motion.simulate import simulate
from lagrangian.motion.torque import Torque, source
from lagrangian.page_motion.rerun import event_arguments, solver_options

VALUE_OPTIONS = ("method", "rtol", "atol", "step", "stabilisation", "alpha", "beta")  # options of the command that have a value
FLAG_OPTIONS = {"off_constraint": "--off-constraint", "limits": "--no-limits"}  # others, where they are not as by default
NO_SOURCE = 'This mechanism is not in a file: save it first, lg.save(mechanism, "m.toml"), and load it from there.'


def reproduction_data(motion: Motion) -> dict[str, Any]:
    """The data by which a page writes how its motion is reproduced.

    `library` is the name of the mechanism in the library, `file` that of its file, and `set` has the parameters that differ.
    `follows` says whether the start follows the parameters as the file has it, so that no other start has to be written.
    `words` and `arguments` are the rest of the run, for a command and for Python; `missing` is what Python leaves open.
    `unwritten` says why there is no text of a form, by the forms.
    """
    model = motion.model("a page that computes needs")
    source, run_arguments = find_source(model), RunArguments(motion, model)
    location, no_source = source or MechanismSource(), [] if source else [NO_SOURCE]
    return {
        "library": location.library,
        "file": location.file,
        "set": location.values,
        "named": list(model.parameters),
        "follows": not model.equation_count or _start_follows_parameters(model),
        "words": run_arguments.words,
        "arguments": run_arguments.arguments,
        "missing": run_arguments.python_problem,
        "unwritten": {"command": " ".join([*no_source, *run_arguments.command_problems]), "python": " ".join(no_source)},
    }


def _start_follows_parameters(model: Mechanism) -> bool:
    """Whether the start is written with the parameters, or leaves coordinates open."""
    q = model.initial.q
    return q is None or isinstance(q, PartialState) or any(isinstance(x, NumberWithSource) and parameters(x.source) for x in q)


class RunArguments:
    """The arguments of a run: `arguments` are texts of Python, `words` those of a command.

    `command_problems` are sentences that say why there is no command; `python_problem` says what a text in Python leaves open.
    """

    def __init__(self, motion: Motion, model: Mechanism) -> None:
        self.arguments: list[str] = []
        self.words: list[str] = []
        self.command_problems: list[str] = []
        trajectory = motion.trajectory
        self.python_problem = ""
        if trajectory is None:
            return
        drive: Torque = trajectory.supply.source
        self.python_problem = _unwritable_torque(drive)
        if self.python_problem:
            self.command_problems.append(f"{self.python_problem}, so no command can reproduce it.")
        else:
            self._torques(drive, model)
        self._wrenches(drive)
        if drive.saturate:
            self._add("saturate", True, "--saturate")
        self._events(motion, model)
        self._options(solver_options(trajectory.settings))

    def _add(self, name: str, value: Any, *words: str) -> None:
        self.arguments.append(f"{name}={value!r}")
        self.words += words

    def _torques(self, drive: Torque, model: Mechanism) -> None:
        """Add the torques as formulas, unless they are those of the description."""
        torques, default_torques = _texts(drive.formulas), _texts(source(None, model).formulas)
        if torques != default_torques:
            self._add(
                "torque",
                torques,
                *(word for name, x in torques.items() for word in ("--torque", f"{quote_argument_name(name)}={x}")),
            )
            self.words += [] if torques else ["--torque", "0"]

    def _wrenches(self, drive: Torque) -> None:
        if not drive.wrenches:
            return
        wrenches = {w.frame.name: tuple(map(_number_or_text, w.entries)) for w in drive.wrenches}
        words = (("--wrench", f"{quote_argument_name(name)}={','.join(map(str, entries))}") for name, entries in wrenches.items())
        self._add("wrenches", wrenches, *(word for pair in words for word in pair))

    def _events(self, motion: Motion, model: Mechanism) -> None:
        changed, added = event_arguments(motion, model)
        event_codes = [f"{name!r}: {action!r}" for name, action in changed.items()]
        for name, action in changed.items():
            self.words += ["--at-event", f"{quote_argument_name(name)}={action}"]
        for event in added:
            event_codes.append(f"{event.name!r}: {_event_code(event)}")
            if event.action == "stop" and event.direction == "both":
                self.words.append(f"--event={_event_expression(event)}")
            else:
                self.command_problems.append(
                    f"The command line has no option for the event {event.name!r}; --event only stops a run."
                )
        if event_codes:
            self.arguments.append(f"events={{{', '.join(event_codes)}}}")

    def _options(self, options: Mapping[str, Any]) -> None:
        defaults = inspect.signature(simulate).parameters
        for name, x in options.items():
            if x == defaults[name].default:
                continue
            if name in VALUE_OPTIONS:
                self._add(name, x, f"--{name}", str(x))
            elif name in FLAG_OPTIONS:
                self._add(name, x, FLAG_OPTIONS[name])
            else:
                self._add(name, x)
                self.command_problems.append(f"The command line has no option for {name}, which is {x:g} here.")


def quote_argument_name(name: str) -> str:
    """A name as the command line reads it: between backquotes, unless it is plain."""
    return name if re.fullmatch(r"[\w.]+", name) else f"`{name}`"


def _texts(formulas: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(x) for name, x in formulas.items()}


def _number_or_text(x: Any) -> float | str:
    return float(x) if isinstance(x, (int, float)) else str(x)


def _event_expression(event: Event) -> str:
    return DEAD_CENTRE.name if event.when == DEAD_CENTRE else str(event.when)


def _event_code(event: Event) -> str:
    direction = "" if event.direction == "both" else f", {event.direction!r}"
    return f"lg.Event({_event_expression(event)!r}, {event.action!r}{direction})"


def _unwritable_torque(drive: Torque) -> str:
    python_function = drive.called or drive.traced or (drive.sampled.function if drive.sampled is not None else None)
    if python_function is not None:
        return "The torques of this motion come from Python"
    return "The torques of this motion come from a table" if drive.table is not None else ""


@dataclass(frozen=True)
class MechanismSource:
    """The name of a mechanism in the library, or of its file, and the parameters whose values differ there."""

    library: str = ""
    file: str = ""
    values: dict[str, float] = field(default_factory=dict)


def find_source(model: Mechanism) -> MechanismSource | None:
    """The library entry or file that gives this mechanism when some parameters have its values; None if there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warnings were shown when the mechanism was made
        try:
            toml = _text(model)
            for location, candidate in _candidates(model):
                changed = _changed_parameters(candidate, model)
                if set(candidate.parameters) == set(model.parameters) and _text(candidate.with_parameters(changed)) == toml:
                    return MechanismSource(**location, values=changed)
        except (LagrangianError, OSError):
            return None  # it cannot be written, or its file cannot be read any more
    return None


def _candidates(model: Mechanism) -> Iterator[tuple[dict[str, str], Mechanism]]:
    """The mechanisms of the library and on disk that have the file name of this one."""
    from lagrangian.description.load import SUFFIXES, load

    file = Path(model.file)
    if file.name == model.file and file.stem in library_names():
        yield {"library": file.stem}, library_mechanism(file.stem)
    if file.suffix.lower() in SUFFIXES and file.is_file():
        yield {"file": file.name}, load(file)


def _changed_parameters(candidate: Mechanism, model: Mechanism) -> dict[str, float]:
    """The parameters whose values differ, without those that follow from others."""
    theirs, ours = _free_parameters(candidate), _free_parameters(model)
    return {name: x for name, x in ours.items() if name in candidate.parameters and theirs.get(name) != x}


def _free_parameters(model: Mechanism) -> dict[str, float]:
    return {name: float(x) for name, x in model.parameters.items() if x.operation == "symbol" and x.name == name}


def _text(model: Mechanism) -> str:
    from lagrangian.description.toml.writer import to_toml

    return to_toml(model)

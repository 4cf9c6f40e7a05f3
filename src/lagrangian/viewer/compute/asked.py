"""What a run was asked for beside its mechanism and its start: as arguments of `simulate`, and as words of the command."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from lagrangian.computing.rerun import events_of, options_of
from lagrangian.model.event import DEAD_CENTRE, Event
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.motion.simulate import simulate
from lagrangian.motion.torque import Torque, source

VALUED = ("method", "rtol", "atol", "step", "stabilisation", "alpha", "beta")  # options of the command that have a value
FLAGS = {"off_constraint": "--off-constraint", "limits": "--no-limits"}  # others, where they are not as by default


class Asked:
    """`arguments` are texts of Python, `words` those of a command.

    `lacking` says, in whole sentences, why there is no command; `missing` what of the run a text in Python leaves open.
    """

    def __init__(self, motion: Motion, model: Mechanism) -> None:
        self.arguments: list[str] = []
        self.words: list[str] = []
        self.lacking: list[str] = []
        trajectory = motion.trajectory
        self.missing = ""
        if trajectory is None:
            return
        drive: Torque = trajectory.supply.source
        self.missing = _missing(drive)
        if self.missing:
            self.lacking.append(f"{self.missing}, so no command can reproduce it.")
        else:
            self._torques(drive, model)
        self._wrenches(drive)
        if drive.saturate:
            self._add("saturate", True, "--saturate")
        self._events(motion, model)
        self._options(options_of(trajectory.settings))

    def _add(self, name: str, value: Any, *words: str) -> None:
        self.arguments.append(f"{name}={value!r}")
        self.words += words

    def _torques(self, drive: Torque, model: Mechanism) -> None:
        """As formulas, where they are not those of the description."""
        given, own = _texts(drive.formulas), _texts(source(None, model).formulas)
        if given != own:
            self._add("torque", given, *(word for name, x in given.items() for word in ("--torque", f"{plain(name)}={x}")))
            self.words += [] if given else ["--torque", "0"]

    def _wrenches(self, drive: Torque) -> None:
        if not drive.wrenches:
            return
        given = {w.frame.name: tuple(map(_number_or_text, w.entries)) for w in drive.wrenches}
        words = (("--wrench", f"{plain(name)}={','.join(map(str, entries))}") for name, entries in given.items())
        self._add("wrenches", given, *(word for pair in words for word in pair))

    def _events(self, motion: Motion, model: Mechanism) -> None:
        changed, added = events_of(motion, model)
        texts = [f"{name!r}: {action!r}" for name, action in changed.items()]
        for name, action in changed.items():
            self.words += ["--at-event", f"{plain(name)}={action}"]
        for event in added:
            texts.append(f"{event.name!r}: {_event(event)}")
            if event.action == "stop" and event.direction == "both":
                self.words.append(f"--event={_when(event)}")
            else:
                self.lacking.append(f"The command line has no option for the event {event.name!r}; --event only stops a run.")
        if texts:
            self.arguments.append(f"events={{{', '.join(texts)}}}")

    def _options(self, options: Mapping[str, Any]) -> None:
        usual = inspect.signature(simulate).parameters
        for name, x in options.items():
            if x == usual[name].default:
                continue
            if name in VALUED:
                self._add(name, x, f"--{name}", str(x))
            elif name in FLAGS:
                self._add(name, x, FLAGS[name])
            else:
                self._add(name, x)
                self.lacking.append(f"The command line has no option for {name}, which is {x:g} here.")


def plain(name: str) -> str:
    """A name as the command line reads it: between backquotes, unless it is plain."""
    return name if re.fullmatch(r"[\w.]+", name) else f"`{name}`"


def _texts(formulas: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(x) for name, x in formulas.items()}


def _number_or_text(x: Any) -> float | str:
    return float(x) if isinstance(x, (int, float)) else str(x)


def _when(event: Event) -> str:
    return DEAD_CENTRE.name if event.when == DEAD_CENTRE else str(event.when)


def _event(event: Event) -> str:
    way = "" if event.direction == "both" else f", {event.direction!r}"
    return f"lg.Event({_when(event)!r}, {event.action!r}{way})"


def _missing(drive: Torque) -> str:
    called = drive.called or drive.traced or (drive.sampled.function if drive.sampled is not None else None)
    if called is not None:
        return "The torques of this motion come from Python"
    return "The torques of this motion come from a table" if drive.table is not None else ""

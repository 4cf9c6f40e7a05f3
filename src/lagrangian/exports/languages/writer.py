"""Routines as lines of a language: straight-line code, loops over links, sequences of calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from lagrangian.exports.languages.language import Language, Text
from lagrangian.exports.languages.loops import Loops
from lagrangian.exports.routine import Argument, Call, Rolled, Routine, Straight
from lagrangian.exports.routine import Sequence as Calls
from lagrangian.kernels.trace.node import NUMBERS, PREPARED, Trace
from lagrangian.kernels.trace.pieces import KEPT, pieces
from lagrangian.kernels.trace.schedule import Schedule, schedule

CONSTANTS = "k"  # the array of the constants of the model
# operations whose arguments are read several times, and are therefore given names
SEVERAL = ("choose", "by_sign")

Read = Callable[[str, int], str]
Store = Callable[[int, str], None]


class Lines:
    """Lines of code with their indentation."""

    def __init__(self, language: Language, depth: int = 0) -> None:
        self.language, self.depth = language, depth
        self.found: list[str] = []

    def add(self, *lines: str) -> None:
        self.found += [f"{self.language.indent * self.depth}{line}" if line else "" for line in lines]

    def open(self, line: str) -> None:
        self.add(line)
        self.depth += 1

    def close(self) -> None:
        self.depth -= 1
        if self.language.close is not None:
            self.add(self.language.close)

    def next_branch(self, line: str) -> None:
        """End a branch and open the next."""
        self.depth -= 1
        if self.language.close is not None and not self.language.chained:
            self.add(self.language.close)
        self.open(line)


def routine_lines(language: Language, routine: Routine, called: dict[str, Routine]) -> list[str]:
    """The function of a routine; `called` are those that it may call, by name."""
    # a preparation is run rarely, and stays whole
    if isinstance(routine.body, Straight) and NUMBERS not in (x.name for x in routine.inputs):
        scheduled = schedule(routine.body.trace, fused=False)
        if len(scheduled.operations) > language.whole:
            return _in_pieces(language, routine, scheduled)
    lines = Lines(language)
    lines.add(*language.opening(routine))
    lines.depth += 1
    match routine.body:
        case Straight(trace):
            _straight(lines, routine, trace)
        case Rolled():
            Loops(lines, routine, routine.body, straight).write()
        case Calls():
            _sequence(lines, routine, routine.body, called)
    lines.depth -= 1
    lines.add(*language.closing(routine))
    return lines.found


def _straight(lines: Lines, routine: Routine, trace: Trace) -> None:
    language, texts = lines.language, [""] * len(trace.outputs)
    inputs = {x.name: x for x in routine.inputs}
    straight(lines, schedule(trace, fused=False), _reader(language, inputs), texts.__setitem__)
    lines.add(*language.results(routine, _named(lines, texts, "y")))


def _in_pieces(language: Language, routine: Routine, scheduled: Schedule) -> list[str]:
    """Long straight-line code as functions that are called in turn: a compiler's time grows faster than the length of one."""
    (parts,), kept = pieces(scheduled, [routine.size], language.whole)
    places = [language.place(x, k) for x in routine.outputs for k in range(x.size)]
    shared = Argument(KEPT, (max(1, kept),), "what one part leaves to later ones", output=True)
    found, calls = [], []
    for k, part in enumerate(parts):
        one = replace(routine, name=f"{routine.name}_part{k + 1}", outputs=(*routine.outputs, shared), hidden=True)
        lines = Lines(language)
        lines.add(*language.opening(one))
        lines.depth += 1
        texts: dict[int, str] = {}
        straight(lines, part, _reader(language, {x.name: x for x in routine.inputs}), texts.__setitem__)
        lines.add(*(language.assignment(places[position], text) for position, text in texts.items()))
        lines.depth -= 1
        found += [*lines.found, *language.closing(one), ""]
        calls.append(one)
    whole = replace(routine, body=Calls(()))
    lines = Lines(language)
    lines.add(*language.opening(whole))
    lines.depth += 1
    lines.add(language.array(KEPT, max(1, kept)))
    for one in calls:
        lines.add(*language.call(one, [x.name for x in one.inputs], [x.name for x in one.outputs]))
    lines.depth -= 1
    lines.add(*language.closing(whole))
    return [*found, *lines.found]


def _named(lines: Lines, texts: Sequence[str], prefix: str) -> list[str]:
    """Names for expressions that are all to be known before the first is assigned: outputs may be the arrays that are read."""
    found = []
    for k, text in enumerate(texts):
        if not text.isidentifier():
            lines.add(lines.language.constant(f"{prefix}{k}", text))
            text = f"{prefix}{k}"
        found.append(text)
    return found


def _reader(language: Language, inputs: dict[str, Argument]) -> Read:
    def read(name: str, index: int) -> str:
        if name == PREPARED:
            return language.element(CONSTANTS, index)
        return language.place(inputs[name], index) if name in inputs else language.element(name, index)

    return read


def straight(lines: Lines, scheduled: Schedule, read: Read, store: Store, prefix: str = "v") -> None:
    """All operations of a schedule: what is used once stands where it is used, as long as a line stays short."""
    language = lines.language
    uses: Counter[int] = Counter()
    for name, _, given in scheduled.operations:
        if name not in ("input", "angle"):
            uses.update(given[1:] if name in ("output", "keep") else given)
            uses.update(given if name in SEVERAL else ())
    texts = {k: _literal(language, x) for k, x in scheduled.constants.items()}
    count = 0
    for name, result, given in scheduled.operations:
        if name == "output":
            store(given[0], texts[given[1]].text)
        elif name == "keep":
            lines.add(language.assignment(language.element(KEPT, given[0]), texts[given[1]].text))
        elif name in ("input", "angle"):
            texts[result] = Text(read(given[0], given[1]))
        else:
            found = language.formula(name, [texts[k] for k in given])
            if uses[result] > 1 or len(found.text) > language.longest:
                count += 1
                lines.add(language.constant(f"{prefix}{count}", found.text))
                found = Text(f"{prefix}{count}")
            texts[result] = found


def _literal(language: Language, x: float) -> Text:
    text = language.number(x)
    return Text(text if not text.startswith("-") else f"({text})")


def _sequence(lines: Lines, routine: Routine, body: Calls, called: dict[str, Routine]) -> None:
    language = lines.language
    known = {x.name: x for x in (*routine.inputs, *routine.outputs)}
    sizes = {**body.arrays, **{x.name: x.size for x in routine.outputs}}
    if language.declares:
        lines.add(*(language.array(name, size) for name, size in body.arrays.items()))
    for k, step in enumerate(body.steps):
        if isinstance(step, Call):
            lines.add(*language.call(called[step.routine], step.inputs, step.outputs))
            continue
        texts = [""] * len(step.trace.outputs)
        read = _reader(language, known)
        straight(lines, schedule(step.trace, fused=False), read, texts.__setitem__, f"s{k}_")
        texts = _named(lines, texts, f"y{k}_")
        for name in step.outputs:
            places = [read(name, i) for i in range(sizes[name])]
            lines.add(*language.filled(name, places, texts[: sizes[name]]))
            texts = texts[sizes[name] :]

"""Routines as lines of a language: straight-line code, loops over links, sequences of calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from lagrangian.exports.source.language import ExpressionText, Language
from lagrangian.exports.source.link_loops import LoopWriter
from lagrangian.functions.routine import CallSequence, CallStep, LinkLoops, Routine, RoutineArgument, StraightLineCode
from lagrangian.kernels.trace.node import NUMBERS, PREPARED, Trace
from lagrangian.kernels.trace.schedule import SPILL_ARRAY, Schedule, cut_schedule, schedule

CONSTANTS = "k"  # the array of the constants of the model
# operations whose arguments are read several times, and are therefore given names
READ_SEVERAL_TIMES = ("choose", "by_sign")

ReadInput = Callable[[str, int], str]
StoreOutput = Callable[[int, str], None]


class CodeWriter:
    """Lines of code with their indentation."""

    def __init__(self, language: Language, depth: int = 0) -> None:
        self.language, self.depth = language, depth
        self.lines: list[str] = []

    def add(self, *lines: str) -> None:
        self.lines += [f"{self.language.indent * self.depth}{line}" if line else "" for line in lines]

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


def routine_lines(language: Language, routine: Routine, routines: dict[str, Routine]) -> list[str]:
    """The function of a routine; `routines` are those that it may call, by name."""
    # a preparation is run rarely, and stays whole
    if isinstance(routine.body, StraightLineCode) and NUMBERS not in (x.name for x in routine.inputs):
        scheduled = schedule(routine.body.trace, fuse_products=False)
        if len(scheduled.operations) > language.max_operations:
            return _write_in_parts(language, routine, scheduled)
    lines = CodeWriter(language)
    lines.add(*language.opening(routine))
    lines.depth += 1
    match routine.body:
        case StraightLineCode(trace):
            _write_body(lines, routine, trace)
        case LinkLoops():
            LoopWriter(lines, routine, routine.body, write_straight_line).write()
        case CallSequence():
            _write_sequence(lines, routine, routine.body, routines)
    lines.depth -= 1
    lines.add(*language.closing(routine))
    return lines.lines


def _write_body(lines: CodeWriter, routine: Routine, trace: Trace) -> None:
    language, texts = lines.language, [""] * len(trace.outputs)
    inputs = {x.name: x for x in routine.inputs}
    write_straight_line(lines, schedule(trace, fuse_products=False), _reader(language, inputs), texts.__setitem__)
    lines.add(*language.results(routine, _name_expressions(lines, texts, "y")))


def _write_in_parts(language: Language, routine: Routine, scheduled: Schedule) -> list[str]:
    """Long straight-line code as functions that are called in turn: a compiler's time grows faster than the length of one."""
    (parts,), spill_count = cut_schedule(scheduled, [routine.size], language.max_operations)
    places = [language.place(x, k) for x in routine.outputs for k in range(x.size)]
    spill_argument = RoutineArgument(SPILL_ARRAY, (max(1, spill_count),), "what one part leaves to later ones", output=True)
    part_lines, calls = [], []
    for k, part in enumerate(parts):
        part_routine = replace(
            routine, name=f"{routine.name}_part{k + 1}", outputs=(*routine.outputs, spill_argument), hidden=True
        )
        lines = CodeWriter(language)
        lines.add(*language.opening(part_routine))
        lines.depth += 1
        texts: dict[int, str] = {}
        write_straight_line(lines, part, _reader(language, {x.name: x for x in routine.inputs}), texts.__setitem__)
        lines.add(*(language.assignment(places[position], text) for position, text in texts.items()))
        lines.depth -= 1
        part_lines += [*lines.lines, *language.closing(part_routine), ""]
        calls.append(part_routine)
    calling_routine = replace(routine, body=CallSequence(()))
    lines = CodeWriter(language)
    lines.add(*language.opening(calling_routine))
    lines.depth += 1
    lines.add(language.array(SPILL_ARRAY, max(1, spill_count)))
    for part_routine in calls:
        lines.add(*language.call(part_routine, [x.name for x in part_routine.inputs], [x.name for x in part_routine.outputs]))
    lines.depth -= 1
    lines.add(*language.closing(calling_routine))
    return [*part_lines, *lines.lines]


def _name_expressions(lines: CodeWriter, texts: Sequence[str], prefix: str) -> list[str]:
    """Names for expressions that are all to be known before the first is assigned: outputs may be the arrays that are read."""
    names = []
    for k, text in enumerate(texts):
        if not text.isidentifier():
            lines.add(lines.language.constant(f"{prefix}{k}", text))
            text = f"{prefix}{k}"
        names.append(text)
    return names


def _reader(language: Language, inputs: dict[str, RoutineArgument]) -> ReadInput:
    def read(name: str, index: int) -> str:
        if name == PREPARED:
            return language.element(CONSTANTS, index)
        return language.place(inputs[name], index) if name in inputs else language.element(name, index)

    return read


def write_straight_line(lines: CodeWriter, scheduled: Schedule, read: ReadInput, store: StoreOutput, prefix: str = "v") -> None:
    """All operations of a schedule: what is used once stands where it is used, as long as a line stays short."""
    language = lines.language
    uses: Counter[int] = Counter()
    for name, _, arguments in scheduled.operations:
        if name not in ("input", "angle"):
            uses.update(arguments[1:] if name in ("output", "keep") else arguments)
            uses.update(arguments if name in READ_SEVERAL_TIMES else ())
    texts = {k: _literal(language, x) for k, x in scheduled.constants.items()}
    count = 0
    for name, result, arguments in scheduled.operations:
        if name == "output":
            store(arguments[0], texts[arguments[1]].text)
        elif name == "keep":
            lines.add(language.assignment(language.element(SPILL_ARRAY, arguments[0]), texts[arguments[1]].text))
        elif name in ("input", "angle"):
            texts[result] = ExpressionText(read(arguments[0], arguments[1]))
        else:
            expression = language.formula(name, [texts[k] for k in arguments])
            if uses[result] > 1 or len(expression.text) > language.max_expression_length:
                count += 1
                lines.add(language.constant(f"{prefix}{count}", expression.text))
                expression = ExpressionText(f"{prefix}{count}")
            texts[result] = expression


def _literal(language: Language, x: float) -> ExpressionText:
    text = language.number(x)
    return ExpressionText(text if not text.startswith("-") else f"({text})")


def _write_sequence(lines: CodeWriter, routine: Routine, body: CallSequence, routines: dict[str, Routine]) -> None:
    language = lines.language
    arguments = {x.name: x for x in (*routine.inputs, *routine.outputs)}
    sizes = {**body.arrays, **{x.name: x.size for x in routine.outputs}}
    if language.declares_arrays:
        lines.add(*(language.array(name, size) for name, size in body.arrays.items()))
    for k, step in enumerate(body.steps):
        if isinstance(step, CallStep):
            lines.add(*language.call(routines[step.routine], step.inputs, step.outputs))
            continue
        texts = [""] * len(step.trace.outputs)
        read = _reader(language, arguments)
        write_straight_line(lines, schedule(step.trace, fuse_products=False), read, texts.__setitem__, f"s{k}_")
        texts = _name_expressions(lines, texts, f"y{k}_")
        for name in step.outputs:
            places = [read(name, i) for i in range(sizes[name])]
            lines.add(*language.fill_array(name, places, texts[: sizes[name]]))
            texts = texts[sizes[name] :]

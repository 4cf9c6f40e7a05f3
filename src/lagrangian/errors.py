"""What the package tells its user: errors and warnings, and how names and values stand in their texts.

Each error and each warning carries data: `what` is wrong, `where` it is, the `argument` at fault, and a `remedy`. The message is
built from these fields when it is shown. Messages name an argument of the Python interface as an `ArgumentName`, so that the
command line can spell it as its own option. No code decides anything by reading a message.
"""

from __future__ import annotations

import difflib
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar

_PACKAGE = f"{__name__.partition('.')[0]}."
_MAX_LENGTH = 4000  # characters of a message
MAX_LISTED = 40  # names that an error lists
_NO_VALUE: Any = object()  # of an argument that a text names without a value
# controls of ASCII and Latin-1, line and paragraph separators, marks of the direction of writing, halves of characters
_INVISIBLE = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
# patterns, which `re` compiles when they are first used: importing the package takes less time
_INVISIBLE_IN_NAMES = f"[{_INVISIBLE}]"
_INVISIBLE_IN_TEXTS = f"(?![\n\t])[{_INVISIBLE}]"


class Message:
    """What errors and warnings have in common: fields, and a text that is made from them.

    The text is `where: argument what; remedy`, of which only `what` must be given. `where` is a place, or several from the
    outermost to the innermost: a file, an element of it, a joint. An `ArgumentName` may be a place, too. `concerns` names the
    argument at fault where the text does not begin with it.
    """

    # whether `argument` is one of a Python function, which the command line spells as an option, and not an entry of a file
    _argument_is_keyword: ClassVar[bool] = True

    def __init__(
        self,
        what: str = "",
        *,
        where: Place | tuple[Place, ...] = (),
        argument: str = "",
        remedy: str = "",
        concerns: str = "",
        **data: Any,
    ) -> None:
        super().__init__(what)  # type: ignore[call-arg]  # of ValueError or UserWarning
        self.what = what
        self.where: tuple[Place, ...] = where if isinstance(where, tuple) else (where,)
        self._subject, self.remedy = argument, remedy
        places = [x.name for x in self.where if isinstance(x, ArgumentName)]
        self.argument = argument or concerns or (places[-1] if places else "")
        for name, value in data.items():
            if not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__} has no attribute {name!r}")
            setattr(self, name, value)

    @property
    def problem(self) -> str:
        """The text without its places."""
        subject = f"{ArgumentName(self._subject) if self._argument_is_keyword else self._subject} " if self._subject else ""
        return f"{subject}{self.what}{f'; {self.remedy}' if self.remedy else ''}"

    def with_places(self, *places: Place) -> Any:
        """The same message at places further out, such as a file's name before an element's.

        A message that begins at the outermost of these places stays as it is. One that begins at the innermost does not name it
        twice.
        """
        message = type(self)(self.what)
        message.__dict__.update(self.__dict__)
        if self.where[:1] != places[:1]:
            message.where = (*places, *(self.where[1:] if self.where[:1] == places[-1:] else self.where))
        return message

    def without_place(self, place: Place) -> Any:
        """The same message as it stands inside a place, which it does not name if that is its outermost one."""
        message = self.with_places()
        message.where = self.where[1:] if self.where[:1] == (place,) else self.where
        return message

    def __str__(self) -> str:
        return _printable("".join(f"{place}: " for place in self.where) + self.problem)


class LagrangianError(Message, ValueError):
    """Base class of every error that this package raises deliberately.

    It is a `ValueError`. The message is built from the attributes, which a program can read instead of the message.

    Attributes
    ----------
    what : str
        What is wrong.
    where : tuple
        The places, from the outermost to the innermost: a file, an element of it, a joint.
    argument : str
        The name of the argument or entry at fault, or an empty string.
    remedy : str
        What would be right, or an empty string.

    Examples
    --------
    >>> import lagrangian as lg
    >>> try:
    ...     lg.Body("link1", mass=-1.0)
    ... except lg.LagrangianError as error:
    ...     print(error)
    ...     print(error.argument, "|", error.remedy)
    body 'link1': mass is -1 kg; it cannot be negative
    mass | it cannot be negative
    """


class DescriptionError(LagrangianError):
    """Raised if a file, or a part of it, cannot be read as a mechanism.

    The attribute `argument` names the entry at fault. See `LagrangianError` for the attributes that all errors have.

    Attributes
    ----------
    line, column : int or None
        Where the text breaks the rules of TOML or XML, both counted from 1. None if the text is well formed.

    Examples
    --------
    >>> import lagrangian as lg
    >>> try:
    ...     lg.loads("name = 'arm'; gravity = [0, 0")
    ... except lg.DescriptionError as error:
    ...     print(error.line, error.column)
    1 13
    """

    _argument_is_keyword = False
    line: int | None = None
    column: int | None = None


class MechanismError(LagrangianError):
    """Raised if a mechanism is physically or topologically impossible.

    The attribute `argument` names the entry at fault. See `LagrangianError` for the attributes that all errors have.

    Attributes
    ----------
    part : MechanismPart or None
        The part at fault, with its `kind` ("body", "joint", ...) and its `name`, if `where` does not name it.

    Examples
    --------
    A body cannot be connected to a body that does not exist:

    >>> import lagrangian as lg
    >>> lg.Mechanism("arm", [lg.Body("link")], [lg.Joint("q", "revolute", "grond", "link")])
    Traceback (most recent call last):
        ...
    lagrangian.errors.MechanismError: arm: joint 'q': parent: there is no body 'grond'. Did you mean 'ground'? ...
    """

    _argument_is_keyword = False
    part: MechanismPart | None = None


class ArgumentError(LagrangianError):
    """Raised if an argument has the wrong shape, type or value.

    The attribute `argument` names it. See `LagrangianError` for the attributes that all errors have.

    Examples
    --------
    >>> import lagrangian as lg
    >>> try:
    ...     lg.dumps("two_r", format="yaml")
    ... except lg.ArgumentError as error:
    ...     print(error)
    ...     print(error.argument)
    there is no format 'yaml'. Known: toml, urdf, mjcf, sdf
    format
    """


class UnknownMechanismError(ArgumentError):
    """Raised if a name is neither that of a file nor that of a mechanism of the library.

    Attributes
    ----------
    similar_names : tuple of str
        Similar names that exist.

    Examples
    --------
    >>> import lagrangian as lg
    >>> from lagrangian.errors import UnknownMechanismError
    >>> try:
    ...     lg.compile("four_bars")
    ... except UnknownMechanismError as error:
    ...     print(error.similar_names[0])
    four_bar
    """

    similar_names: tuple[str, ...] = ()


class DynamicsClosedError(LagrangianError):
    """Raised if compiled dynamics are used after they were closed.

    Examples
    --------
    >>> import lagrangian as lg
    >>> dyn = lg.compile("pendulum")
    >>> dyn.close()
    >>> dyn.mass_matrix([0.0])
    Traceback (most recent call last):
        ...
    lagrangian.errors.DynamicsClosedError: the dynamics of 'pendulum' were closed; compile the mechanism again
    """


class AssemblyError(LagrangianError):
    """Raised if the loops cannot be closed, or if no speeds keep them closed.

    Examples
    --------
    The slider of this slider-crank reaches 0.4 m at most:

    >>> import lagrangian as lg
    >>> lg.assemble("slider_crank", {"x": 1.0})
    Traceback (most recent call last):
        ...
    lagrangian.errors.AssemblyError: slider_crank: no configuration was found that closes the loops with x fixed ...
    """


class UnreachableError(LagrangianError):
    """Raised if a mechanism cannot reach a target or follow a path.

    Attributes
    ----------
    t : float or None
        The time on the path at which it fails, in seconds. None if the target is a single point.

    Examples
    --------
    The two links of this arm are 1 m long, so that it reaches 2 m at most:

    >>> import lagrangian as lg
    >>> lg.inverse_kinematics("two_r", [3.0, 0.0], "tip")
    Traceback (most recent call last):
        ...
    lagrangian.errors.UnreachableError: two_r: out of reach: at the nearest place found x misses by 1 ...
    """

    t: float | None = None


class ActuationError(LagrangianError):
    """Raised if the actuated joints cannot produce a motion.

    Attributes
    ----------
    t : float or None
        The time at which the motion needs a force at a joint without a motor, in seconds.

    Examples
    --------
    The pendulum on this cart has no motor, so that it cannot follow a path of its own:

    >>> import lagrangian as lg
    >>> path = lg.paths.joint_line([0.0, 0.0], [1.0, 1.0], 1.0)
    >>> lg.inverse("cart_pendulum", path)
    Traceback (most recent call last):
        ...
    lagrangian.errors.ActuationError: cart_pendulum: it is under-actuated: theta is passive ...
    """

    t: float | None = None


class SimulationError(LagrangianError):
    """Raised if a simulation could not continue.

    Attributes
    ----------
    motion : Motion or None
        The motion that was computed before the failure.

    Examples
    --------
    >>> import lagrangian as lg
    >>> def torque(t, q, qd):
    ...     return [1 / 0]
    >>> lg.simulate("pendulum", 0.1, torque=torque)
    Traceback (most recent call last):
        ...
    lagrangian.errors.SimulationError: pendulum: stopped at t = 0 s: the torque function raised ZeroDivisionError ...
    """

    motion: Any = None


class CostLimitError(LagrangianError):
    """Raised if a derivation or a proof would take longer than its limit.

    Attributes
    ----------
    seconds : float or None
        The estimated time, in seconds.
    limit : float or None
        The time that was allowed, in seconds.

    Examples
    --------
    The closed form of a chain of 40 joints would fill the memory; `lagrangian.compile` handles it easily:

    >>> import lagrangian as lg
    >>> rows = [{"a": 1.0, "alpha": 1.0, "mass": 1.0}] * 40
    >>> chain = lg.Mechanism.from_dh(rows, convention="standard")
    >>> try:
    ...     lg.derive(chain, limit=60)
    ... except lg.CostLimitError as error:
    ...     print(error.limit)
    60.0
    """

    seconds: float | None = None
    limit: float | None = None


class LagrangianWarning(Message, UserWarning):
    """Base class of every warning that this package gives.

    Its attributes are those of `LagrangianError`. Filter warnings with the module `warnings` of Python.

    Examples
    --------
    Turn the warnings of this package into errors:

    >>> import warnings
    >>> import lagrangian as lg
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", lg.LagrangianWarning)
    ...     motion = lg.simulate("pendulum", 1.0)
    >>> float(motion.t[-1])
    1.0
    """


class SimulationWarning(LagrangianWarning):
    """Given if the energy balance or the drift of a simulation exceeds its tolerances, or if its result is doubtful otherwise.

    Examples
    --------
    Stop at a doubtful result instead of going on with it:

    >>> import warnings
    >>> import lagrangian as lg
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", lg.SimulationWarning)
    ...     motion = lg.simulate("pendulum", 1.0)
    >>> float(motion.t[-1])
    1.0
    """


class EndedEarlyWarning(SimulationWarning):
    """Given if a simulation ended before its last time; the attribute `ending` of the motion says why.

    Examples
    --------
    >>> import warnings
    >>> import lagrangian as lg
    >>> with warnings.catch_warnings(record=True) as caught_warnings:
    ...     warnings.simplefilter("always")
    ...     motion = lg.simulate("pendulum", 1.0, max_steps=5)
    >>> caught_warnings[0].category.__name__
    'EndedEarlyWarning'
    >>> bool(motion.t[-1] < 1.0)
    True
    """


class PathWarning(LagrangianWarning):
    """Given if a path passes near a singularity, or exceeds the limits of speed or effort of a joint.

    Examples
    --------
    This line passes 0.2 mm beside the first joint:

    >>> import warnings
    >>> import lagrangian as lg
    >>> with warnings.catch_warnings(record=True) as caught_warnings:
    ...     warnings.simplefilter("always")
    ...     line = lg.paths.line((1.0, 2e-4), (-1.0, 2e-4), 1.0)
    ...     motion = lg.inverse("two_r", line, "tip", [1.0, -2.0])
    >>> caught_warnings[0].category.__name__
    'PathWarning'
    """


class ReaderWarning(LagrangianWarning):
    """Given if the mechanism differs from what its file describes.

    The message is also in the `notes` of the mechanism.

    Examples
    --------
    No real body has the inertia of this link, because the largest principal moment exceeds the sum of the others:

    >>> import warnings
    >>> import lagrangian as lg
    >>> robot = '''<robot name="arm"><link name="base"/>
    ...   <link name="arm"><inertial><mass value="1"/>
    ...     <inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...   <joint name="q" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>'''
    >>> with warnings.catch_warnings(record=True) as caught_warnings:
    ...     warnings.simplefilter("always")
    ...     arm = lg.loads(robot, "urdf")
    >>> caught_warnings[0].category.__name__
    'ReaderWarning'
    """


class WriterWarning(LagrangianWarning):
    """Given if a file format cannot hold a part of the mechanism, so that the file describes a different motion.

    The messages are also in the `warnings` of the object that `lagrangian.convert` returns.

    Examples
    --------
    >>> import warnings
    >>> import lagrangian as lg
    >>> with warnings.catch_warnings(record=True) as caught_warnings:
    ...     warnings.simplefilter("always")
    ...     text = lg.dumps("four_bar", "urdf", loops=False)
    >>> [str(w.message) for w in caught_warnings if "loop" in str(w.message)]
    ["four_bar: loop 'closure' is left out because loops=False: the tree stays open"]
    """


class MechanismWarning(LagrangianWarning):
    """Given if a mechanism is possible, but an entry is doubtful or a result is not determined.

    Examples
    --------
    Angles are in radians, so that 90 is more than 14 turns:

    >>> import warnings
    >>> import lagrangian as lg
    >>> text = '''
    ... [[body]]
    ... name = "link"
    ... mass = 1.0
    ... [[joint]]
    ... name = "q"
    ... type = "revolute"
    ... child = "link"
    ... rpy = [0, 0, 90]'''
    >>> with warnings.catch_warnings(record=True) as caught_warnings:
    ...     warnings.simplefilter("always")
    ...     arm = lg.loads(text)
    >>> print(caught_warnings[0].message.remedy)
    if you mean degrees, write "deg(90)"
    """


class AssemblyWarning(MechanismWarning):
    """Given if the loops were closed again, perhaps in another assembly than that of the start.

    Examples
    --------
    The rocker of this four-bar linkage passes a dead centre on its way to -2 rad:

    >>> import warnings
    >>> import lagrangian as lg
    >>> with warnings.catch_warnings(record=True) as caught_warnings:
    ...     warnings.simplefilter("always")
    ...     q = lg.assemble("four_bar", {"phi3": -2.0})
    >>> caught_warnings[0].category.__name__
    'AssemblyWarning'
    """


class ReportWarning(LagrangianWarning):
    """Given if a section of a report could not be made; the report contains the other sections.

    Examples
    --------
    Stop instead of writing an incomplete report:

    >>> import warnings
    >>> import lagrangian as lg
    >>> motion = lg.simulate("pendulum", 1.0)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", lg.ReportWarning)
    ...     motion.report("pendulum.html")  # doctest: +SKIP
    """


class StudyWarning(LagrangianWarning):
    """Given if a study was interrupted, or if some of its results are missing.

    Examples
    --------
    Stop instead of working with an incomplete study:

    >>> import warnings
    >>> import lagrangian as lg
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", lg.StudyWarning)
    ...     masses = lg.distributions.grid(1.0, 3.0)
    """


class SingularWarning(LagrangianWarning):
    """Given at or near a configuration in which a frame cannot move in some direction.

    Examples
    --------
    A stretched arm cannot move its tip along itself:

    >>> import warnings
    >>> import lagrangian as lg
    >>> with warnings.catch_warnings(record=True) as caught_warnings:
    ...     warnings.simplefilter("always")
    ...     dynamics = lg.compile("two_r").cartesian([0.0, 0.0], [0.0, 0.0], "tip", ("x", "y"))
    >>> caught_warnings[0].category.__name__, dynamics.singular
    ('SingularWarning', True)
    """


@contextmanager
def error_location(*places: Place) -> Iterator[None]:
    """Add places to every error of this package that is raised in this context."""
    try:
        yield
    except LagrangianError as error:
        raise error.with_places(*places) from None


def warn(message: str | Warning, category: type[Warning] = LagrangianWarning) -> None:
    """Warn at the line outside this package that called it, however deep the call is."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _printable(text: str) -> str:
    """A text that a terminal can show: a long one is cut in the middle, and control characters are written as escapes."""
    if len(text) > _MAX_LENGTH:
        text = f"{text[: _MAX_LENGTH // 2 - 5]} ... {text[-_MAX_LENGTH // 2 :]}"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


# -- places: what a message names --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ArgumentName:
    """An argument of a Python function as a text names it: `q0`, `limits=False`, or in a `call`, `load(path, mimic=True)`.

    A value of `...` stands for any value.
    """

    name: str
    value: Any = _NO_VALUE
    call: str = ""

    @property
    def has_value(self) -> bool:
        """Whether the text names a value, too; the value may be None."""
        return self.value is not _NO_VALUE

    @property
    def python_text(self) -> str:
        """The argument as Python code has it."""
        value = "..." if self.value is ... else repr(self.value)
        text = f"{self.name}={value}" if self.has_value else self.name
        function, _, other_arguments = self.call.removesuffix(")").partition("(")
        return f"{function}({', '.join(filter(None, (other_arguments, text)))})" if self.call else text

    def __str__(self) -> str:
        return _SPELLING.get()(self)


Spelling = Callable[[ArgumentName], str]
_SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=lambda argument: argument.python_text)


@contextmanager
def argument_spelling(spell: Spelling) -> Iterator[None]:
    """A context in which texts name arguments as `spell` writes them, such as the options of the command line."""
    previous_spelling = _SPELLING.set(spell)
    try:
        yield
    finally:
        _SPELLING.reset(previous_spelling)


@dataclass(frozen=True)
class MechanismPart:
    """A part of a mechanism as a place: `joint 'elbow'`, or as its file writes it in `source_text`: `[[joint]] 2 'elbow'`.

    `number` counts the parts of this kind in the file, from 1; it is 0 where the reader does not know it.
    """

    kind: str
    name: str
    source_text: str = field(default="", compare=False)
    number: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return self.source_text or f"{self.kind} {self.name!r}"


Place = str | ArgumentName | MechanismPart


# -- names and values in messages --------------------------------------------------------------------------------------


def unknown_name_message(noun: str, name: object, known_names: Iterable[str], similar_name: str = "") -> str:
    """The sentence that there is no such name, with the name that was probably meant, and the names that exist."""
    names = list(known_names)
    similar_name = similar_name or closest_name(str(name), names)
    return _unknown_name_message(noun, name, names, repr(similar_name) if similar_name else "")


def unknown_direction_message(name: object, known_names: Iterable[str]) -> str:
    """The sentence that there is no such direction; several that were given as one, as in "xy", are probably meant apart."""
    names = list(known_names)
    directions = _split_into_names(str(name), names)
    if not directions:
        return unknown_name_message("direction", name, names)
    return _unknown_name_message("direction", name, names, str(directions))


def closest_name(name: str, names: Iterable[str]) -> str:
    """The name that is most like another: it has the same words in another order, or nearly the same letters; '' if none is."""
    candidates, words = list(names), sorted(name.lower().split("_"))
    for candidate in candidates:
        if sorted(candidate.lower().split("_")) == words:
            return candidate
    return next(iter(difflib.get_close_matches(name, candidates, n=1)), "")


def join_names(names: Sequence[str], max_names: int = 6) -> str:
    """Names with commas between them; of more than `max_names` the first ones, and how many more there are."""
    return ", ".join(names[:max_names]) + (f" and {len(names) - max_names} more" if len(names) > max_names else "")


def is_number(value: Any) -> bool:
    """Whether a value is a finite number of Python or numpy; True and False are not numbers."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer that no float can hold
        return False


def format_value(value: Any, max_length: int = 60) -> str:
    """A value as a message shows it: numbers look the same whatever their type, and a long text is cut."""
    text = _format_nested(value)
    return text if len(text) <= max_length else text[: max_length - 4].rstrip() + " ..."


def _unknown_name_message(noun: str, name: object, names: list[str], probable: str) -> str:
    hint = f" Did you mean {probable}?" if probable else ""
    listing = ", ".join(names[:MAX_LISTED]) + (f", ... ({len(names)} in all)" if len(names) > MAX_LISTED else "")
    return f"there is no {noun} {name!r}.{hint} Known: {listing or 'none'}"


def _split_into_names(text: str, names: list[str]) -> tuple[str, ...]:
    """The names of one length whose letters make up a text, each once: "xy" is `("x", "y")`; () if there are none."""
    pieces = re.findall("|".join(sorted(map(re.escape, names), key=len, reverse=True)), text)
    are_distinct = len(set(pieces)) == len(pieces) > 1 and len({len(piece) for piece in pieces}) == 1
    return tuple(pieces) if are_distinct and "".join(pieces) == text else ()


def _format_nested(x: Any, depth: int = 0) -> str:
    """A value, or a list of values, with six digits of each number."""
    x = x.tolist() if hasattr(x, "tolist") else x
    if isinstance(x, (list, tuple)):
        if depth > 5:  # a list that holds itself has no end
            return "..."
        inner = ", ".join(_format_nested(item, depth + 1) for item in x[:20]) + (", ..." if len(x) > 20 else "")
        return f"[{inner}]" if isinstance(x, list) else f"({inner}{',' * (len(x) == 1)})"
    return min(repr(x), f"{x:.6g}", key=len) if isinstance(x, float) and len(repr(x)) > 8 else repr(x)


# -- characters that act instead of being seen -------------------------------------------------------------------------
#
# Such characters move the cursor of a terminal, colour it, or turn the direction of writing. Names cannot have them. Other
# texts, such as those in files, may have them, and they are shown as escapes, such as \x1b.


def has_invisible(name: str) -> bool:
    """Whether a name has a character that is not seen; line breaks and tabs are such characters."""
    return re.search(_INVISIBLE_IN_NAMES, name) is not None


def as_name(text: str) -> str:
    """A text, such as the name of a file, as a valid name: each character that is not seen becomes a blank."""
    return re.sub(_INVISIBLE_IN_NAMES, " ", text)


def as_cell(text: str) -> str:
    """A text as a cell of a CSV file. An apostrophe stands before one that a spreadsheet would compute as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def make_visible(text: str, escape: Callable[[str], str] = lambda c: repr(c)[1:-1]) -> str:
    """A text in which every character is seen, and lines stay lines. By default, the escapes are those of Python."""
    return re.sub(_INVISIBLE_IN_TEXTS, lambda match: escape(match[0]), text)

"""Numbers of a mechanism's parts by their paths: `link3.mass`, `link3.center.x`, `elbow.friction.viscous`, `gravity.z`.

So a robot file without named parameters has them all the same. A path begins with the name of a body, joint, loop, constraint,
spring or frame, or with `gravity`; it goes on with the attributes that the Python class of that part has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from lagrangian.errors import MechanismError, one_of, placed, shown
from lagrangian.model.entries import Typed
from lagrangian.model.expression import Expression, Scalar

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

KINDS = ("bodies", "joints", "loops", "constraints", "springs", "frames")
VECTOR, SYMMETRIC = ("x", "y", "z"), ("xx", "xy", "xz", "yy", "yz", "zz")


def is_path(mechanism: Mechanism, path: str) -> bool:
    """Whether a text begins as the path of a part does."""
    return isinstance(path, str) and (path.partition(".")[0] == "gravity" or bool(_owners(mechanism, path)))


def number_at(mechanism: Mechanism, path: str) -> Any:
    """What stands at a path."""
    found: list[Any] = []

    def seen(old: Any) -> Any:
        found.append(old)
        return old

    _with(mechanism, path, seen)
    return found[0]


def with_number(mechanism: Mechanism, path: str, value: Any) -> Mechanism:
    """Another number, or vector, at a path."""
    with placed("parameters", path):
        return _with(mechanism, path, lambda old: _fitting(old, value))


def _fitting(old: Any, value: Any) -> Any:
    """A new value must be of the kind of the old one."""
    if isinstance(old, (int, float, Expression)) or old is None:
        if isinstance(value, (str, bool)) or not (isinstance(value, Expression) or hasattr(value, "__float__")):
            raise MechanismError(f"is {shown(value)}", remedy="a number is needed")
        return value if isinstance(value, Expression) else float(value)
    if isinstance(old, tuple) and hasattr(value, "__len__") and not isinstance(value, str):
        return tuple(value)
    if type(value) is type(old):
        return value
    inner = ", ".join(_entries(old)) if not isinstance(old, str) else ""
    raise MechanismError(f"is {shown(value)}", remedy=f"name one of its entries: {inner}" if inner else "it is not a number")


def _owners(mechanism: Mechanism, path: str) -> list[tuple[str, int, str]]:
    """The parts whose name a path may begin with, the longest first, each with the rest of the path: names may have dots."""
    found = []
    for kind in KINDS:
        for k, part in enumerate(getattr(mechanism, kind)):
            if path.startswith(part.name + "."):
                found.append((kind, k, path[len(part.name) + 1 :]))
    return sorted(found, key=lambda owner: len(owner[2]))


def _with(mechanism: Mechanism, path: str, change: Callable[[Any], Any]) -> Mechanism:
    first, _, rest = path.partition(".")
    if first == "gravity" and not _owners(mechanism, path):
        return replace(mechanism, gravity=_changed(mechanism.gravity, rest.split(".") if rest else [], change))
    owners = _owners(mechanism, path)
    if not owners:
        names = [part.name for kind in KINDS for part in getattr(mechanism, kind)]
        raise MechanismError(one_of("body, joint, loop, constraint, spring or frame", first, names))
    # a body and a joint may have the same name: the one that has such an entry is meant
    kind, k, rest = next((o for o in owners if o[2].split(".")[0] in _entries(_part(mechanism, o))), owners[0])
    parts = list(getattr(mechanism, kind))
    parts[k] = _changed(parts[k], rest.split("."), change)
    changed: dict[str, Any] = {kind: tuple(parts)}
    return replace(mechanism, **changed)


def _part(mechanism: Mechanism, owner: tuple[str, int, str]) -> Any:
    return getattr(mechanism, owner[0])[owner[1]]


def _entries(x: Any) -> list[str]:
    """What the next word of a path may be."""
    if isinstance(x, tuple):
        return list(_components(x))
    names = [f.name for f in fields(x) if f.name not in ("name", "own")] if is_dataclass(x) else []
    return names + ([key for key, _ in x.own] if isinstance(x, Typed) else [])


def _components(x: tuple[Any, ...]) -> Sequence[str]:
    return {3: VECTOR, 6: SYMMETRIC}.get(len(x), [str(k) for k in range(len(x))])


def _changed(x: Any, path: list[str], change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(x)
    name, rest = path[0], path[1:]
    known = _entries(x)
    if name not in known:
        raise MechanismError(one_of("entry", name, known) if known else f"has no entry {name!r}: it is a number")
    if isinstance(x, tuple):
        k = list(known).index(name)
        return (*x[:k], _changed(x[k], rest, change), *x[k + 1 :])
    if isinstance(x, Typed) and name in dict(x.own):
        own = tuple((key, _changed(value, rest, change) if key == name else value) for key, value in x.own)
        return replace(x, own=own)  # type: ignore[type-var]  # joints and loops are dataclasses
    return replace(x, **{name: _changed(getattr(x, name), rest, change)})


def scalar_at(mechanism: Mechanism, path: str) -> Scalar:
    """The number at a path; what is no number is refused."""
    found = number_at(mechanism, path)
    if not isinstance(found, (int, float, Expression)):
        raise MechanismError(f"{path} is {shown(found)}", remedy="a path to one number is needed")
    return found


def value_of(mechanism: Mechanism, name: str) -> float:
    """The value of a parameter, or the number at a path."""
    return float(mechanism.parameters[name] if name in mechanism.parameters else scalar_at(mechanism, name))

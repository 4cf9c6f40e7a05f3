"""MuJoCo's <option>: gravity, which is carried over, and all the rest, which is said."""

from __future__ import annotations

from lagrangian.description.mjcf.schema import check_attributes, check_children
from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element, choice, numbers
from lagrangian.model import vector as v

_FLUID = {"wind": 3, "density": 1, "viscosity": 1}
# flags that leave out forces, or bounds of them
_FORCES = ("equality", "frictionloss", "passive", "spring", "damper", "constraint", "limit", "actuation", "clampctrl")
_SETTING = "ignored: a setting of the simulation in MuJoCo"


def gravity(root: Element, notes: Notes) -> v.Vector:
    """Gravity. Of an attribute that several <option> give, the last holds."""
    pull: v.Vector = (0, 0, -9.81)
    fluid: dict[str, bool] = {}
    flags: dict[str, str] = {}
    settings: dict[str, None] = {}  # an ordered set
    for option in root.all("option"):
        check_attributes(option)
        check_children(option, ("flag",))
        pull = numbers(option, "gravity", 3, pull)  # type: ignore[assignment]
        for name in option.attributes:
            if name in _FLUID:
                fluid[name] = any(numbers(option, name, _FLUID[name]))
            elif name != "gravity":
                settings[name] = None
        for flag in option.children:
            check_attributes(flag)
            flags.update({name: choice(flag, name, ("enable", "disable")) for name in flag.attributes})
    for name in settings:
        if name == "actuatorgroupdisable":
            notes.add("<option> that disables actuators", "ignored: they stay enabled", name, warn=True)
        else:
            notes.add("<option>", _SETTING, name)
    for name in (name for name, given in fluid.items() if given):
        notes.add("<option> of a fluid", "ignored: there is no fluid", name, warn=True)
    return v.ZERO if _disabled(flags, notes) else pull


def _disabled(flags: dict[str, str], notes: Notes) -> bool:
    """Whether gravity is; the other flags are noted."""
    for name, value in flags.items():
        if name in _FORCES and value == "disable":
            notes.add("<flag> that disables", "ignored: the feature stays enabled", name, warn=True)
        elif name not in _FORCES and name != "gravity":
            notes.add("<flag>", _SETTING, name)
    return flags.get("gravity") == "disable"

"""The named parameters of a mechanism: a mapping that prints their values, and what may take its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lagrangian.errors import MechanismError
from lagrangian.model.expression import Expression, parameter


class Parameters(dict[str, Expression]):
    """Names and expressions. It prints their values: `l1 = 0.5`, and `I1 = m1*l1^2/12 = 0.04` where one follows from others."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Parameters:
        """Numbers become parameters of their names."""
        return cls({name: x if isinstance(x, Expression) else parameter(name, x) for name, x in given.items()})

    def __str__(self) -> str:
        return "\n".join(_line(name, given) for name, given in self.items()) or "no parameters"

    __repr__ = __str__  # what a prompt shows


def _line(name: str, given: Any) -> str:
    value, formula = f"{float(given):.6g}", str(given)
    return f"{name} = {value}" if formula in (name, value) else f"{name} = {formula} = {value}"


def check_values(known: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse other values of parameters that are in use: bodies and joints hold them as numbers already."""
    for name, value in given.items():
        if name not in known or float(value) == float(known[name]):
            continue
        now, wanted = f"{float(known[name]):g}", f"{float(value):g}"
        raise MechanismError(
            f"{name!r} is {now} in the bodies and joints already; replacing the parameter by {wanted} would not change them",
            where="parameters",
            remedy=f"use mechanism.with_parameters({name}={wanted})",
        )

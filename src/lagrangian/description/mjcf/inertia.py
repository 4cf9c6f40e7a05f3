"""Mass and inertia of MuJoCo bodies: given, or of their geoms; and what is drawn of these."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lagrangian.description.mjcf.compiler import POSE, Compiler, least_turn, yes
from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.xml import Element, choice, number, numbers, text
from lagrangian.errors import placed
from lagrangian.model import body as solids
from lagrangian.model import vector as v
from lagrangian.model.body import NO_INERTIA, Body, Shape, Visual
from lagrangian.model.placement import Placement

TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
_DRAWN_GROUPS = (0, 1, 2)  # those that MuJoCo shows unless told otherwise; collision geometry is usually in group 3


@dataclass(frozen=True)
class Inertial:
    """Mass, centre and inertia about it, along the body's axes."""

    mass: float = 0.0
    center: v.Vector = v.ZERO
    inertia: v.Symmetric = NO_INERTIA


@dataclass(frozen=True)
class Geom:
    """A geom in its body's frame, its defaults applied."""

    element: Element
    type: str
    size: tuple[float, ...]
    placement: Placement
    group: int


def inertial(element: Element, frame: Placement, compiler: Compiler) -> Inertial:
    """What an <inertial> says."""
    check_attributes(element)
    numbers(element, "pos", 3)
    at = frame @ compiler.pose(element)
    mass = number(element, "mass")
    if mass < 0:
        raise element.error(f"the mass is {mass:g} kg; it cannot be negative")
    diagonal, full = numbers(element, "diaginertia", 3, None), numbers(element, "fullinertia", 6, None)
    if full is not None:
        if diagonal is not None or any(key in element.attributes for key in POSE[1:]):
            raise element.error("has fullinertia and an orientation or diaginertia; give fullinertia alone")
        xx, yy, zz, xy, xz, yz = full
        own: v.Symmetric = (xx, xy, xz, yy, yz, zz)
    else:
        xx, yy, zz = diagonal if diagonal is not None else (0.0, 0.0, 0.0)
        own = (xx, 0, 0, yy, 0, zz)
    return Inertial(mass, at.position, own if at.rotation == v.IDENTITY else v.sym_rotate(at.rotation, own))


def geom(element: Element, frame: Placement, compiler: Compiler) -> Geom:
    """A geom whose defaults are applied; sizes are MuJoCo's half-lengths still."""
    check_attributes(element)
    kind = choice(element, "type", TYPES, "sphere")
    size = numbers(element, "size", 3, (), least=1)
    group = number(element, "group", 0.0)
    if "mesh" in element.attributes and kind in _SIZES:
        kind = "mesh"  # a primitive fitted to a mesh: its size is not in this file
    if kind not in _SIZES:
        return Geom(element, kind, size, frame @ compiler.pose(element), int(group))
    placement = compiler.pose(element)
    ends = numbers(element, "fromto", 6, None)
    if ends is not None:
        size, placement = _between(element, kind, size, ends)
    if len(size) < _SIZES[kind]:
        raise element.error(f"a {kind} needs {_SIZES[kind]} numbers in size, got {element.attributes.get('size', '')!r}")
    if not all(x > 0 for x in size[: _SIZES[kind]]):
        raise element.error(f"size {element.attributes.get('size')!r} of a {kind}: its numbers must be positive")
    return Geom(element, kind, size[: _SIZES[kind]], frame @ placement, int(group))


def _between(
    element: Element, kind: str, size: tuple[float, ...], ends: tuple[float, ...]
) -> tuple[tuple[float, ...], Placement]:
    """Size and placement of a geom that reaches from one point to another."""
    if kind == "sphere":
        raise element.error("fromto needs a capsule, cylinder, box or ellipsoid, not a sphere")
    if any(key in element.attributes for key in POSE):
        raise element.error("has fromto and a pose; give one of them")
    if not size:
        raise element.error("fromto needs a size: the radius across")
    start, end = ends[:3], ends[3:]
    apart = v.sub(start, end)  # type: ignore[arg-type]
    length = math.hypot(*apart)
    if not length > 1e-14:
        raise element.error(f"fromto {element.attributes['fromto']!r}: the two points must differ")
    middle = v.scale(0.5, v.add(start, end))  # type: ignore[arg-type]
    across = (size[0], size[0]) if kind in ("box", "ellipsoid") else (size[0],)
    return (*across, length / 2), Placement(least_turn(v.scale(1 / length, apart)), middle)


def shape(geom: Geom) -> Shape | None:
    """The solid of a geom that carries mass; None for one that carries none."""
    element, size = geom.element, geom.size
    mass, density = number(element, "mass", None), number(element, "density", 1000.0)
    if geom.type in ("plane", "hfield") or mass == 0 or (mass is None and density == 0):
        return None
    if (mass is not None and mass < 0) or density < 0:
        raise element.error("mass and density cannot be negative")
    if geom.type not in _SIZES:
        raise element.error(
            f"the body's inertia would come from a {geom.type}, which is not computed; give the body an <inertial>, "
            f'or this geom mass="0"'
        )
    if yes(element, "shellinertia"):
        raise element.error("shellinertia is not computed; give the body an <inertial>")
    how = {"mass": mass} if mass is not None else {"density": density}
    with placed(*element.where):
        if geom.type == "sphere":
            return solids.sphere(size[0], at=geom.placement, **how)
        if geom.type == "box":
            return solids.box([2 * x for x in size], at=geom.placement, **how)
        if geom.type == "ellipsoid":
            return solids.ellipsoid(size, at=geom.placement, **how)
        solid = solids.capsule if geom.type == "capsule" else solids.cylinder
        return solid(size[0], 2 * size[1], at=geom.placement, **how)


def from_geoms(name: str, geoms: Sequence[Geom], compiler: Compiler) -> Inertial:
    low, high = compiler.groups
    shapes = [s for g in geoms if low <= g.group <= high and (s := shape(g)) is not None]
    if not shapes:
        return Inertial()
    whole = Body.from_shapes(name, shapes)
    return Inertial(float(whole.mass), whole.center, whole.inertia)


def bounded(given: Inertial, compiler: Compiler) -> Inertial:
    """What boundmass, boundinertia and balanceinertia make of it."""
    mass = max(given.mass, compiler.boundmass)
    inertia = given.inertia
    if compiler.boundinertia > 0 or compiler.balanceinertia:
        moments, axes = np.linalg.eigh(np.array(v.sym_full(inertia), dtype=float))
        better = np.maximum(moments, compiler.boundinertia)
        if compiler.balanceinertia and better.sum() < 2 * better.max():
            better[:] = better.mean()
        if not np.array_equal(better, moments):
            inertia = v.sym_of((axes @ np.diag(better) @ axes.T).tolist())
    return Inertial(mass, given.center, inertia)


# -- what to draw ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assets:
    """The mesh files and colours that geoms refer to by name."""

    meshes: dict[str, tuple[str, tuple[float, ...]]]
    colors: dict[str, tuple[float, ...]]

    @staticmethod
    def read(elements: Sequence[Element], compiler: Compiler) -> Assets:
        meshes, colors = {}, {}
        for element in elements:
            if element.tag == "mesh":
                file = text(element, "file", "").replace("\\", "/")
                name = text(element, "name", os.path.splitext(os.path.basename(file))[0])
                inside = os.path.basename(file) if compiler.strippath else file
                scale = numbers(element, "scale", 3, (1.0, 1.0, 1.0))
                meshes[name] = (os.path.join(compiler.meshdir, inside) if inside else "", scale)
            elif element.tag == "material" and "rgba" in element.attributes:
                colors[text(element, "name", "")] = numbers(element, "rgba", 4)
        return Assets(meshes, colors)

    def visual(self, geom: Geom) -> Visual | None:
        """What to draw for a geom; None if there is nothing to."""
        if geom.group not in _DRAWN_GROUPS or geom.type in ("plane", "hfield", "sdf"):
            return None
        color = numbers(geom.element, "rgba", 4, self.colors.get(geom.element.attributes.get("material", ""), ()))
        if geom.type == "mesh":
            file, scale = self.meshes.get(geom.element.attributes.get("mesh", ""), ("", ()))
            return Visual("mesh", scale, geom.placement, color, file) if file else None
        return Visual(geom.type, _full_size(geom), geom.placement, color)


def _full_size(geom: Geom) -> tuple[float, ...]:
    """A geom's size as shapes have it: full lengths, but radii as they are."""
    if geom.type == "box":
        return tuple(2 * x for x in geom.size)
    if geom.type in ("capsule", "cylinder"):
        return (geom.size[0], 2 * geom.size[1])
    return geom.size

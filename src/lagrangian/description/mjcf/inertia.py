"""Mass and inertia of MuJoCo bodies: given, or of their geoms; and what is drawn of these."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lagrangian.description.folder import Folder
from lagrangian.description.mjcf.compiler import POSE, Compiler, least_turn, yes
from lagrangian.description.mjcf.meshes.asset import MeshAsset
from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.mjcf.shell import shell
from lagrangian.description.xml import Element, choice, number, numbers, text
from lagrangian.errors import one_of, placed
from lagrangian.model import shapes as solids
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.placement import Placement
from lagrangian.model.shapes import Shape, Visual
from lagrangian.model.vector import NO_INERTIA

TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
_LEAST_MASS = 1e-14  # kg: MuJoCo passes over geoms of less
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
    fitted: str = ""  # of a primitive that is fitted to a mesh: its type


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
            raise element.error("has fullinertia with an orientation or diaginertia; give only fullinertia")
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
    if "mesh" in element.attributes and kind in _SIZES:  # its size is that of the mesh
        return Geom(element, "mesh", size, frame @ compiler.pose(element), int(group), kind)
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
    if any(numbers(element, "pos", 3, v.ZERO)):  # a pos of 0 and an orientation are passed over, as in MuJoCo
        raise element.error("has fromto and pos; give one of them")
    if not size:
        raise element.error("fromto needs a size, the radius")
    start, end = ends[:3], ends[3:]
    apart = v.sub(start, end)  # type: ignore[arg-type]
    length = math.hypot(*apart)
    if not length > 1e-14:
        raise element.error(f"fromto {element.attributes['fromto']!r}: the two points must differ")
    middle = v.scale(0.5, v.add(start, end))  # type: ignore[arg-type]
    across = (size[0], size[0]) if kind in ("box", "ellipsoid") else (size[0],)
    return (*across, length / 2), Placement(least_turn(v.scale(1 / length, apart)), middle)


def shape(geom: Geom, compiler: Compiler, assets: Assets) -> Shape | None:
    """The solid of a geom that carries mass; None for one that carries none."""
    element = geom.element
    mass, density = number(element, "mass", None), number(element, "density", 1000.0)
    if geom.type == "plane" or mass == 0 or (mass is None and density == 0):
        return None
    if (mass is not None and mass < 0) or density < 0:
        raise element.error("mass and density cannot be negative")
    if geom.type == "hfield":  # of which MuJoCo takes a box
        geom = replace(geom, type="box", size=assets.hfield(geom))
    elif geom.fitted:
        geom = _fitted(geom, compiler, assets)
    if geom.type not in _SIZES:
        return _of_mesh(geom, mass, density, assets)
    if yes(element, "shellinertia"):
        area, moments = shell(geom.type, geom.size)
        mass = density * area if mass is None else mass
        xx, yy, zz = (mass * x for x in moments)
        return Shape(geom.type, geom.size, mass, (xx, 0, 0, yy, 0, zz), geom.placement)
    how = {"mass": mass} if mass is not None else {"density": density}
    with placed(*element.where):
        return _solid(geom, how)


def _solid(geom: Geom, how: dict[str, float]) -> Shape:
    size = geom.size
    if geom.type == "sphere":
        return solids.sphere(size[0], at=geom.placement, **how)
    if geom.type == "box":
        return solids.box([2 * x for x in size], at=geom.placement, **how)
    if geom.type == "ellipsoid":
        return solids.ellipsoid(size, at=geom.placement, **how)
    solid = solids.capsule if geom.type == "capsule" else solids.cylinder
    return solid(size[0], 2 * size[1], at=geom.placement, **how)


def _of_mesh(geom: Geom, mass: float | None, density: float, assets: Assets) -> Shape:
    if yes(geom.element, "shellinertia"):
        raise geom.element.error('use inertia="shell" of the <mesh> instead of shellinertia of the geom')
    mesh = assets.mesh(geom).solid
    mass = density * mesh.volume if mass is None else mass
    inertia = v.sym_of((mass / mesh.volume * mesh.inertia).tolist())
    return Shape("mesh", (), mass, inertia, geom.placement @ Placement(position=tuple(mesh.center.tolist())))


def _fitted(geom: Geom, compiler: Compiler, assets: Assets) -> Geom:
    """A primitive that has the size of a mesh's inertia, as MuJoCo fits it."""
    element = geom.element
    if compiler.fitaabb:
        raise element.error('a geom fitted to a mesh with fitaabb="true" has no inertia here; give its body an <inertial>')
    (a, b, c), place = assets.mesh(geom).solid.box()
    round_ = geom.fitted in ("capsule", "cylinder")
    if round_ and c - b < 1e-6 * c:
        raise element.error(f"the mesh is as wide as it is long, so that the axis of the fitted {geom.fitted} is not determined")
    size: tuple[float, ...] = (a, b, c)
    if geom.fitted == "sphere":
        size = ((a + b + c) / 3,)
    elif round_:
        size = ((a + b) / 2, c if geom.fitted == "cylinder" else max(0.0, c - (a + b) / 4))
    scale = number(element, "fitscale", 1.0)
    return replace(geom, type=geom.fitted, size=tuple(float(scale * x) for x in size), placement=geom.placement @ place)


def from_geoms(name: str, geoms: Sequence[Geom], compiler: Compiler, assets: Assets) -> Inertial:
    low, high = compiler.groups
    shapes = [s for g in geoms if low <= g.group <= high and (s := shape(g, compiler, assets)) is not None]
    shapes = [s for s in shapes if float(s.mass) > _LEAST_MASS]
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


# -- assets, and what to draw ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assets:
    """The meshes, height fields and colours that geoms refer to by name."""

    meshes: dict[str, MeshAsset] = field(default_factory=dict)
    hfields: dict[str, tuple[float, ...]] = field(default_factory=dict)
    colors: dict[str, tuple[float, ...]] = field(default_factory=dict)
    directory: str = ""  # of the main file, to which the files of visuals are relative

    def add(self, element: Element, compiler: Compiler, folder: Folder | None) -> None:
        """One more element of <asset>, its defaults applied; `compiler` has the settings of its model."""
        if element.tag == "mesh":
            file = text(element, "file", "").replace("\\", "/")
            name = text(element, "name", os.path.splitext(os.path.basename(file))[0])
            inside = os.path.basename(file) if compiler.strippath else file
            scale = numbers(element, "scale", 3, (1.0, 1.0, 1.0))
            self.meshes[name] = MeshAsset(element, _mesh_path(element, inside, compiler.meshdir, folder), scale, folder)
        elif element.tag == "hfield":
            self.hfields[text(element, "name", "")] = numbers(element, "size", 4)
        elif element.tag == "material" and "rgba" in element.attributes:
            self.colors[text(element, "name", "")] = numbers(element, "rgba", 4)

    def mesh(self, geom: Geom) -> MeshAsset:
        name = text(geom.element, "mesh")
        if name not in self.meshes:
            raise geom.element.error(one_of("mesh", name, self.meshes))
        return self.meshes[name]

    def hfield(self, geom: Geom) -> tuple[float, ...]:
        """Half the lengths of the box that stands for a height field."""
        name = text(geom.element, "hfield")
        if name not in self.hfields:
            raise geom.element.error(one_of("hfield", name, self.hfields))
        x, y, top, base = self.hfields[name]
        return x, y, 0.25 * top + 0.5 * base

    def visual(self, geom: Geom) -> Visual | None:
        """What to draw for a geom; None if there is nothing to."""
        if geom.group not in _DRAWN_GROUPS or geom.type in ("plane", "hfield", "sdf"):
            return None
        own = geom.element.attributes.get("rgba", "").strip()
        color = numbers(geom.element, "rgba", 4) if own else self.colors.get(geom.element.attributes.get("material", ""), ())
        if geom.type == "mesh":
            mesh = self.meshes.get(geom.element.attributes.get("mesh", ""))
            return Visual("mesh", mesh.scale, geom.placement, color, self._drawn(mesh)) if mesh and mesh.file else None
        return Visual(geom.type, _full_size(geom), geom.placement, color)

    def _drawn(self, mesh: MeshAsset) -> str:
        if mesh.folder is None or mesh.folder.directory == self.directory or os.path.isabs(mesh.file):
            return mesh.file
        return os.path.relpath(os.path.join(mesh.folder.directory, mesh.file), self.directory)


def _mesh_path(element: Element, file: str, meshdir: str, folder: Folder | None) -> str:
    """Where a mesh is, relative to the model's folder; a file that was included may name one relative to its own."""
    path = os.path.join(meshdir, file) if file else ""
    if folder is None or not file or os.path.exists(os.path.join(folder.directory, path)):
        return path
    beside = os.path.join(os.path.relpath(os.path.dirname(os.path.abspath(element.file)), folder.directory), file)
    return beside if os.path.exists(os.path.join(folder.directory, beside)) else path


def _full_size(geom: Geom) -> tuple[float, ...]:
    """A geom's size as shapes have it: full lengths, but radii as they are."""
    if geom.type == "box":
        return tuple(2 * x for x in geom.size)
    if geom.type in ("capsule", "cylinder"):
        return (geom.size[0], 2 * geom.size[1])
    return geom.size

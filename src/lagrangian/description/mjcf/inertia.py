"""Mass and inertia of MuJoCo bodies, by <inertial> or by their geoms, which may be meshes and shells; and what is drawn."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lagrangian.description.files import DescriptionFolder
from lagrangian.description.mjcf.compiler import POSE, CompilerSettings, boolean_attribute, rotation_from_z
from lagrangian.description.mjcf.mesh_assets import MeshAsset
from lagrangian.description.schema import check_mjcf_attributes
from lagrangian.description.xml import Element, choice_attribute, number_attribute, number_attributes, text_attribute
from lagrangian.errors import error_location, unknown_name_message
from lagrangian.model import shapes as solids
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.placement import Transform
from lagrangian.model.shapes import Shape, Visual
from lagrangian.model.vector import NO_INERTIA

_TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
_SIZE_COUNTS = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
_MIN_MASS = 1e-14  # kg: MuJoCo ignores geoms of less
_DRAWN_GROUPS = (0, 1, 2)  # those that MuJoCo shows by default; collision geometry is usually in group 3
_SKIN = 1e-6  # m: the thickness of an ellipsoid's shell in MuJoCo
_THOMSEN = 1.6075  # the exponent of Thomsen's formula for the area of an ellipsoid

Moments = tuple[float, float, float]


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
    placement: Transform
    group: int
    fitted_type: str = ""  # of a primitive that is fitted to a mesh: its type


def read_inertial(element: Element, frame: Transform, compiler: CompilerSettings) -> Inertial:
    """Read an <inertial>."""
    check_mjcf_attributes(element)
    number_attributes(element, "pos", 3)
    placement = frame @ compiler.pose(element)
    mass = number_attribute(element, "mass")
    if mass < 0:
        raise element.error(f"the mass is {mass:g} kg; it cannot be negative")
    diagonal, full = number_attributes(element, "diaginertia", 3, None), number_attributes(element, "fullinertia", 6, None)
    if full is not None:
        if diagonal is not None or any(key in element.attributes for key in POSE[1:]):
            raise element.error("has fullinertia with an orientation or diaginertia; give only fullinertia")
        xx, yy, zz, xy, xz, yz = full
        inertia: v.Symmetric = (xx, xy, xz, yy, yz, zz)
    else:
        xx, yy, zz = diagonal if diagonal is not None else (0.0, 0.0, 0.0)
        inertia = (xx, 0, 0, yy, 0, zz)
    return Inertial(
        mass, placement.position, inertia if placement.rotation == v.IDENTITY else v.sym_rotate(placement.rotation, inertia)
    )


def read_geom(element: Element, frame: Transform, compiler: CompilerSettings) -> Geom:
    """Read a geom whose defaults are applied; its size keeps MuJoCo's half-lengths."""
    check_mjcf_attributes(element)
    kind = choice_attribute(element, "type", _TYPES, "sphere")
    size = number_attributes(element, "size", 3, (), min_count=1)
    group = number_attribute(element, "group", 0.0)
    if "mesh" in element.attributes and kind in _SIZE_COUNTS:  # the mesh determines its size
        return Geom(element, "mesh", size, frame @ compiler.pose(element), int(group), kind)
    if kind not in _SIZE_COUNTS:
        return Geom(element, kind, size, frame @ compiler.pose(element), int(group))
    placement = compiler.pose(element)
    end_points = number_attributes(element, "fromto", 6, None)
    if end_points is not None:
        size, placement = _size_and_placement(element, kind, size, end_points)
    if len(size) < _SIZE_COUNTS[kind]:
        raise element.error(f"a {kind} needs {_SIZE_COUNTS[kind]} numbers in size, got {element.attributes.get('size', '')!r}")
    if not all(x > 0 for x in size[: _SIZE_COUNTS[kind]]):
        raise element.error(f"size {element.attributes.get('size')!r} of a {kind}: its numbers must be positive")
    return Geom(element, kind, size[: _SIZE_COUNTS[kind]], frame @ placement, int(group))


def geom_shape(geom: Geom, compiler: CompilerSettings, assets: Assets) -> Shape | None:
    """The solid or shell of a geom; None if the geom has no mass."""
    element = geom.element
    mass, density = number_attribute(element, "mass", None), number_attribute(element, "density", 1000.0)
    if geom.type == "plane" or mass == 0 or (mass is None and density == 0):
        return None
    if (mass is not None and mass < 0) or density < 0:
        raise element.error("mass and density cannot be negative")
    if geom.type == "hfield":  # MuJoCo takes a box for it
        geom = replace(geom, type="box", size=assets.hfield_box(geom))
    elif geom.fitted_type:
        geom = _fit_primitive(geom, compiler, assets)
    if geom.type not in _SIZE_COUNTS:
        return _mesh_shape(geom, mass, density, assets)
    if boolean_attribute(element, "shellinertia"):
        area, moments = _shell_inertia(geom.type, geom.size)
        mass = density * area if mass is None else mass
        xx, yy, zz = (mass * x for x in moments)
        return Shape(geom.type, geom.size, mass, (xx, 0, 0, yy, 0, zz), geom.placement)
    mass_or_density = {"mass": mass} if mass is not None else {"density": density}
    with error_location(*element.where):
        return _primitive_shape(geom, mass_or_density)


def inertia_from_geoms(name: str, geoms: Sequence[Geom], compiler: CompilerSettings, assets: Assets) -> Inertial:
    """The mass and inertia of all geoms of a body whose group counts."""
    low, high = compiler.groups
    shapes = [s for g in geoms if low <= g.group <= high and (s := geom_shape(g, compiler, assets)) is not None]
    shapes = [s for s in shapes if float(s.mass) > _MIN_MASS]
    if not shapes:
        return Inertial()
    total = Body.from_shapes(name, shapes)
    return Inertial(float(total.mass), total.center, total.inertia)


def apply_mass_bounds(inertial: Inertial, compiler: CompilerSettings) -> Inertial:
    """Mass and inertia changed by boundmass, boundinertia and balanceinertia."""
    mass = max(inertial.mass, compiler.boundmass)
    inertia = inertial.inertia
    if compiler.boundinertia > 0 or compiler.balanceinertia:
        moments, axes = np.linalg.eigh(np.array(v.sym_full(inertia), dtype=float))
        bounded_moments = np.maximum(moments, compiler.boundinertia)
        if compiler.balanceinertia and bounded_moments.sum() < 2 * bounded_moments.max():
            bounded_moments[:] = bounded_moments.mean()
        if not np.array_equal(bounded_moments, moments):
            inertia = v.sym_from_matrix((axes @ np.diag(bounded_moments) @ axes.T).tolist())
    return Inertial(mass, inertial.center, inertia)


def _size_and_placement(
    element: Element, kind: str, size: tuple[float, ...], end_points: tuple[float, ...]
) -> tuple[tuple[float, ...], Transform]:
    """Size and placement of a geom that reaches from one point to another."""
    if kind == "sphere":
        raise element.error("fromto needs a capsule, cylinder, box or ellipsoid, not a sphere")
    if any(number_attributes(element, "pos", 3, v.ZERO)):  # a pos of 0 and an orientation are ignored, as in MuJoCo
        raise element.error("has fromto and pos; give one of them")
    if not size:
        raise element.error("fromto needs a size, the radius")
    start, end = end_points[:3], end_points[3:]
    difference = v.sub(start, end)  # type: ignore[arg-type]
    length = math.hypot(*difference)
    if not length > 1e-14:
        raise element.error(f"fromto {element.attributes['fromto']!r}: the two points must differ")
    middle = v.scale(0.5, v.add(start, end))  # type: ignore[arg-type]
    cross_size = (size[0], size[0]) if kind in ("box", "ellipsoid") else (size[0],)
    return (*cross_size, length / 2), Transform(rotation_from_z(v.scale(1 / length, difference)), middle)


def _primitive_shape(geom: Geom, mass_or_density: dict[str, float]) -> Shape:
    size = geom.size
    if geom.type == "sphere":
        return solids.sphere(size[0], at=geom.placement, **mass_or_density)
    if geom.type == "box":
        return solids.box([2 * x for x in size], at=geom.placement, **mass_or_density)
    if geom.type == "ellipsoid":
        return solids.ellipsoid(size, at=geom.placement, **mass_or_density)
    make_shape = solids.capsule if geom.type == "capsule" else solids.cylinder
    return make_shape(size[0], 2 * size[1], at=geom.placement, **mass_or_density)


def _mesh_shape(geom: Geom, mass: float | None, density: float, assets: Assets) -> Shape:
    if boolean_attribute(geom.element, "shellinertia"):
        raise geom.element.error('use inertia="shell" of the <mesh> instead of shellinertia of the geom')
    mesh_properties = assets.find_mesh(geom).mass_properties
    mass = density * mesh_properties.volume if mass is None else mass
    inertia = v.sym_from_matrix((mass / mesh_properties.volume * mesh_properties.inertia).tolist())
    return Shape("mesh", (), mass, inertia, geom.placement @ Transform(position=tuple(mesh_properties.center.tolist())))


def _fit_primitive(geom: Geom, compiler: CompilerSettings, assets: Assets) -> Geom:
    """A primitive that has the size of a mesh's inertia, as MuJoCo fits it."""
    element = geom.element
    if compiler.fitaabb:
        raise element.error('a geom fitted to a mesh with fitaabb="true" has no inertia here; give its body an <inertial>')
    (a, b, c), box_placement = assets.find_mesh(geom).mass_properties.equivalent_box()
    is_round = geom.fitted_type in ("capsule", "cylinder")
    if is_round and c - b < 1e-6 * c:
        raise element.error(
            f"the mesh is as wide as it is long, so that the axis of the fitted {geom.fitted_type} is not determined"
        )
    size: tuple[float, ...] = (a, b, c)
    if geom.fitted_type == "sphere":
        size = ((a + b + c) / 3,)
    elif is_round:
        size = ((a + b) / 2, c if geom.fitted_type == "cylinder" else max(0.0, c - (a + b) / 4))
    scale = number_attribute(element, "fitscale", 1.0)
    return replace(
        geom, type=geom.fitted_type, size=tuple(float(scale * x) for x in size), placement=geom.placement @ box_placement
    )


# -- assets, and what to draw ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assets:
    """The meshes, height fields and colours that geoms refer to by name."""

    meshes: dict[str, MeshAsset] = field(default_factory=dict)
    hfields: dict[str, tuple[float, ...]] = field(default_factory=dict)
    colours: dict[str, tuple[float, ...]] = field(default_factory=dict)
    directory: str = ""  # of the main file, to which the files of visuals are relative

    def add(self, element: Element, compiler: CompilerSettings, folder: DescriptionFolder | None) -> None:
        """Add an element of <asset> with its defaults applied; `compiler` has the settings of its model."""
        if element.tag == "mesh":
            file = text_attribute(element, "file", "").replace("\\", "/")
            name = text_attribute(element, "name", os.path.splitext(os.path.basename(file))[0])
            mesh_file = os.path.basename(file) if compiler.strippath else file
            scale = number_attributes(element, "scale", 3, (1.0, 1.0, 1.0))
            self.meshes[name] = MeshAsset(element, _mesh_path(element, mesh_file, compiler.meshdir, folder), scale, folder)
        elif element.tag == "hfield":
            self.hfields[text_attribute(element, "name", "")] = number_attributes(element, "size", 4)
        elif element.tag == "material" and "rgba" in element.attributes:
            self.colours[text_attribute(element, "name", "")] = number_attributes(element, "rgba", 4)

    def find_mesh(self, geom: Geom) -> MeshAsset:
        name = text_attribute(geom.element, "mesh")
        if name not in self.meshes:
            raise geom.element.error(unknown_name_message("mesh", name, self.meshes))
        return self.meshes[name]

    def hfield_box(self, geom: Geom) -> tuple[float, ...]:
        """Half the lengths of the box that stands for a height field."""
        name = text_attribute(geom.element, "hfield")
        if name not in self.hfields:
            raise geom.element.error(unknown_name_message("hfield", name, self.hfields))
        x, y, top, base = self.hfields[name]
        return x, y, 0.25 * top + 0.5 * base

    def visual(self, geom: Geom) -> Visual | None:
        """What to draw for a geom; None if there is nothing to."""
        if geom.group not in _DRAWN_GROUPS or geom.type in ("plane", "hfield", "sdf"):
            return None
        own_colour = geom.element.attributes.get("rgba", "").strip()
        colour = (
            number_attributes(geom.element, "rgba", 4)
            if own_colour
            else self.colours.get(geom.element.attributes.get("material", ""), ())
        )
        if geom.type == "mesh":
            mesh = self.meshes.get(geom.element.attributes.get("mesh", ""))
            return Visual("mesh", mesh.scale, geom.placement, colour, self._visual_path(mesh)) if mesh and mesh.file else None
        return Visual(geom.type, _full_size(geom), geom.placement, colour)

    def _visual_path(self, mesh: MeshAsset) -> str:
        if mesh.folder is None or mesh.folder.directory == self.directory or os.path.isabs(mesh.file):
            return mesh.file
        return os.path.relpath(os.path.join(mesh.folder.directory, mesh.file), self.directory)


def _mesh_path(element: Element, file: str, meshdir: str, folder: DescriptionFolder | None) -> str:
    """The path of a mesh relative to the model's folder; an included file may name one relative to its own folder."""
    path = os.path.join(meshdir, file) if file else ""
    if folder is None or not file or os.path.exists(os.path.join(folder.directory, path)):
        return path
    alternative = os.path.join(os.path.relpath(os.path.dirname(os.path.abspath(element.file)), folder.directory), file)
    return alternative if os.path.exists(os.path.join(folder.directory, alternative)) else path


def _full_size(geom: Geom) -> tuple[float, ...]:
    """The size of a geom as `Visual` has it: full lengths, and radii."""
    if geom.type == "box":
        return tuple(2 * x for x in geom.size)
    if geom.type in ("capsule", "cylinder"):
        return (geom.size[0], 2 * geom.size[1])
    return geom.size


# -- shells (`shellinertia`) ---------------------------------------------------------------------------------------------


def _shell_inertia(kind: str, size: tuple[float, ...]) -> tuple[float, Moments]:
    """The area of a shell, and its principal moments for a mass of 1; MuJoCo's size has half-lengths."""
    if kind == "sphere":
        r = size[0]
        return 4 * math.pi * r * r, (2 * r * r / 3,) * 3
    if kind == "box":
        return _box_shell(*(2 * x for x in size))
    if kind == "ellipsoid":
        return _ellipsoid_shell(size)
    radius, half = size
    return (_capsule_shell if kind == "capsule" else _cylinder_shell)(radius, half)


def _capsule_shell(r: float, h: float) -> tuple[float, Moments]:
    caps, tube = 4 * math.pi * r * r, 4 * math.pi * r * h
    area = caps + tube
    a, b = caps / area, tube / area
    # the centre of half a sphere is r/2 out
    transverse_moment = b * (6 * r * r + 4 * h * h) / 12 + a * (2 * r * r / 3 + h * h + h * r)
    return area, (transverse_moment, transverse_moment, b * r * r + a * 2 * r * r / 3)


def _cylinder_shell(r: float, h: float) -> tuple[float, Moments]:
    discs, tube = 2 * math.pi * r * r, 4 * math.pi * r * h
    area = discs + tube
    a, b = discs / area, tube / area
    transverse_moment = b * (6 * r * r + 4 * h * h) / 12 + a * (r * r / 4 + h * h)
    return area, (transverse_moment, transverse_moment, b * r * r + a * r * r / 2)


def _box_shell(x: float, y: float, z: float) -> tuple[float, Moments]:
    # the two directions of a side, the axis across it, and its area
    areas = {(0, 1, 2): x * y, (1, 2, 0): y * z, (2, 0, 1): z * x}
    total = sum(areas.values())
    lengths, squares = (x, y, z), [0.0, 0.0, 0.0]  # the mean square of each coordinate
    for (i, j, k), area in areas.items():
        squares[i] += area / total * lengths[i] ** 2 / 12
        squares[j] += area / total * lengths[j] ** 2 / 12
        squares[k] += area / total * lengths[k] ** 2 / 4
    a, b, c = squares
    return 2 * total, (b + c, a + c, a + b)


def _ellipsoid_shell(size: tuple[float, ...]) -> tuple[float, Moments]:
    a, b, c = size
    p = _THOMSEN
    area = 4 * math.pi * (((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3) ** (1 / p)
    inner, outer = a * b * c, (a + _SKIN) * (b + _SKIN) * (c + _SKIN)

    def mean_square(x: float) -> float:
        return (outer * (x + _SKIN) ** 2 - inner * x * x) / (outer - inner) / 5

    return area, (mean_square(b) + mean_square(c), mean_square(a) + mean_square(c), mean_square(a) + mean_square(b))

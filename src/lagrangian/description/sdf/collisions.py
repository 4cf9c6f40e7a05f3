"""The inertia of a link that leaves it to its collision shapes: `<inertial auto="true">`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from lagrangian.description.meshes import collada, file
from lagrangian.description.meshes.solid import closed, solid
from lagrangian.description.notes import Notes
from lagrangian.description.sdf import files
from lagrangian.description.sdf.values import number, vector
from lagrangian.description.xml import Element
from lagrangian.errors import DescriptionError, placed
from lagrangian.model import shapes as solids
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.placement import Placement
from lagrangian.model.shapes import Shape

At = Callable[[Element], Placement]  # where a part of the link is, in the link's frame
_WATER = 1000.0
_MESHES = (*file.SUFFIXES, ".dae")


def from_collisions(link: Element, inertial: Element, at: At, notes: Notes) -> tuple[float, v.Vector, v.Symmetric]:
    """Mass, centre and inertia of the link's collision shapes; a mass that is given scales what their densities make."""
    density = number(inertial, "density", _WATER)
    shapes = [_solid(element, density, at(element), notes) for element in link.all("collision")]
    if not shapes:
        raise inertial.error('has auto="true", but the link has no <collision> that gives its inertia')
    with placed(*inertial.where):
        whole = Body.from_shapes("link", shapes)
        given = inertial.find("mass")
        if given is not None:
            mass = number(inertial, "mass", 1.0)
            if mass <= 0:
                raise inertial.error(f"the mass is {mass:g} kg; it must be positive")
            whole = whole.scaled(mass / float(whole.mass))
    return float(whole.mass), whole.center, whole.inertia


def _solid(collision: Element, density: float, at: Placement, notes: Notes) -> Shape:
    geometry = collision.find("geometry")
    shape = next(iter(geometry.children), None) if geometry is not None else None
    if shape is None:
        raise collision.error("has no geometry, which the inertia of the link needs")
    own = number(collision, "density", density)
    if own <= 0:
        raise collision.error(f"the density is {own:g} kg/m^3; it must be positive")
    with placed(*shape.where):
        if shape.tag == "box":
            return solids.box(vector(shape, "size", 3, (1.0, 1.0, 1.0)), density=own, at=at)
        if shape.tag == "sphere":
            return solids.sphere(number(shape, "radius", 1.0), density=own, at=at)
        if shape.tag == "ellipsoid":
            return solids.ellipsoid(vector(shape, "radii", 3, (1.0, 1.0, 1.0)), density=own, at=at)
        if shape.tag == "cylinder":
            return solids.cylinder(number(shape, "radius", 1.0), number(shape, "length", 1.0), density=own, at=at)
        if shape.tag == "capsule":
            return solids.capsule(number(shape, "radius", 0.5), number(shape, "length", 1.0), density=own, at=at)
        if shape.tag == "cone":
            return _cone(shape, number(shape, "radius", 0.5), number(shape, "length", 1.0), own, at)
        if shape.tag == "mesh":
            return _of_mesh(shape, own, at, notes)
    raise shape.error(f"the inertia of a {shape.tag} is not computed; give the link a mass and an <inertia>")


def _cone(element: Element, radius: float, length: float, density: float, at: Placement) -> Shape:
    """A solid cone along z whose frame is midway between its base and its tip; its centre of mass is a quarter from the base."""
    if not (radius > 0 and length > 0):
        raise element.error(f"radius {radius:g} and length {length:g} of a cone must be positive")
    mass = density * math.pi * radius**2 * length / 3
    side = mass * (3 / 20 * radius**2 + 3 / 80 * length**2)
    low = at @ Placement(position=(0, 0, -length / 4))
    return Shape("cylinder", (radius, length), mass, (side, 0, 0, side, 0, 0.3 * mass * radius**2), low)


def _of_mesh(element: Element, density: float, at: Placement, notes: Notes) -> Shape:
    """What a mesh encloses, as it is scaled; where it has holes, the pyramids from its centre to its faces."""
    uri = element.find("uri") or element.find("filename")
    if uri is None or not uri.text:
        raise element.error("has no file, which the inertia of the link needs")
    if element.find("submesh") is not None:
        raise element.error("the inertia of a part of a mesh is not computed; give the link a mass and an <inertia>")
    if element.file.startswith("<"):
        raise element.error(f"{uri.text!r} cannot be read: this model is a string without a folder")
    path = str(files.mesh(element, uri.text))
    if not path.lower().endswith(_MESHES):
        raise element.error(f"the mesh {uri.text!r} gives no inertia; only {', '.join(_MESHES)} do")
    scale = np.array(vector(element, "scale", 3, (1.0, 1.0, 1.0)))
    try:
        vertices, faces = collada.read(path) if path.lower().endswith(".dae") else file.read(path)
        if scale.prod() < 0:
            faces = faces[:, ::-1]  # a mirrored mesh is turned inside out
        found = solid(vertices * scale, faces, "exact")
    except DescriptionError:
        raise
    except OSError as error:
        raise element.error(f"the mesh {uri.text!r} cannot be read: {error.strerror}") from None
    except (ValueError, OverflowError) as error:
        raise element.error(f"its inertia is needed, but the mesh {uri.text!r} is not valid: {error}") from None
    if not closed(vertices, faces):
        notes.add(
            "mesh that is not closed",
            "its inertia is computed from the pyramids between its centre and its faces",
            uri.text,
            warn=True,
        )
    inertia = v.sym_of((density * found.inertia).tolist())
    return Shape("mesh", (), density * found.volume, inertia, at @ Placement(position=tuple(found.center.tolist())))

"""A link of an SDF as a body: its inertial data, which may come from its collision shapes, and its visuals."""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import numpy as np

from lagrangian.description.files import find_file
from lagrangian.description.meshes import read
from lagrangian.description.meshes.mass_properties import is_watertight, mass_properties
from lagrangian.description.notes import ReaderNotes, body_with_noted_inertia
from lagrangian.description.schema import line_of
from lagrangian.description.sdf.frames import WORLD, FrameGraph, FrameNode
from lagrangian.description.sdf.uris import find_mesh
from lagrangian.description.sdf.values import boolean_attribute, child_boolean, child_number, child_vector, read_pose, relative_to
from lagrangian.description.xml import Element
from lagrangian.errors import DescriptionError, error_location
from lagrangian.model import shapes as solids
from lagrangian.model import vector as v
from lagrangian.model.body import Body, inertia_problem
from lagrangian.model.placement import Transform
from lagrangian.model.shapes import Shape, Visual

PlacementOf = Callable[[Element], Transform]  # the placement of a part of the link in the link's frame
_WATER_DENSITY = 1000.0  # kg/m^3
_MESH_SUFFIXES = (*read.SUFFIXES, ".dae")
_MOMENTS = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}  # with SDF's defaults
_DECAY_TAGS = ("linear", "angular")


def read_body(node: FrameNode, name: str, frames: FrameGraph, main_file: str, notes: ReaderNotes) -> Body:
    """The body of a link. `name` is that of the body; paths of meshes become relative to `main_file`."""
    link, static = node.element, node.is_static

    def placement_of(element: Element) -> Transform:
        return frames.pose_in_link(node, element)

    _note_unread(link, name, static, notes)
    visuals = tuple(
        x
        for element in link.find_all("visual")
        if (x := _read_visual_or_note(element, placement_of, main_file, notes)) is not None
    )
    mass, center, inertia = _read_inertial(link, name, static, placement_of, notes)
    with error_location(*link.where):
        if static and inertia_problem(mass, inertia):  # it does not move
            return Body(name, visuals=visuals)
        return body_with_noted_inertia(name, mass, center, inertia, visuals, notes)


def is_weightless(node: FrameNode) -> bool:
    """Whether gravity does not act on a link that moves."""
    return not node.is_static and not child_boolean(node.element, "gravity", True)


def _note_unread(link: Element, name: str, static: bool, notes: ReaderNotes) -> None:
    if link.find("drake:deformable_properties") is not None:
        raise link.error("is deformable; only rigid links are supported")
    if link.attributes["name"] == WORLD:
        meaning = "fixed in place: this name is reserved for the world in SDF"
        notes.add(f"link named {WORLD!r}", meaning, name, warn=True)
    for _ in link.find_all("collision"):
        notes.add("<collision>", "ignored: contacts are not simulated")
    if static:
        return
    if child_boolean(link, "kinematic"):
        notes.add("<kinematic> link", "ignored: forces act on it", name, warn=True)
    decay = link.find("velocity_decay")
    if decay is not None and any(child_number(decay, tag, 0.0) for tag in _DECAY_TAGS):
        notes.add("<velocity_decay> of a link", "ignored", name, warn=True)


def _read_inertial(
    link: Element, name: str, static: bool, placement_of: PlacementOf, notes: ReaderNotes
) -> tuple[float, v.Vector, v.Symmetric]:
    """Mass, centre and inertia about it, along the link's axes; the defaults of SDF are 1 kg and 1 kg m^2."""
    element = link.find("inertial")
    if element is None:
        if not static:
            notes.add("link without <inertial>", "has 1 kg, and 1 kg m^2 about each axis, as SDF specifies", name)
        return 1.0, v.ZERO, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    if boolean_attribute(element, "auto"):
        if static:  # it does not move
            return 1.0, v.ZERO, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
        return _inertia_from_collisions(link, element, placement_of, notes)
    if element.find("fluid_added_mass") is not None and not static:
        notes.add("<fluid_added_mass> of a link", "ignored", name, warn=True)
    mass = child_number(element, "mass", 1.0)
    if mass < 0:
        raise element.error(f"the mass is {mass:g} kg; it cannot be negative")
    moments = element.find("inertia")
    entries = dict(_MOMENTS) if moments is None else {key: child_number(moments, key, x) for key, x in _MOMENTS.items()}
    missing = [key for key in entries if moments is None or moments.find(key) is None]
    if any(_MOMENTS[key] for key in missing) and not static:
        notes.add("<inertial> without all of ixx, iyy, izz", "has 1 kg m^2 for those, as SDF specifies", name)
    inertia: v.Symmetric = tuple(entries.values())  # type: ignore[assignment]
    if relative_to(element):  # libsdformat ignores it without a message
        meaning = "ignored: the pose is relative to the link, as SDF specifies"
        notes.add("relative_to of the <pose> of an <inertial>", meaning, name, warn=True)
    inertial_pose = read_pose(element)
    link_inertia = inertia if inertial_pose.rotation == v.IDENTITY else v.sym_rotate(inertial_pose.rotation, inertia)
    return mass, inertial_pose.position, link_inertia


# -- inertia from collision shapes (`auto`) ------------------------------------------------------------------------------


def _inertia_from_collisions(
    link: Element, inertial: Element, placement_of: PlacementOf, notes: ReaderNotes
) -> tuple[float, v.Vector, v.Symmetric]:
    """Mass, centre and inertia of the link's collision shapes, by their densities, or scaled to the mass that is given."""
    density = child_number(inertial, "density", _WATER_DENSITY)
    shapes = [_collision_shape(element, density, placement_of(element), notes) for element in link.find_all("collision")]
    if not shapes:
        raise inertial.error('has auto="true", but the link has no <collision> that gives its inertia')
    with error_location(*inertial.where):
        total = Body.from_shapes("link", shapes)
        mass_element = inertial.find("mass")
        if mass_element is not None:
            mass = child_number(inertial, "mass", 1.0)
            if mass <= 0:
                raise inertial.error(f"the mass is {mass:g} kg; it must be positive")
            total = total.with_scaled_mass(mass / float(total.mass))
    return float(total.mass), total.center, total.inertia


def _collision_shape(collision: Element, density: float, placement: Transform, notes: ReaderNotes) -> Shape:
    geometry = collision.find("geometry")
    shape = next(iter(geometry.children), None) if geometry is not None else None
    if shape is None:
        raise collision.error("has no geometry, which the inertia of the link needs")
    own_density = child_number(collision, "density", density)
    if own_density <= 0:
        raise collision.error(f"the density is {own_density:g} kg/m^3; it must be positive")
    with error_location(*shape.where):
        if shape.tag == "box":
            return solids.box(child_vector(shape, "size", 3, (1.0, 1.0, 1.0)), density=own_density, at=placement)
        if shape.tag == "sphere":
            return solids.sphere(child_number(shape, "radius", 1.0), density=own_density, at=placement)
        if shape.tag == "ellipsoid":
            return solids.ellipsoid(child_vector(shape, "radii", 3, (1.0, 1.0, 1.0)), density=own_density, at=placement)
        if shape.tag == "cylinder":
            return solids.cylinder(
                child_number(shape, "radius", 1.0), child_number(shape, "length", 1.0), density=own_density, at=placement
            )
        if shape.tag == "capsule":
            return solids.capsule(
                child_number(shape, "radius", 0.5), child_number(shape, "length", 1.0), density=own_density, at=placement
            )
        if shape.tag == "cone":
            return _cone(shape, child_number(shape, "radius", 0.5), child_number(shape, "length", 1.0), own_density, placement)
        if shape.tag == "mesh":
            return _mesh_shape(shape, own_density, placement, notes)
    raise shape.error(f"the inertia of a {shape.tag} is not computed; give the link a mass and an <inertia>")


def _cone(element: Element, radius: float, length: float, density: float, placement: Transform) -> Shape:
    """A solid cone along z: its frame is midway between base and tip, its centre of mass a quarter from the base."""
    if not (radius > 0 and length > 0):
        raise element.error(f"radius {radius:g} and length {length:g} of a cone must be positive")
    mass = density * math.pi * radius**2 * length / 3
    transverse_moment = mass * (3 / 20 * radius**2 + 3 / 80 * length**2)
    centre_placement = placement @ Transform(position=(0, 0, -length / 4))
    return Shape(
        "cylinder",
        (radius, length),
        mass,
        (transverse_moment, 0, 0, transverse_moment, 0, 0.3 * mass * radius**2),
        centre_placement,
    )


def _mesh_shape(element: Element, density: float, placement: Transform, notes: ReaderNotes) -> Shape:
    """The solid that a scaled mesh encloses; if the mesh has holes, the pyramids from its centre to its faces."""
    uri = element.find("uri") or element.find("filename")
    if uri is None or not uri.text:
        raise element.error("has no file, which the inertia of the link needs")
    if element.find("submesh") is not None:
        raise element.error("the inertia of a part of a mesh is not computed; give the link a mass and an <inertia>")
    if element.file.startswith("<"):
        raise element.error(f"{uri.text!r} cannot be read: this model is a string without a folder")
    path = str(find_mesh(element, uri.text))
    if not path.lower().endswith(_MESH_SUFFIXES):
        raise element.error(f"the mesh {uri.text!r} gives no inertia; only {', '.join(_MESH_SUFFIXES)} do")
    scale = np.array(child_vector(element, "scale", 3, (1.0, 1.0, 1.0)))
    try:
        vertices, faces = read.read_collada(path) if path.lower().endswith(".dae") else read.read_triangles(path)
        if scale.prod() < 0:
            faces = faces[:, ::-1]  # a mirrored mesh is turned inside out
        mesh_properties = mass_properties(vertices * scale, faces, "exact")
    except DescriptionError:
        raise
    except OSError as error:
        raise element.error(f"the mesh {uri.text!r} cannot be read: {error.strerror}") from None
    except (ValueError, OverflowError) as error:
        raise element.error(f"its inertia is needed, but the mesh {uri.text!r} is not valid: {error}") from None
    if not is_watertight(vertices, faces):
        notes.add(
            "mesh that is not closed",
            "its inertia is computed from the pyramids between its centre and its faces",
            uri.text,
            warn=True,
        )
    inertia = v.sym_from_matrix((density * mesh_properties.inertia).tolist())
    return Shape(
        "mesh",
        (),
        density * mesh_properties.volume,
        inertia,
        placement @ Transform(position=tuple(mesh_properties.center.tolist())),
    )


# -- visuals -----------------------------------------------------------------------------------------------------------


def _read_visual_or_note(element: Element, placement_of: PlacementOf, main_file: str, notes: ReaderNotes) -> Visual | None:
    """A visual, or None with a note if it cannot be drawn, which is no error: the link moves all the same."""
    try:
        return _read_visual(element, placement_of, main_file, notes)
    except DescriptionError as error:
        notes.add("<visual> with a mistake", f"not drawn: {error.problem}", line_of(element))
        return None


def _read_visual(element: Element, placement_of: PlacementOf, main_file: str, notes: ReaderNotes) -> Visual | None:
    geometry = element.find("geometry")
    shape = next(iter(geometry.children), None) if geometry is not None else None
    if shape is None:
        notes.add("<visual> without a shape", "not drawn", element.attributes.get("name", ""))
        return None
    tag = shape.tag.removeprefix("drake:")
    size: tuple[float, ...]
    file = ""
    if tag == "box":
        size = child_vector(shape, "size", 3, (1.0, 1.0, 1.0))
    elif tag in ("cylinder", "capsule"):
        size = (child_number(shape, "radius", 1.0 if tag == "cylinder" else 0.5), child_number(shape, "length", 1.0))
    elif tag == "sphere":
        size = (child_number(shape, "radius", 1.0),)
    elif tag == "ellipsoid":
        size = child_vector(shape, "radii", 3, (1.0, 1.0, 1.0))
    elif tag == "mesh":
        uri = shape.find("uri") or shape.find("filename")
        if uri is None or not uri.text:
            notes.add("<mesh> without a file", "not drawn", element.attributes.get("name", ""))
            return None
        size, file = child_vector(shape, "scale", 3, (1.0, 1.0, 1.0)), _mesh_path(uri.text, shape.file, main_file)
    else:
        notes.add(f"<{shape.tag}> of a visual", "not drawn")
        return None
    return Visual(tag, size, placement_of(element), _read_colour(element), file)


def _read_colour(element: Element) -> tuple[float, ...]:
    """The diffuse or ambient colour of a material, with the visual's transparency."""
    material = element.find("material")
    colour: tuple[float, ...] = ()
    for tag in ("diffuse", "ambient"):
        colour_element = material.find(tag) if material is not None else None
        if colour_element is not None and len(colour_element.text.split()) in (3, 4) and not colour:
            colour = child_vector(material, tag, len(colour_element.text.split()), ())  # type: ignore[arg-type]
    transparency = child_number(element, "transparency", 0.0)
    if transparency and colour:
        colour = (*colour[:3], (colour[3] if len(colour) > 3 else 1.0) * (1 - transparency))
    return colour


def _mesh_path(uri: str, file: str, main_file: str) -> str:
    """The path of a mesh relative to the main file, which may include the file that names the mesh."""
    if os.path.dirname(file) == os.path.dirname(main_file):
        return uri
    try:
        return str(find_file(uri, file))
    except DescriptionError:
        return uri  # an error is raised only if it is drawn

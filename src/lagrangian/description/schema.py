"""The elements and attributes that URDF, SDF and MJCF know, and checks of a file against them.

A misspelt `friction` that a reader passes over is no friction, and the mechanism moves otherwise than its author meant.

- URDF: urdfdom passes over unknown and repeated elements without a word. Here what looks misspelt is an error. What is
  somebody's extension of the format is a note, with a warning where it may change the dynamics.
- SDF: libsdformat prints a message that is seldom seen. Here what is unknown is a warning. The elements are those of all versions
  from 1.2 to 1.12.
- MJCF: as in MuJoCo, what is unknown is an error. The names are those of MuJoCo 4.0, with those of earlier versions that files
  still have.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from lagrangian.description.notes import ReaderNotes
from lagrangian.description.xml import Element
from lagrangian.errors import unknown_name_message

IGNORED = "ignored"
_URDF_VERSIONS = ("1.0", "1.1", "1.2")
_WITHOUT_QUATERNION = ("", "1.0")
_WITHOUT_AXIS = ("fixed", "floating")


@dataclass(frozen=True)
class _ElementSchema:
    """The attributes and children of an element of URDF. What is unknown in one that `forbids_unknown` gives a warning."""

    attributes: tuple[str, ...]
    children: tuple[str, ...] = ()
    repeatable: tuple[str, ...] = ()  # children that may occur several times
    forbids_unknown: bool = True
    affects_dynamics: bool = False  # whether an unknown attribute may change the dynamics
    similarity: float = 0.7  # from here on an unknown child is a known one misspelt: all published extensions are less similar


_URDF_TOP_LEVEL = ("link", "joint", "material", "loop", "coupling")
_LOOP_END = _ElementSchema(("link",), ("origin",), forbids_unknown=False)
_URDF_SCHEMAS = {
    "robot": _ElementSchema(("name", "version"), _URDF_TOP_LEVEL, _URDF_TOP_LEVEL, False, similarity=0.85),
    "link": _ElementSchema(("name",), ("inertial", "visual", "collision"), ("visual", "collision"), False),
    "joint": _ElementSchema(
        ("name", "type", "independent"),
        ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller"),
        forbids_unknown=False,
    ),
    "inertial": _ElementSchema((), ("origin", "mass", "inertia")),
    "origin": _ElementSchema(("xyz", "rpy", "quat_xyzw")),
    "mass": _ElementSchema(("value",)),
    "inertia": _ElementSchema(("ixx", "ixy", "ixz", "iyy", "iyz", "izz", "iyx", "izx", "izy")),
    "parent": _ElementSchema(("link",)),
    "child": _ElementSchema(("link",)),
    "axis": _ElementSchema(("xyz",)),
    "limit": _ElementSchema(
        ("lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"), forbids_unknown=False
    ),
    "dynamics": _ElementSchema(("damping", "friction"), forbids_unknown=False, affects_dynamics=True),
    "loop": _ElementSchema(("name", "type"), ("predecessor", "successor", "axis"), affects_dynamics=True),
    "coupling": _ElementSchema(("name",), ("predecessor", "successor", "ratio"), affects_dynamics=True),
    "predecessor": _LOOP_END,
    "successor": _LOOP_END,
    "ratio": _ElementSchema(("value",)),
}
_READ_URDF_CHILDREN = {  # the children that carry kinematics or dynamics; the rest is drawn, or not read at all
    "robot": ("link", "joint", "loop", "coupling"),
    "link": ("inertial",),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics"),
    "inertial": ("origin", "mass", "inertia"),
    "loop": ("predecessor", "successor", "axis"),
    "coupling": ("predecessor", "successor", "ratio"),
    "predecessor": ("origin",),
    "successor": ("origin",),
}
# elements by which other programs join bodies of a robot: without them, it moves otherwise
_JOINING_TAGS = (
    "loop_joint",
    "loop_constraint",
    "joint_constraint",
    "rotation_constraint",
    "drake:joint",
    "drake:ball_constraint",
)


def check_urdf_schema(root: Element, notes: ReaderNotes) -> None:
    """Refuse what is misspelt in a URDF, and note what of it is not read."""
    version = root.attributes.get("version", "")
    if version and version not in _URDF_VERSIONS:
        raise root.error(f"version is {version!r}; the versions are {', '.join(_URDF_VERSIONS)}")
    for element in _urdf_elements(root):
        schema = _URDF_SCHEMAS.get(element.tag)
        if schema is not None:
            _check_urdf_attributes(element, schema, notes)
            _check_urdf_children(element, schema, notes)
        if element.tag == "origin" and "quat_xyzw" in element.attributes and version in _WITHOUT_QUATERNION:
            meaning = 'accepted; other programs ignore it unless the file has <robot version="1.1">'
            notes.add("quat_xyzw", meaning, name_and_line(element), warn=True)


def name_and_line(element: Element) -> str:
    """The place that a note names: the name of the element, or of the element around it, and the line."""
    name = element.attributes.get("name") or _name_in_label(element.owner)
    return f"{name} in line {element.line}" if name else f"line {element.line}"


def _urdf_elements(root: Element) -> Iterator[Element]:
    """The elements that carry kinematics or dynamics, in the order of the file."""
    stack = [root]
    while stack:
        element = stack.pop()
        yield element
        tags_to_read = _READ_URDF_CHILDREN.get(element.tag, ())
        if element.attributes.get("type") in _WITHOUT_AXIS:
            tags_to_read = tuple(tag for tag in tags_to_read if tag != "axis")
        stack.extend(child for child in reversed(element.children) if child.tag in tags_to_read)


def _check_urdf_attributes(element: Element, schema: _ElementSchema, notes: ReaderNotes) -> None:
    for attribute in element.attributes:
        if attribute in schema.attributes or attribute == "xmlns" or attribute.startswith("xmlns:"):
            continue
        # what is misspelt is not there in its right spelling
        missing = [allowed_name for allowed_name in schema.attributes if allowed_name not in element.attributes]
        if ":" not in attribute and _is_similar(attribute, missing, 0.6):  # a namespace is an extension's
            raise element.error(unknown_name_message("attribute", attribute, schema.attributes))
        is_dynamic = schema.forbids_unknown or schema.affects_dynamics
        name = name_and_line(element) if is_dynamic else element.attributes.get("name") or _name_in_label(element.owner)
        notes.add(f"{attribute!r} of a <{element.tag}>", IGNORED, name, warn=is_dynamic)


def _check_urdf_children(element: Element, schema: _ElementSchema, notes: ReaderNotes) -> None:
    name = element.attributes.get("name") or _name_in_label(element.owner)
    present_tags = {child.tag for child in element.children}
    missing = [tag for tag in schema.children if tag not in present_tags or tag in schema.repeatable]
    unknown_tags: set[str] = set()
    visited_tags: set[str] = set()
    for child in element.children:
        if child.tag not in schema.children:
            if child.tag not in unknown_tags and _is_similar(child.tag, missing, schema.similarity):
                raise child.error(unknown_name_message(f"element in <{element.tag}>", child.tag, schema.children))
            unknown_tags.add(child.tag)
            _note_urdf_extension(element, child, name, notes)
        elif child.tag in visited_tags and child.tag not in schema.repeatable:
            notes.add(
                f"second <{child.tag}> of a <{element.tag}>", "ignored: the first one counts", name_and_line(child), warn=True
            )
        visited_tags.add(child.tag)


def _note_urdf_extension(element: Element, child: Element, name: str, notes: ReaderNotes) -> None:
    if child.tag.startswith("xacro:"):
        return  # the reader of the file has a note on it
    if element.tag != "robot":
        notes.add(f"<{child.tag}> of a <{element.tag}>", IGNORED, name)
        return
    joins_links = child.tag in _JOINING_TAGS
    subject = name_and_line(child) if joins_links else child.attributes.get("name", "")
    notes.add(
        f"<{child.tag}>",
        f"{IGNORED}: the links that it connects move freely" if joins_links else IGNORED,
        subject,
        warn=joins_links,
    )


def _is_similar(name: str, choices: Iterable[str], cutoff: float) -> bool:
    return bool(difflib.get_close_matches(name.lower(), list(choices), n=1, cutoff=cutoff))


def _name_in_label(owner: str) -> str:
    """The name in the label of an element: of <link name="arm">, arm."""
    return owner.partition('"')[2].rpartition('"')[0]


# -- SDF -----------------------------------------------------------------------------------------------------------------

_SDF_CHILDREN = {
    tag: frozenset(names.split())
    for tag, names in {
        "sdf": "world model light actor",
        "world": "audio wind include gravity magnetic_field atmosphere gui physics scene light frame joint model actor plugin "
        "road spherical_coordinates state population",
        "model": "static self_collide allow_auto_disable frame pose link joint plugin gripper include model enable_wind "
        "model_state",
        "include": "uri name namespace static pose placement_frame plugin model_state",
        "link": "gravity enable_wind self_collide kinematic must_be_base_link velocity_decay pose inertial collision visual "
        "sensor projector audio_sink audio_source battery light particle_emitter frame damping",
        "inertial": "mass density auto_inertia_params pose inertia fluid_added_mass frame",
        "inertia": "ixx ixy ixz iyy iyz izz",
        "joint": "parent child gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch axis axis2 physics pose "
        "sensor frame",
        "axis": "xyz dynamics limit mimic initial_position",
        "axis2": "xyz dynamics limit mimic initial_position",
        "dynamics": "damping friction spring_reference spring_stiffness",
        "limit": "lower upper effort velocity stiffness dissipation",
        "mimic": "multiplier offset reference",
        "frame": "pose",
    }.items()
}
_SDF_ATTRIBUTES = {
    "sdf": ("version",),
    "world": ("name",),
    "model": ("name", "canonical_link", "placement_frame", "namespace"),
    "include": ("merge",),
    "link": ("name",),
    "joint": ("name", "type"),
    "frame": ("name", "attached_to", "placement_frame"),  # placement_frame: of a frame that stands for a merged model
    "pose": ("relative_to", "rotation_format", "degrees"),
    "xyz": ("expressed_in",),
    "inertial": ("auto",),
    "mimic": ("joint", "axis"),
}
# elements whose value is their text: an attribute in its place, as URDF has it, would be passed over
_SDF_TEXT_NAMES = (
    "mass density ixx ixy ixz iyy iyz izz parent child gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch "
    "damping friction spring_reference spring_stiffness lower upper effort velocity multiplier offset reference uri static"
)
_SDF_TEXT_ELEMENTS = frozenset((*_SDF_TEXT_NAMES.split(), "pose", "xyz"))
_SDF_REPEATABLE_NAMES = (
    "world model light actor include frame joint link plugin gripper collision visual sensor projector audio_source audio_sink "
    "battery particle_emitter physics road state population"
)
_SDF_REPEATABLE = frozenset(_SDF_REPEATABLE_NAMES.split())
_SDF_IGNORED = {  # and what that means for the mechanism
    "sensor": "ignored",
    "plugin": "ignored: nothing is executed",
    "gripper": "ignored",
    "actor": "ignored",
    "light": "ignored",
    "population": "ignored: its models are left out",
    "state": "ignored: the models keep their poses",
    "model_state": "ignored",
    "initial_position": "ignored",
}
_SDF_AFFECTS_DYNAMICS = frozenset(("population", "state", "initial_position"))


def check_sdf_schema(root: Element, notes: ReaderNotes) -> None:
    """Note what of an SDF is unknown, repeated, or known and not read."""
    for element in _sdf_elements(root):
        allowed_tags = _SDF_CHILDREN[element.tag]
        missing = allowed_tags - {child.tag for child in element.children}
        for part in (element, *(child for child in element.children if child.tag in _SDF_TEXT_ELEMENTS)):
            _check_sdf_attributes(part, notes)
        visited_tags: set[str] = set()
        for child in element.children:
            if child.tag in visited_tags and child.tag in allowed_tags and child.tag not in _SDF_REPEATABLE:
                kind = f"second <{child.tag}> of a <{element.tag}>"
                notes.add(kind, "ignored: the first one counts", line_of(child), warn=True)
            elif child.tag in _SDF_IGNORED:
                name = child.attributes.get("name", "")
                notes.add(f"<{child.tag}>", _SDF_IGNORED[child.tag], name, warn=child.tag in _SDF_AFFECTS_DYNAMICS)
            elif child.tag not in allowed_tags and ":" not in child.tag:
                notes.add(f"unknown element in <{element.tag}>", "not read", _describe_unknown(child, missing), warn=True)
            elif ":" in child.tag and not child.tag.startswith("drake:"):  # the reader of Drake's extensions looks at those
                notes.add("element of an extension", "ignored", f"<{child.tag[:40]}>")
            visited_tags.add(child.tag)


def line_of(element: Element) -> str:
    """The place that a note names."""
    return f"line {element.line}"


def _check_sdf_attributes(element: Element, notes: ReaderNotes) -> None:
    allowed_names = _SDF_ATTRIBUTES.get(element.tag, ())
    for attribute in element.attributes:
        if attribute not in allowed_names and attribute != "xmlns" and ":" not in attribute:
            similar = difflib.get_close_matches(attribute[:40], allowed_names, n=1, cutoff=0.6)
            hint = f" (did you mean {similar[0]!r}?)" if similar else ""
            where = f"{attribute[:40]!r} in {line_of(element)}{hint}"
            notes.add(f"unknown attribute of <{element.tag}>", "not read", where, warn=True)


def _describe_unknown(element: Element, missing: frozenset[str]) -> str:
    """The name and line of an unknown element, and the known element that may be meant."""
    similar = difflib.get_close_matches(element.tag[:40], sorted(missing), n=1, cutoff=0.7)
    return f"<{element.tag[:40]}> in line {element.line}" + (f" (did you mean <{similar[0]}>?)" if similar else "")


def _sdf_elements(root: Element) -> Iterator[Element]:
    """The elements whose children are read, in the order of the file."""
    stack = [root]
    while stack:
        element = stack.pop()
        yield element
        stack.extend(child for child in reversed(element.children) if child.tag in _SDF_CHILDREN)


# -- MJCF ----------------------------------------------------------------------------------------------------------------


def _sets_by_tag(names: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {tag: frozenset(text.split()) for tag, text in names.items()}


MJCF_ATTRIBUTES = _sets_by_tag(
    {
        "compiler": "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict convexhull coordinate "
        "discardvisual eulerseq exactmeshinertia fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir passthrough "
        "savecanonical savecompiled saveinertial settotalmass strippath texturedir usethread",
        "mujoco": "model",
        "lengthrange": "accel interval inttotal maxforce mode timeconst timestep tolrange useexisting uselimit",
        "option": "actuatorgroupdisable apirate ccd_iterations ccd_tolerance collision cone density gravity impratio integrator "
        "iterations jacobian ls_iterations ls_tolerance magnetic mpr_iterations mpr_tolerance noslip_iterations "
        "noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver "
        "timestep tolerance viscosity wind",
        "flag": "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp filterparent "
        "frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd override passive refsafe "
        "sensor sleep speculative spring warmstart",
        "key": "act ctrl mpos mquat name plastic qpos qvel time",
        "default": "class",
        "body": "axisangle childclass euler fuse gravcomp mocap name pos quat simple sleep user xyaxes zaxis",
        "worldbody": "name childclass",
        "frame": "axisangle childclass euler massscale name pos quat scale scaling xyaxes zaxis",
        "replicate": "childclass count euler offset prefix sep",
        "attach": "body frame model prefix",
        "model": "content_type file name",
        "inertial": "axisangle diaginertia euler fullinertia mass pos quat xyaxes zaxis",
        "joint": "actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis class damping frictionloss group limited "
        "margin name pos range ref solimpfriction solimplimit solreffriction solreflimit springdamper springref springyield "
        "stiffness type user",
        "freejoint": "align group name",
        "geom": "adhesion axisangle castshadow class conaffinity condim contype density euler fitscale fluidcoef fluidshape "
        "friction fromto gap group hfield margin mass material mesh name pos priority quat rgba shellinertia size solimp solmix "
        "solref surfacevel type user xyaxes zaxis",
        "site": "axisangle class euler fromto group material mesh name pos quat rgba size type user xyaxes zaxis",
        "mesh": "builtin class content_type face file inertia material maxhullvert name normal params refpos refquat scale "
        "smoothnormal texcoord vertex",
        "connect": "active anchor body1 body2 class name site1 site2 solimp solref",
        "weld": "active anchor body1 body2 class name relpose site1 site2 solimp solref torquescale",
    }
)

_NOT_IN_DEFAULT = {"name", "class"}
# what <default> may hold; most actuators have these attributes, and each has others of its own
_ACTUATOR_ATTRIBUTES = (
    "armature cranklength ctrllimited ctrlrange damping delay forcelimited forcerange gear group interp nsample user"
)
MJCF_DEFAULTS = {
    **{tag: MJCF_ATTRIBUTES[tag] - _NOT_IN_DEFAULT for tag in ("joint", "geom", "site")},
    **_sets_by_tag(
        {
            "mesh": "inertia maxhullvert scale",
            "texture": "builtin colorspace embed gridlayout gridsize height hflip mark markrgb nchannel random rgb1 rgb2 type "
            "vflip width",
            "material": "emission metallic reflectance rgba roughness shininess specular texrepeat texture texuniform",
            "camera": "axisangle euler focal focalpixel fovy ipd mode orthographic output pos principal principalpixel "
            "projection quat resolution sensorsize user xyaxes zaxis",
            "light": "active ambient attenuation bulbradius castshadow cutoff diffuse dir directional exponent intensity mode "
            "pos range softness specular texture type",
            "pair": "adhesion condim friction gap margin solimp solref solreffriction",
            "equality": "active solimp solref",
            "tendon": "actuatorfrclimited actuatorfrcrange armature damping frictionloss group limited margin material range "
            "rgba solimpfriction solimplimit solreffriction solreflimit springlength springyield stiffness user width",
            "general": _ACTUATOR_ATTRIBUTES
            + " actdim actearly actlimited actrange biasprm biastype dynprm dyntype ffrange gainprm gaintype "
            "inheritrange input velrange",
            "motor": _ACTUATOR_ATTRIBUTES,
            "position": _ACTUATOR_ATTRIBUTES + " dampratio inheritrange kp kv timeconst",
            "velocity": _ACTUATOR_ATTRIBUTES + " kv",
            "intvelocity": _ACTUATOR_ATTRIBUTES + " actlimited actrange dampratio inheritrange kp kv",
            "orientation": "ctrlrange dampratio delay forcelimited forcerange group input interp kp kv nsample user",
            "pid": _ACTUATOR_ATTRIBUTES + " dampratio ffrange imax inheritrange input ki kp kv posrange slewmax velrange",
            "damper": "armature cranklength ctrlrange damping delay forcelimited forcerange gear group interp kv nsample user",
            "cylinder": _ACTUATOR_ATTRIBUTES + " area bias diameter timeconst",
            "muscle": _ACTUATOR_ATTRIBUTES + " force fpmax fvmax lmax lmin range scale timeconst vmax",
            "adhesion": "ctrlrange delay forcelimited forcerange gain group interp nsample user",
            "dcmotor": "armature cogging controller cranklength ctrllimited ctrlrange damping delay gear group "
            "inductance input interp lugre motorconst nominal nsample resistance saturation thermal user",
        }
    ),
}


def check_mjcf_attributes(element: Element, allowed_names: Collection[str] | None = None) -> None:
    """Refuse attributes that are not allowed; by default those that MJCF has for the element are allowed."""
    names = MJCF_ATTRIBUTES[element.tag] if allowed_names is None else allowed_names
    for attribute in element.attributes:
        if attribute not in names:
            raise element.error(unknown_name_message("attribute", attribute, sorted(names)))


def check_mjcf_default(element: Element) -> None:
    """Refuse an element or attribute that <default> cannot hold."""
    if element.tag not in MJCF_DEFAULTS:
        raise element.error(unknown_name_message("element in <default>", element.tag, sorted((*MJCF_DEFAULTS, "default"))))
    check_mjcf_attributes(element, MJCF_DEFAULTS[element.tag])
    check_mjcf_children(element, ("layer",) if element.tag == "material" else ())


def check_mjcf_children(element: Element, allowed_tags: Collection[str]) -> None:
    for child in element.children:
        if child.tag not in allowed_tags:
            raise child.error(unknown_name_message(f"element in <{element.tag}>", child.tag, allowed_tags))

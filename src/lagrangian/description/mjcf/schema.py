"""What MJCF knows: the attributes of the elements that are read, and of those in <default>.

The names are those of MuJoCo 4.0, with those of earlier versions that files still have. An attribute or element that is not
here is refused, as MuJoCo does: a misspelt one, silently dropped, would change the mechanism.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lagrangian.description.xml import Element
from lagrangian.errors import one_of


def _table(names: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {tag: frozenset(text.split()) for tag, text in names.items()}


KNOWN = _table(
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
# what <default> may hold: of an actuator, what most of them have and what only this one does
_ACTUATOR = "armature cranklength ctrllimited ctrlrange damping delay forcelimited forcerange gear group interp nsample user"
DEFAULTS = {
    **{tag: KNOWN[tag] - _NOT_IN_DEFAULT for tag in ("joint", "geom", "site")},
    **_table(
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
            "general": _ACTUATOR
            + " actdim actearly actlimited actrange biasprm biastype dynprm dyntype ffrange gainprm gaintype "
            "inheritrange input velrange",
            "motor": _ACTUATOR,
            "position": _ACTUATOR + " dampratio inheritrange kp kv timeconst",
            "velocity": _ACTUATOR + " kv",
            "intvelocity": _ACTUATOR + " actlimited actrange dampratio inheritrange kp kv",
            "orientation": "ctrlrange dampratio delay forcelimited forcerange group input interp kp kv nsample user",
            "pid": _ACTUATOR + " dampratio ffrange imax inheritrange input ki kp kv posrange slewmax velrange",
            "damper": "armature cranklength ctrlrange damping delay forcelimited forcerange gear group interp kv nsample user",
            "cylinder": _ACTUATOR + " area bias diameter timeconst",
            "muscle": _ACTUATOR + " force fpmax fvmax lmax lmin range scale timeconst vmax",
            "adhesion": "ctrlrange delay forcelimited forcerange gain group interp nsample user",
            "dcmotor": "armature cogging controller cranklength ctrllimited ctrlrange damping delay gear group "
            "inductance input interp lugre motorconst nominal nsample resistance saturation thermal user",
        }
    ),
}


def check_attributes(element: Element, known: Collection[str] | None = None) -> None:
    """Refuse attributes that are not `known`: by default those of the element's kind."""
    names = KNOWN[element.tag] if known is None else known
    for attribute in element.attributes:
        if attribute not in names:
            raise element.error(one_of("attribute", attribute, sorted(names)))


def check_default(element: Element) -> None:
    """Refuse what <default> cannot hold."""
    if element.tag not in DEFAULTS:
        raise element.error(one_of("element in <default>", element.tag, sorted((*DEFAULTS, "default"))))
    check_attributes(element, DEFAULTS[element.tag])
    check_children(element, ("layer",) if element.tag == "material" else ())


def check_children(element: Element, known: Collection[str]) -> None:
    for child in element.children:
        if child.tag not in known:
            raise child.error(one_of(f"element in <{element.tag}>", child.tag, known))

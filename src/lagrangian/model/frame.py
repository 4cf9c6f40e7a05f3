"""Frames that are fixed to bodies, and the directions along which they move."""

from __future__ import annotations

from dataclasses import dataclass, field

from lagrangian.errors import MechanismPart, error_location
from lagrangian.model import checks
from lagrangian.model.placement import Transform

# the components of a frame's velocity along the axes of the world: angular, then linear
TWIST_COMPONENTS = ("wx", "wy", "wz", "x", "y", "z")
ANGULAR_COMPONENTS = TWIST_COMPONENTS[:3]


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame that is fixed to a body, such as the tool of a robot.

    Paths, forces, payloads and plots name frames. The frame of a body has the name of the body and need not be listed.

    Parameters
    ----------
    name : str
        The name, which no body or other frame has.
    body : str
        The name of the body; "ground" is the fixed world.
    placement : Transform or array_like, optional
        The frame in the frame of the body: a `Transform`, or a position in m. By default they are the same.

    Examples
    --------
    >>> import lagrangian as lg
    >>> tool = lg.Frame("tool", "link2", (0.5, 0, 0))
    >>> tool.placement.position
    (0.5, 0, 0)
    """

    name: str
    body: str
    placement: Transform = field(default_factory=Transform)

    def __post_init__(self) -> None:
        with error_location(MechanismPart("frame", self.name)):
            checks.convert_fields(self, checks.text, "name", "body")
            object.__setattr__(self, "placement", Transform.from_value(self.placement, "placement"))

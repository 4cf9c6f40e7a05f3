"""A mechanism rewritten with joints of one coordinate. Other packages import from here."""

from lagrangian.model.elementary.single_joints import elementary, refuse_friction_in_planes

__all__ = ["elementary", "refuse_friction_in_planes"]

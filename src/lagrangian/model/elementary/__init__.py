"""A mechanism rewritten with joints of one coordinate. Other packages import from here."""

from lagrangian.model.single_coordinate import refuse_friction_planes, with_single_coordinates

__all__ = ["refuse_friction_planes", "with_single_coordinates"]

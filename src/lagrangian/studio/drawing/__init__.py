"""A planar linkage as a class draws it, and the description that it stands for."""

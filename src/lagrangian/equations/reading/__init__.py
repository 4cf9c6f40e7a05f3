"""A mechanism read into the ring: its scalars, angles, rotations, links and lengths as exact elements."""

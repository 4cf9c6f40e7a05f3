"""Descriptions of mechanisms: readers and writers of TOML, URDF, MJCF and SDF."""

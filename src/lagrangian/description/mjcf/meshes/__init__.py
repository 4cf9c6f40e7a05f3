"""Meshes of MJCF: its assets, and those that MuJoCo makes itself."""

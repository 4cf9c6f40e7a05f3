"""The URDF reader."""

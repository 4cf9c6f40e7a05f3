"""URDF, with xacro and loops: its reader and its writer."""

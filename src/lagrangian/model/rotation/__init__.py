"""Rotations as numbers: quaternions with matrices and rotation vectors, and Euler angles."""

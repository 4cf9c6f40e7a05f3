"""Inverse dynamics along a path: the torques of serial and parallel mechanisms, and the forces of their constraints."""

"""Meshes of MJCF: from files, built in, or written out, and the inertia that they give."""

"""Meshes that give bodies their inertia: triangles from files, and the solids or shells that they enclose."""

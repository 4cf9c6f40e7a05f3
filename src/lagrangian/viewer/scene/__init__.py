"""What there is to see of a mechanism: its bodies as meshes, and how they move."""

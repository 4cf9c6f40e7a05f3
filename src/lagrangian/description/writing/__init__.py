"""What the writers of URDF, MJCF and SDF share: mechanisms reshaped for a format, tests of loops, and numbers."""

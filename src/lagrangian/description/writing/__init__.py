"""What the writers of URDF, MJCF and SDF share: texts of files with notes, XML, names, and mechanisms reshaped for a format."""

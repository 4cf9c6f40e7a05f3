"""The SDF reader."""

"""Mechanisms that come with the package, one TOML file each, with their sources."""

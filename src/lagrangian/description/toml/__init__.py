"""The TOML format: its reader and its writer."""

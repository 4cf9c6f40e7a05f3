"""The reader of MuJoCo's XML (MJCF)."""

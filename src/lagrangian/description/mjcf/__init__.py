"""MuJoCo's XML (MJCF): its reader and its writer."""

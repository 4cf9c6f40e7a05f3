"""SDF, the format of Gazebo: its reader and its writer."""

"""Tasks: paths and what they need: inverse kinematics, torques, motors, controllers, identification."""

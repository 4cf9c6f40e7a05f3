"""Kinematics along paths: inverse kinematics of one target, and the follower that finds every joint's motion along a path."""

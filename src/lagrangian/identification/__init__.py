"""Identification of inertial parameters and friction from recorded motions."""

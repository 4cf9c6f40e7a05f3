"""The parts of a mechanism: bodies, joints, loops, springs, constraints and frames, over numbers or expressions."""

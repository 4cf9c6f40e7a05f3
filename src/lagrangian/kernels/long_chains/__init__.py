"""Long chains in pieces: one piece a lane of a vector, and the pieces joined."""

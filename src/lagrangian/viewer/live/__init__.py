"""The live viewer in the web browser (viser)."""

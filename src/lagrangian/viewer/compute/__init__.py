"""Pages whose motion follows sliders: what goes into them, and the script that computes and draws it anew."""

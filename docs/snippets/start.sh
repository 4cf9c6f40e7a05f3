# --- install
pip install .       # in a copy of the repository
lagrangian tour     # a minute: equations, proofs, motions, one report to open

# --- own
lagrangian new arm                             # arm.toml: a planar 2R, with comments
lagrangian derive arm.toml                     # its equations of motion
lagrangian simulate arm.toml --plot --animate  # its motion: arm.nc, arm.png, arm.html

# --- see
lagrangian view arm.toml    # in the browser, with sliders
lagrangian report arm.nc    # all of it on one page to send

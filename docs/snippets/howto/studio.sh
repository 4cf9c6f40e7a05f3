# --- begin
mkdir linkage
cd linkage
lagrangian studio

# --- other
lagrangian studio arm.toml    # a file; it is created if it does not exist
lagrangian studio robot.urdf  # a URDF, MJCF or SDF file
lagrangian studio four_bar    # a copy of a library mechanism
lagrangian studio --port 8100 --no-browser

# --- far
ssh -L 8100:127.0.0.1:8100 host
lagrangian studio --port 8100 --no-browser

# --- new
lagrangian new arm
lagrangian new crank_rocker --from four_bar  # a copy of one of the library

# --- library
lagrangian library

# --- show
lagrangian show arm.toml

# --- picture
lagrangian show puma560 --picture puma.png --pose qn

# --- check
lagrangian check arm.toml

# --- derive
lagrangian derive arm.toml -o arm.tex
lagrangian derive arm.toml --md
lagrangian derive scara --symbols inertial -o scara.md

# --- prove
lagrangian prove two_r

# --- simulate
lagrangian simulate arm.toml --plot --animate
lagrangian simulate arm.toml -t 3 --q0 raised --torque "theta1=-30*theta1" -o held.nc

# --- study
lagrangian new lengths --study arm.toml
lagrangian study lengths.toml --samples 16

# --- certify
lagrangian certify two_r --time 1 --digits 30

# --- inverse
lagrangian inverse arm.toml --circle 0.6,0.2,0.1 --frame tip -t 2 -o circle.nc

# --- size
lagrangian size arm.toml circle.nc

# --- workspace
lagrangian workspace arm.toml --over theta2=0:150deg --resolution 24 --plot

# --- turn
lagrangian turn four_bar --speed 10 --curve C -o turn.csv

# --- singularities
lagrangian singularities arm.toml --over theta2=-90deg:200deg

# --- plot
lagrangian plot arm.nc -o arm.svg

# --- animate
lagrangian animate arm.nc --trace tip -o traced.html

# --- report
lagrangian report arm.nc -o arm-report.html

# --- view
lagrangian view stewart
lagrangian view arm.nc

# --- tour
lagrangian tour

# --- compare
lagrangian compare panda

# --- export
lagrangian export arm.toml --to c --functions inverse_dynamics,forward_dynamics
lagrangian export panda --to c --option real=float --parameters link7.mass

# --- compare-solvers
lagrangian compare-solvers two_r -t 5
lagrangian compare-solvers pendulum --methods rk4,symplectic --step 0.01,0.001

# --- bench
lagrangian bench panda

# --- json
lagrangian show arm.toml --json

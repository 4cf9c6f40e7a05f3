# --- tour
lagrangian tour

# --- studio
lagrangian studio            # opens this folder where you left it
lagrangian studio arm.toml   # opens your file, or begins a new one
lagrangian studio four_bar   # opens a copy of a mechanism of the library

# --- new
lagrangian new arm
lagrangian new crank_rocker --from four_bar  # copies a mechanism of the library

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

# --- inverse
lagrangian inverse arm.toml --circle 0.6,0.2,0.1 --frame tip -t 2 -o circle.nc

# --- size
lagrangian size arm.toml circle.nc

# --- certify
lagrangian certify two_r --time 1 --digits 30

# --- study
lagrangian new lengths --study arm.toml
lagrangian study lengths.toml --samples 16

# --- workspace
lagrangian workspace arm.toml --over theta2=0:150deg --resolution 24 --plot

# --- cycle
lagrangian cycle four_bar --speed 10 --curve C -o cycle.csv

# --- singularities
lagrangian singularities arm.toml --over theta2=-90deg:200deg

# --- plot
lagrangian plot arm.nc -o arm.svg
lagrangian plot arm.nc tip energy -o tip.svg

# --- animate
lagrangian animate arm.nc --trace tip -o traced.html

# --- view
lagrangian view stewart
lagrangian view arm.nc

# --- report
lagrangian report arm.nc -o arm-report.html
lagrangian report arm.nc --title "Second draft" --author "A. Engineer" -o draft.html

# --- export
lagrangian export arm.toml --to c --functions inverse_dynamics,forward_dynamics
lagrangian export panda --to c --option real=float --parameters link7.mass

# --- targets
lagrangian targets

# --- compare
lagrangian compare panda

# --- compare-solvers
lagrangian compare-solvers two_r -t 5
lagrangian compare-solvers pendulum --methods rk4,symplectic --step 0.01,0.001

# --- bench
lagrangian bench panda

# --- version
lagrangian version

# --- json
lagrangian show arm.toml --json

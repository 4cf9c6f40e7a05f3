# --- command
lagrangian inverse two_r --circle 1.2,0.6,0.3 -t 2 --payload tip=5 -o loaded.nc

# --- view
lagrangian view stewart     # sliders, which keep loops closed
lagrangian view leg.nc      # a run, with its forces as arrows

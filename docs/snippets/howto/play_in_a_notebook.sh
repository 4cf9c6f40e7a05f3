# --- install
pip install '.[notebook]'     # in a copy of the repository

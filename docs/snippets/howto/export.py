"""What docs/howto/export.md shows, in its order."""

# --- documents
import lagrangian as lg

arm = lg.library("two_r")
eom = lg.derive(arm)
eom.save("arm.tex")  # a document for LaTeX
eom.save("arm.md")  # and one for Markdown with formulas
print(eom.M[0, 1].latex())

# --- sympy
import sympy

symbols = eom.to_sympy()
print(sorted(symbols))
print(sympy.ccode(symbols["M"][0, 1]))

# --- machine
fast = eom.compile()
print(fast.mass_matrix([0.3, 0.8]).round(4).tolist())

# --- mechanism
lg.save(arm, "arm.toml")
print(lg.dumps(arm).splitlines()[0])

# --- run
motion = lg.simulate(arm, 2, t_eval=201)
motion.save("run.nc")  # netCDF: all of it
motion.save("run.csv")  # its rows, for spreadsheets
with open("run.csv") as file:
    print(file.readline().strip())

# --- xarray
data = motion.to_xarray()
print(data["q"].dims, data["q"].attrs.get("units", ""))
print(data["q"].sel(coordinate="theta2", time=1.0).item() == motion.q[100, 1])
table = data["q"].to_pandas()
print(table.head(2).round(4))

# --- back
again = lg.read("run.nc", arm)
print(repr(again))

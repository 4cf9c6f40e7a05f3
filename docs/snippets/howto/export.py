"""The examples of docs/howto/export.md, in its order."""

# --- run
import lagrangian as lg

arm = lg.library("two_r")
motion = lg.simulate(arm, 2, t_eval=201)
motion.save("two_r.nc")  # everything
motion.save("two_r.csv")  # one row per time
with open("two_r.csv") as file:
    print(file.readline().strip())

# --- back
again = lg.read("two_r.nc")
print(repr(again))
print(again.mechanism.name, again.reactions.shape)

# --- xarray
data = motion.to_xarray()
print(data["q"].dims, data["q"].attrs.get("units", ""))
print(data["q"].sel(coordinate="theta2", time=1.0).item() == motion.q[100, 1])
table = data["q"].to_pandas()
print(table.head(2).round(4))

# --- documents
eom = lg.derive(arm)
eom.save("two_r.tex")  # a LaTeX document
eom.save("two_r.md")  # a Markdown document with formulas

# --- fragments
print(eom.M[0, 1].latex())  # one entry
print(eom.G.latex())  # a matrix or a column
everything = eom.latex()  # all equations with headings
print("\n".join(everything.splitlines()[:4]), "...")

# --- sympy
import sympy

symbols = eom.to_sympy()
print(sorted(symbols))
print(sympy.ccode(symbols["M"][0, 1]))

# --- machine
fast = eom.compile()
print(fast.mass_matrix([0.3, 0.8]).round(4).tolist())

# --- mechanism
lg.save(arm, "two_r_copy.toml")
print(lg.dumps(arm).splitlines()[0])

# --- formats
panda = lg.library("panda")
lg.save(panda, "panda.xml")  # for MuJoCo
lg.save(panda, "panda.sdf")  # for Drake and Gazebo
conversion = lg.convert(panda, "urdf")
print(conversion.text.splitlines()[1])
print(conversion.notes[0])

# --- robots
conversion = lg.export("four_bar", "mjcf", "four_bar.xml")
for note in conversion.notes:
    print("-", note)

"""Mistakes in a TOML description, each with the error it must give."""

from lagrangian.errors import DescriptionError, MechanismError

BOB = """
[[body]]
name = "bob"
mass = 1
center = [1, 0, 0]
"""
THETA = """
[[joint]]
name = "theta"
type = "revolute"
child = "bob"
"""
PENDULUM = BOB + THETA
BALL = PENDULUM.replace("revolute", "ball")
SPRING, LIMITS = "spring = { stiffness = 0 }", "limits = { effort = 3 }"
SHAPE = "[[body]]\nname = 'bob'\nshapes = ["
ROW = "[dh]\nconvention = 'modified'\n[[dh.row]]\n"
LOOP = PENDULUM + "[[loop]]\nname = 'l'\n"
CONSTRAINT = PENDULUM + "[[constraint]]\nname = 'c'"
WALL = PENDULUM + "[[wall]]\nname = 'w'\nbody = 'bob'\n"
ROLLING = CONSTRAINT + "\ntype = 'rolling'\n"

MISTAKES = {
    # the document
    "x = ": (DescriptionError, r"this is not TOML: Invalid value \(at end of document\)"),
    "x = ]": (DescriptionError, r"this is not TOML: Invalid value \(at line 1, column 5\): x = \]"),
    "ok = 1\na b = 2": (DescriptionError, r"line 2, column 3\): a b = 2"),
    "": (DescriptionError, "describes no joints"),
    "nam = 'x'": (DescriptionError, r"no entry 'nam'. Did you mean 'name'\? Known: name, description"),
    "[joints]": (DescriptionError, "no entry 'joints'. Did you mean 'joint'"),
    "body = 3": (DescriptionError, r"body: 3 is given; an array of tables is needed \(each begins with \[\[body\]\]\)"),
    "[body]": (DescriptionError, "body: a table is given; an array of tables"),
    "pose = [1]" + PENDULUM: (DescriptionError, "pose: an array of 1 is given; a table is needed"),
    "name = 3": (DescriptionError, "name: 3 is given; text in quotes is needed"),
    "name = ''": (DescriptionError, "cannot be a name"),
    "gravity = 9.81" + PENDULUM: (DescriptionError, "gravity: 9.81 is given; an array of 3 numbers"),
    "gravity = [0, 9.81]" + PENDULUM: (DescriptionError, r"an array of 2 is given; an array of 3 .* such as \[0, 0, -9.81\]"),
    "gravity = [0, 0, nan]" + PENDULUM: (DescriptionError, r"gravity\[2\]: it is nan; a finite number is needed"),
    "gravity = [0, 0, 'gg']" + PENDULUM: (DescriptionError, r"gravity\[2\]: in the expression 'gg': there is no name 'gg'"),
    "[joint]\nname = 'a'\n[[joint]]\nname = 'b'": (DescriptionError, r"Cannot overwrite .* are written \[\[joint\]\]"),
    "[[body]]\nname = 'a'\n[body]\nname = 'b'": (DescriptionError, r"Cannot declare .* are written \[\[body\]\]"),
    "[joint]\n[joint]": (DescriptionError, r"Cannot declare .* are written \[\[joint\]\]"),
    # entries of the whole file, below a table's header
    PENDULUM + "gravity = [0, 0, 0]": (
        DescriptionError,
        r"1 'theta': there is no entry 'gravity' here; .*before the first \[table",
    ),
    BOB + "source = 'a book'" + THETA: (DescriptionError, r"1 'bob': there is no entry 'source' here; .*before the first"),
    PENDULUM + "[initial]\nname = 'x'": (DescriptionError, r"\[initial\]: there is no entry 'name' here; .*before the first"),
    PENDULUM + "[pose]\ngravity = [0]": (DescriptionError, r"\[pose\]: 'gravity' belongs to the whole file"),
    "[parameters]\ngravity = [0, 0, 0]": (DescriptionError, "gravity: an array of 3 is given; .*'gravity' belongs to the whole"),
    "[parameters]\nsource = 'a book'": (DescriptionError, "source: in the expr.*'source' belongs to the whole file"),
    # parameters
    "[parameters]\n'm 1' = 2": (DescriptionError, "'m 1' cannot be a name"),
    "[parameters]\npi = 3": (DescriptionError, r"\[parameters\]: pi: this name is part of expressions"),
    "[parameters]\nt = 3": (DescriptionError, "t: this name is part of expressions"),
    "[parameters]\nsin = 3": (DescriptionError, "sin: this name is part of expressions"),
    "[parameters]\na = true": (DescriptionError, "a: true is not a number"),
    "[parameters]\na = [1]": (DescriptionError, "a: an array of 1 is given; a parameter is one number"),
    "[parameters]\na.b = 1": (DescriptionError, "a: a table is given"),
    "[parameters]\na = inf": (DescriptionError, "a: it is inf"),
    "[parameters]\na = 'b'\nb = 1": (DescriptionError, "a: in the expression 'b': there is no name 'b'"),
    "[parameters]\na = '1/0'": (DescriptionError, "a: '1/0' cannot be computed"),
    "[parameters]\na = 1979-05-27": (DescriptionError, "a: date 1979-05-27 is not a number"),
    "[parameters]\ntheta = 1" + PENDULUM: (DescriptionError, "'theta' is also a parameter"),
    "[parameters]\nqd_theta = 1" + PENDULUM: (DescriptionError, "'qd_theta' is also a parameter"),
    # bodies
    "[[body]]\nmass = 1": (DescriptionError, r"\[\[body\]\] 1: 'name' is missing"),
    BOB + "masss = 1" + THETA: (
        DescriptionError,
        r"arm\.toml: \[\[body\]\] 1 'bob': there is no entry 'masss'. Did you mean 'mass'",
    ),
    BOB.replace("1\nc", "true\nc") + THETA: (DescriptionError, r"\[\[body\]\] 1 'bob': mass: true is not a number"),
    BOB.replace("1\nc", "'2*m'\nc") + THETA: (DescriptionError, r"mass: in the expression '2\*m': there is no name 'm'"),
    BOB.replace("1\nc", "-1\nc") + THETA: (MechanismError, r"arm\.toml: \[\[body\]\] 1 'bob': mass is -1 kg; it cannot be"),
    BOB.replace("1\nc", "1e999\nc") + THETA: (DescriptionError, "mass: it is inf"),
    BOB.replace("1\nc", "9" * 400 + "\nc") + THETA: (DescriptionError, "mass: it is inf"),
    BOB + "inertia = [1, 1, 3]" + THETA: (MechanismError, r"1 'bob': .*cannot exceed the sum"),
    BOB + "inertia = 3" + THETA: (DescriptionError, "inertia: 3 is given; write"),
    BOB + "inertia = [1, [2], 3]" + THETA: (DescriptionError, r"inertia\[0\]: 1 is given; an array of 3"),
    BOB + "inertia = { x = 1 }" + THETA: (DescriptionError, "inertia: there is no entry 'x'"),
    BOB + "inertia = [[1, 2, 0], [0, 1, 0], [0, 0, 1]]" + THETA: (MechanismError, "1 'bob': inertia: .*not symmetric"),
    BOB + "inertia = [1, 1, 1]\ninertia_at_origin = [1, 1, 1]" + THETA: (DescriptionError, "both given; give one"),
    BOB + "effective = 1" + THETA: (DescriptionError, "effective: 1 is given; true or false"),
    BOB + "shapes = []" + THETA: (DescriptionError, "'mass' and 'shapes' are both given"),
    BOB + BOB + THETA: (DescriptionError, r"\[\[body\]\] 2 'bob': the name is already taken by \[\[body\]\] 1"),
    "[[body]]\nname = 'bob'\nshapes = []" + THETA: (MechanismError, "must be positive"),
    "[[body]]\nname = 'bob'\nshapes = 3" + THETA: (DescriptionError, r"shapes: 3 is given; .*\(each is \{"),
    SHAPE + "{shape = 'box', size = 1, mass = 1}]" + THETA: (DescriptionError, r"size: 1 is given; .*such as \[0.1, 0.2, 0.3\]"),
    SHAPE + "{shape = 'boxx'}]" + THETA: (DescriptionError, r"shapes\[0\].shape: there is no shape 'boxx'"),
    SHAPE + "{shape = 'box', radius = 1}]" + THETA: (DescriptionError, r"shapes\[0\]: there is no entry 'radius'"),
    SHAPE + "{shape = 'sphere', radius = 1}]" + THETA: (DescriptionError, "either 'mass' or 'density'"),
    SHAPE + "{shape = 'sphere', mass = 1}]" + THETA: (DescriptionError, r"shapes\[0\]: 'radius' is missing"),
    SHAPE + "{shape = 'sphere', radius = -1, mass = 1}]" + THETA: (MechanismError, r"shapes\[0\]: sphere: a dim"),
    SHAPE + "{shape = 'plate', size = [1, 1, 1], mass = 1, holes = 2}]" + THETA: (DescriptionError, "holes: 2"),
    # joints
    BOB + "[[joint]]\nname = 'j'\ntype = 'hinge'": (DescriptionError, r"\[\[joint\]\] 1 'j': type: there is no type 'hinge'"),
    BOB + "[[joint]]\nname = 'j'\ntype = 'revolute'": (DescriptionError, "'child' is missing"),
    PENDULUM + "parent = 'grond'": (MechanismError, r"arm\.toml: joint 'theta': unknown parent.*Did you mean 'ground'"),
    PENDULUM + "axis = 'w'": (DescriptionError, "axis: 'w' is not an axis; write 'x'"),
    PENDULUM + "axis = '--x'": (DescriptionError, "axis: '--x' is not an axis"),
    PENDULUM + "axis = [0, 0, 0]": (MechanismError, r"1 'theta': axis .*needs a finite direction"),
    PENDULUM + "axis = [0, 1]": (DescriptionError, r"axis: an array of 2 is given; .* such as \[0, 0, 1\]"),
    PENDULUM + "xyz = [0, 1]": (DescriptionError, r"xyz: an array of 2 is given; .* such as \[0, 0, 0\]"),
    PENDULUM + "quaternion = [0, 1]": (DescriptionError, r"quaternion: an array of 2 is given; .* such as \[1, 0, 0, 0\]"),
    PENDULUM + "axis2 = 'x'": (DescriptionError, "a revolute joint has no axis2; only universal"),
    PENDULUM + "pitch = 1": (DescriptionError, "a revolute joint has no pitch"),
    PENDULUM.replace("revolute", "helical"): (DescriptionError, "'pitch' is missing; a helical joint"),
    **{
        PENDULUM.replace("revolute", kind) + entry: (
            DescriptionError,
            f"1 'theta': .*a {kind} joint has no {what}; only revolute, .* one",
        )
        for kind, entries in {
            "fixed": ("friction = { viscous = 1 }", "rotor = { inertia = 1 }", SPRING, LIMITS, "actuated = false"),
            "free": ("rotor = { inertia = 1 }", SPRING, LIMITS),
            "ball": (SPRING, LIMITS),
        }.items()
        for entry in entries
        for what in [entry.partition(" ")[0].replace("actuated", "actuator")]
    },
    BALL + "axis = 'x'": (DescriptionError, "a ball joint has no axis"),
    PENDULUM + "rpy = [0, 0, 0]\nquaternion = [1, 0, 0, 0]": (DescriptionError, "'rpy' and 'quaternion' are both given"),
    PENDULUM + "quaternion = [0, 0, 0, 0]": (MechanismError, "1 'theta': quaternion: .*no direction"),
    PENDULUM + "rpy = ['90 deg', 0, 0]": (DescriptionError, r"rpy\[0\]: in the expression '90 deg': 'deg' is not expected"),
    PENDULUM + "friction = { viscous = -1 }": (MechanismError, "1 'theta': friction: viscous is -1"),
    PENDULUM + "friction = { dry = 1 }": (DescriptionError, "1 'theta': friction: there is no entry 'dry'"),
    PENDULUM + "friction = { coulomb = [1, 2, 3] }": (
        DescriptionError,
        r"friction.coulomb: an array of 3 is given; an array of 2",
    ),
    PENDULUM + "friction = 1": (DescriptionError, r"a table is needed, such as friction = \{ viscous = 0.1, coulomb = 0.2 \}"),
    PENDULUM + "limits = [-1, 1]": (DescriptionError, r"a table is needed, such as limits = \{ lower = -1, upper = 1 \}"),
    PENDULUM + "rotor = 0.1": (DescriptionError, r"a table is needed, such as rotor = \{ inertia = 1e-5, ratio = 100 \}"),
    PENDULUM + "spring = 3": (DescriptionError, r"a table is needed, such as spring = \{ stiffness = 3, rest = 0 \}"),
    PENDULUM + "rotor = { ratio = 0 }": (MechanismError, "rotor: .*gear ratio is 0"),
    PENDULUM + "spring = { rest = 0 }": (DescriptionError, "spring: 'stiffness' is missing"),
    PENDULUM + "limits = { lower = 1, upper = 0 }": (MechanismError, "lower limit 1 is above"),
    PENDULUM + "limits = { upper = nan }": (DescriptionError, "limits.upper: it is nan"),
    PENDULUM + "limits = { speed = -1 }": (DescriptionError, "limits.speed: it is -1"),
    PENDULUM + "actuated = 'no'": (DescriptionError, "actuated: 'no' is given; true or false"),
    PENDULUM.replace('"theta"', '"t"'): (DescriptionError, "'t' is part of expressions"),
    PENDULUM + THETA: (DescriptionError, r"\[\[joint\]\] 2 'theta': the name is already taken"),
    # DH
    "[dh]\n[[dh.row]]\njoint = 'R'": (DescriptionError, r"\[dh\]: 'convention' is missing; say which"),
    "[dh]\nconvention = 'Craig'": (DescriptionError, "convention: there is no DH convention 'Craig'; write 'modified'.*Craig's"),
    "[dh]\nconvention = 'craig'": (DescriptionError, "'craig'; write 'modified'"),
    "[dh]\nconvention = 'proximal'": (DescriptionError, "'proximal'; write 'modified'"),
    "[dh]\nconvention = 'distal'": (DescriptionError, "'distal'; write 'standard'"),
    "[dh]\nconvention = 'classic'": (DescriptionError, "'classic'; write 'standard'"),
    "[dh]\nconvention = 'Standard'": (DescriptionError, "Did you mean 'standard'"),
    "[dh]\nconvention = 'modified'\nrow = [[1, 2]]": (DescriptionError, r"\[dh\]: row: .*\(each begins with \[\[dh.row\]\]\)"),
    "[dh]\nconvention = 'modified'\nbase = 1\n[[dh.row]]": (DescriptionError, r"base: 1 is .*such as base = \{ xyz"),
    ROW + "link = 'a'\n[[dh.row]]\nlink = 'a'": (MechanismError, r"arm\.toml: \[dh\]: two of the same name: body 'a'"),
    "[dh]\nconvention = 'modified'": (DescriptionError, "it has no rows"),
    ROW + "joint = 'Q'": (DescriptionError, "joint: there is no joint 'Q'"),
    ROW + "joint = 'R'\nalfa = 1": (DescriptionError, "no entry 'alfa'. Did you mean 'alpha'"),
    ROW + "joint = 'R'\nmass = -1": (MechanismError, r"\[dh\]: .*cannot be negative"),
    "[dh]\nconvention = 'modified'\nbase = {x = 1}\n[[dh.row]]\njoint = 'R'": (
        DescriptionError,
        r"\[dh\]: base: there is no entry 'x'",
    ),
    # loops, constraints, springs, frames
    LOOP + "type = 'ball'\nxyz_a = [0, 0, 0]": (DescriptionError, "no entry 'xyz_a'. Did you mean 'a_xyz'"),
    LOOP + "type = 'ball'\nb_quat = [1, 0, 0, 0]": (DescriptionError, "no entry 'b_quat'. Did you mean 'b_quaternion'"),
    LOOP + "type = 'pont'": (DescriptionError, "no type 'pont'. Did you mean 'point'"),
    LOOP + "type = 'point'\na = 'bob'": (DescriptionError, r"\[\[loop\]\] 1 'l': 'b' is missing"),
    LOOP + "type = 'point'\na = 'bob'\nb = 'x'": (MechanismError, "loop 'l': there is no body 'x'"),
    LOOP + "type = 'point'\na = 'bob'\nb = 'ground'\ndirections = 'xy'": (DescriptionError, "'xy' is given"),
    LOOP + "type = 'point'\na = 'bob'\nb = 'ground'\ndirections = ['w']": (MechanismError, "different ones"),
    LOOP + "type = 'ball'\na = 'bob'\nb = 'ground'\ndirections = ['x']": (DescriptionError, "has no directions"),
    CONSTRAINT + "": (DescriptionError, "'coefficients' is missing or empty"),
    CONSTRAINT + "\ncoefficients = {thet = 1}": (DescriptionError, "no speed 'thet'. Did you mean 'theta'"),
    CONSTRAINT + "\ncoefficients = {theta = 'x'}": (DescriptionError, "coefficients.theta: .*no name 'x'"),
    CONSTRAINT + "\ncoefficients = {theta = 'qd_theta'}": (DescriptionError, "no name 'qd_theta'"),
    CONSTRAINT + "\ncoefficients = {theta = 1}\nphi = 'theta'": (DescriptionError, "phi: .*no name 'theta'"),
    CONSTRAINT + "\ncoefficients = {theta = true}": (DescriptionError, "theta: true is not a number"),
    CONSTRAINT + "\ncoefficients = {theta = {a = {b = {c = {d = {e = {f = 1}}}}}}}": (DescriptionError, "too deeply"),
    CONSTRAINT + "\ntype = 'gear'": (DescriptionError, "no type 'gear'. Known: pfaffian, equation, rolling, knife_edge"),
    CONSTRAINT + "\ntype = 'equation'": (DescriptionError, "'equation' is missing"),
    CONSTRAINT + "\nequation = 'theta = 1 = 2'": (DescriptionError, "equation: 'theta = 1 = 2' has more than one '='"),
    CONSTRAINT + "\nequation = 'theta == 1'": (DescriptionError, "more than one '='"),
    CONSTRAINT + "\nequation = ''": (DescriptionError, "equation: an expression is empty"),
    CONSTRAINT + "\nequation = '= theta'": (DescriptionError, "equation: an expression is empty"),
    CONSTRAINT + "\nequation = 3": (DescriptionError, "equation: 3 is given; text in quotes"),
    CONSTRAINT + "\nequation = '1 = 1'": (MechanismError, "constraint 'c': its equation has no coordinate in it: 0"),
    CONSTRAINT + "\nequation = 'sin(t)'": (MechanismError, r"constraint 'c': its equation has no coordinate in it: sin\(t\)"),
    CONSTRAINT + "\nequation = 'theta - x'": (DescriptionError, "no name 'x'"),
    CONSTRAINT + "\nequation = 'qd_theta'": (DescriptionError, "no name 'qd_theta'. Did you mean 'theta'"),
    CONSTRAINT + "\nequation = 'theta'\nphi = 1": (DescriptionError, "no entry 'phi'. Known: name, type, equation"),
    CONSTRAINT + "\ntype = 'pfaffian'\nequation = 'theta'": (DescriptionError, "no entry 'equation'. Known: .*coefficients, phi"),
    ROLLING: (DescriptionError, "'body' is missing"),
    ROLLING + "body = 'bob'": (MechanismError, "the radius is 0 m; it must be positive"),
    ROLLING + "body = 'bob'\nradius = -1": (MechanismError, "the radius is -1 m"),
    ROLLING + "body = 'bob'\nradius = inf": (DescriptionError, "radius: it is inf"),
    ROLLING + "body = 'bob'\nradius = 'theta'": (DescriptionError, "radius: .*no name 'theta'"),
    ROLLING + "body = 'bobb'\nradius = 1": (MechanismError, "constraint 'c': there is no body 'bobb'. Did you mean 'bob'"),
    ROLLING + "body = 'bob'\nradius = 1\non = 'x'": (MechanismError, "constraint 'c': there is no body 'x'"),
    ROLLING + "body = 'bob'\nradius = 1\non = 'bob'": (MechanismError, "body 'bob' cannot roll on itself"),
    ROLLING + "body = 'bob'\nradius = 1\nnormal = [0, 0, 0]": (MechanismError, "normal is .*it needs a finite direction"),
    ROLLING + "body = 'bob'\nradius = 1\naxis = 'q'": (DescriptionError, "axis: 'q' is not an axis"),
    ROLLING + "body = 'bob'\nradius = 1\ncentre = [0, 0, 0]": (DescriptionError, "no entry 'centre'. Did you mean 'center'"),
    CONSTRAINT + "\ntype = 'knife_edge'\nbody = 'bob'": (DescriptionError, "'direction' is missing; give the direction"),
    CONSTRAINT + "\ntype = 'knife_edge'\nbody = 'x'\ndirection = 'y'": (MechanismError, "constraint 'c': there is no body 'x'"),
    CONSTRAINT + "\ntype = 'knife_edge'\nbody = 'bob'\ndirection = [0, 0, 0]": (
        MechanismError,
        "direction is .*finite direction",
    ),
    CONSTRAINT + "\ntype = 'knife_edge'\nbody = 'bob'\ndirection = 'y'\npont = [0, 0, 0]": (
        DescriptionError,
        "no entry 'pont'. Did you mean 'point'",
    ),
    LOOP + "type = 'distance'\na = 'bob'\nb = 'ground'": (MechanismError, "the distance kept is 0 m; `length` must be positive"),
    LOOP + "type = 'distance'\na = 'bob'\nb = 'ground'\nlength = -1": (MechanismError, "the distance kept is -1 m"),
    LOOP + "type = 'ball'\na = 'bob'\nb = 'ground'\nlength = 1": (DescriptionError, "length: a ball joint has no length"),
    PENDULUM + "[[spring]]\nname = 's'\na = 'bob'": (DescriptionError, "'b' is missing"),
    PENDULUM + "[[spring]]\nname = 's'\na = 'bob'\nb = 'ground'\nstiffness = -1": (MechanismError, "1 's': .*cannot be negative"),
    WALL: (DescriptionError, r"\[\[wall\]\] 1 'w': 'stiffness' is missing"),
    WALL + "stiffness = 0": (MechanismError, "1 'w': .*the stiffness is 0 N/m; it must be positive"),
    WALL + "stiffness = 1\ndamping = -2": (MechanismError, "1 'w': .*the damping is -2 N s/m\\^2; it cannot be negative"),
    WALL + "stifness = 1": (DescriptionError, "no entry 'stifness'. Did you mean 'stiffness'"),
    WALL + "stiffness = 1\nnormal = 'up'": (DescriptionError, "normal: 'up' is not an axis"),
    WALL + "stiffness = 1\nnormal = [0, 0, 0]": (MechanismError, "normal is .*finite direction"),
    WALL + "stiffness = 1\npoint = [1, 2]": (DescriptionError, "point: an array of 2 is given; an array of 3 numbers"),
    WALL + "stiffness = 1\non = 'bob'": (
        MechanismError,
        "1 'w': .*'bob' and stops a point of the same body; it needs two bodies",
    ),
    WALL + "stiffness = 1\non = 'floor'": (MechanismError, "wall 'w': there is no body 'floor'"),
    WALL.replace("body = 'bob'", "") + "stiffness = 1": (DescriptionError, "1 'w': 'body' is missing"),
    WALL + "stiffness = 1\n[[spring]]\nname = 'w'\na = 'bob'\nb = 'ground'": (
        MechanismError,
        "two of the same name: loop, constraint, spring or wall 'w'",
    ),
    PENDULUM + "[[frame]]\nname = 'f'\nbody = 'x'": (MechanismError, "frame 'f': there is no body 'x'"),
    PENDULUM + "[[frame]]\nname = 'bob'\nbody = 'bob'": (MechanismError, "two of the same name: frame 'bob'"),
    # poses and the start
    PENDULUM + "[pose]\np = [1, 2]": (DescriptionError, r"\[pose\]: p: 2 numbers are given; 1 are needed: theta"),
    PENDULUM + "[pose]\np = 1": (DescriptionError, "p: 1 is given; an array of 1 numbers, or a table"),
    PENDULUM + "[pose]\np = {phi = 1}": (DescriptionError, "p: there is no coordinate 'phi'"),
    PENDULUM + "[pose]\np = [nan]": (DescriptionError, r"p\[0\]: it is nan"),
    PENDULUM + "[pose]\np = ['t']": (DescriptionError, r"p\[0\]: .*no name 't'"),
    BALL + "[pose]\np = [1, 1, 0, 0]": (MechanismError, "quaternion of joint 'theta' has length 1.41421"),
    PENDULUM + "[initial]\nq0 = [1]": (DescriptionError, r"\[initial\]: there is no entry 'q0'"),
    PENDULUM + "[initial]\nq = []": (DescriptionError, "q: 0 numbers are given"),
    PENDULUM + "[initial]\nqd = {x = 1}": (DescriptionError, "qd: there is no speed 'x'"),
    PENDULUM + "[initial]\nt_span = [1, 1]": (DescriptionError, "t_span: it runs from 1 to 1 s; the end must come after"),
    PENDULUM + "[initial]\nt_span = 5": (DescriptionError, r"t_span: 5 is given; an array of 2 .*\[0, 10\]"),
    PENDULUM + "[initial]\ntorques = {tau = 1}": (DescriptionError, "torques: there is no joint or speed 'tau'"),
    PENDULUM + "[initial]\ntorques = {theta = 'theta_dot'}": (DescriptionError, "torques.theta: .*Did you mean 'theta'"),
    BALL + "[initial]\ntorques = {theta = 1}": (DescriptionError, "several speeds; name one of them: theta.wx"),
}

"""Margins of a pose a second time, by interval arithmetic (Arb, by python-flint): from the machine's numbers alone.

Coordinates are balls, or points with no radius; vectors are lists of three. What is the smallest of many values, the
distance of two legs and the least singular value, is bounded from above: by two points of the legs and by one vector,
which floating point finds to half of its digits of the value, so that all of Arb's are good.
"""

import flint
import numpy as np


def arb(x):
    return flint.arb(float(x))


def arbs(v):
    return [arb(x) for x in v]


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), flint.arb(0))


def norm(v):
    return sum((x * x for x in v), flint.arb(0)).sqrt()


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(a, b, part=1):
    """The sum of a and part * b."""
    return [x + part * y for x, y in zip(a, b, strict=True)]


def unit(v):
    return [x / norm(v) for x in v]


def angle(a, b):
    return (dot(a, b) / (norm(a) * norm(b))).acos()


def turned(R, v):
    return [dot(row, v) for row in R]


def product(A, B):
    return [[dot(row, [B[k][j] for k in range(3)]) for j in range(3)] for row in A]


def rotation(r):
    """Exp of a rotation vector (Rodrigues), with series about zero: sin(x)/x and (1 - cos x)/x^2 by sinc."""
    t = norm(r) if all(x.rad() == 0 for x in r) else dot(r, r).nonnegative_part().sqrt()
    s, c = t.sinc(), (t / 2).sinc() ** 2 / 2
    x, y, z = r
    K = [[flint.arb(e) for e in row] for row in ((0, -z, y), (z, 0, -x), (-y, x, 0))]
    square = product(K, K)
    return [[flint.arb(i == j) + s * K[i][j] + c * square[i][j] for j in range(3)] for i in range(3)]


def orientation(region, z):
    """R (3, 3) of a region's orientation coordinates z (3,): as `gough.regions.charts` defines them."""
    first, second, n = (arbs(v) for v in region.axes)
    along = [flint.arb(0)] * 3
    if region.chart == "rotvec":
        R = rotation(z)
    elif region.chart == "cone":
        R = product(rotation(plus([z[0] * x for x in first], second, z[1])), rotation(plus(along, n, z[2])))
    else:
        R = rotation([z[0], *along[1:]])
        for k, axis in enumerate(region.chart.lower()[1:], 1):
            R = product(R, rotation([z[k] if axis == other else along[0] for other in "xyz"]))
    return product(R, [arbs(row) for row in region.reference])


class Pose:
    """A machine's margins by name at coordinates z (6,) of a region whose positions count along the base's axes."""

    def __init__(self, m, region, z):
        self.m, self.R, self.legs = m, orientation(region, z[3:]), {}
        self.place = plus(z[:3], turned(self.R, arbs(region.about)), -1)

    def point(self, p):
        """A platform point in the base."""
        return plus(self.place, turned(self.R, arbs(p)))

    def leg(self, i):
        """Joint coordinate, foot, head, and by what matrix the joint at the foot is carried."""
        if i not in self.legs:
            kind, b = self.m.legs.kind, self.point(self.m.b_P[i])
            self.legs[i] = {"UPS": _strut, "PUS": _slider, "RUS": _crank}[kind](self.m.legs, i, b)
        return self.legs[i]

    def closes(self, *legs):
        """Whether legs have joint coordinates."""
        return all(self.leg(i)[0].is_finite() for i in legs)

    def joints(self, i):
        """Margins of strokes, reach, cones and angles to the plates of a leg."""
        limits, (q, foot, carried, reach) = self.m.limits, self.leg(i)
        u = plus(self.point(self.m.b_P[i]), foot, -1)
        sides = {"base": carried, "platform": self.R}
        low, high = ("shortest", "longest") if self.m.legs.kind == "UPS" else ("lowest", "highest")
        found = {low: q - arb(limits.joint_min[i]), high: arb(limits.joint_max[i]) - q}
        found |= {} if reach is None else {"reach": reach}
        for side, cone in (("base", limits.base_cone), ("platform", limits.platform_cone)):
            found[f"{side} cone"] = arb(cone.half_angle[i]) - angle(u, turned(sides[side], arbs(cone.axis[i])))
        for side, plate in (("base", limits.base_plate), ("platform", limits.platform_plate)):
            normal = arbs(plate.normal) if side == "base" else turned(self.R, arbs(plate.normal))
            found[f"{side} plate angle"] = (dot(u, normal) / (norm(u) * norm(normal))).asin() - arb(plate.minimum[i])
        return {f"leg {i + 1} {name}": value for name, value in found.items()}

    def clearance(self, i, j):
        """No smaller than that of two legs: by the two points that floating point finds to be the closest."""
        if not self.closes(i, j):
            return {f"legs {i + 1}-{j + 1} clearance": NAN}
        (a, b), (c, d) = ((self.leg(k)[1], self.point(self.m.b_P[k])) for k in (i, j))
        s, t = _closest(*(np.array([float(x.mid()) for x in p]) for p in (a, b, c, d)))
        apart = plus(plus(a, plus(b, a, -1), arb(s)), plus(c, plus(d, c, -1), arb(t)), -1)
        radius = self.m.limits.leg_radius
        return {f"legs {i + 1}-{j + 1} clearance": norm(apart) - arb(radius[i]) - arb(radius[j])}

    def tool(self):
        """Margins of the tool's place and orientation."""
        m, limits, found = self.m, self.m.limits, {}
        home = [arbs(row) for row in m.X_home]
        place, at_home = self.point(m.X_PT[:3, 3]), [dot(row, arbs(m.X_PT[:, 3])) for row in home[:3]]
        for k, axis in enumerate("xyz"):
            low, high = arbs(limits.box[k])
            found |= {f"tool {axis} min": place[k] - low, f"tool {axis} max": high - place[k]}
        found["tool radius"] = arb(limits.radius) - norm(plus(place[:2], at_home[:2], -1))
        axes = (turned(frame, arbs(m.X_PT[:3, 2])) for frame in (self.R, [row[:3] for row in home[:3]]))
        found["tool tilt"] = arb(limits.tilt) - angle(*axes)
        D = product(self.R, [[home[j][i] for j in range(3)] for i in range(3)])
        twist = 2 * flint.arb.atan2(D[1][0] - D[0][1], 1 + D[0][0] + D[1][1] + D[2][2])
        return found | {"tool rotation": arb(limits.rotation) - abs(twist)}

    def rows(self):
        """The Jacobian's rows [u, rho x u]."""
        m, rows = self.m, []
        for i in range(6):
            u = unit(plus(self.point(m.b_P[i]), self.leg(i)[1], -1))
            rho = turned(self.R, arbs((m.b_P[i] - m.platform_centre) / m.characteristic_length))
            rows.append([*u, *cross(rho, u)])
        return rows

    def singular_pivots(self, bound):
        """Pivots of J^T J - bound^2, all positive where every singular value exceeds the bound."""
        J = self.rows()
        A = [
            [dot([row[i] for row in J], [row[j] for row in J]) - (i == j) * arb(bound) ** 2 for j in range(6)]
            for i in range(6)
        ]
        pivots = []
        while A:
            pivots.append(A[0][0])
            A = [[a - row[0] * b / A[0][0] for a, b in zip(row[1:], A[0][1:], strict=True)] for row in A[1:]]
        return pivots

    def singularity(self):
        """No smaller than that of the least singular value: by the vector that floating point finds to be least."""
        m = self.m
        if not self.closes(*range(6)):
            return {"singularity": NAN}
        rows = self.rows()
        v = arbs(np.linalg.svd([[float(x.mid()) for x in row] for row in rows])[2][-1])
        return {"singularity": norm([dot(row, v) for row in rows]) / norm(v) - arb(m.limits.singular_value)}


NAN = flint.arb("nan")
EYE = [[flint.arb(i == j) for j in range(3)] for i in range(3)]


def _strut(legs, i, b):
    foot = arbs(legs.a_B[i])
    return norm(plus(b, foot, -1)), foot, EYE, None


def _slider(legs, i, b):
    a, g, rod = arbs(legs.a_B[i]), arbs(legs.g_B[i]), arb(legs.rod_length[i])
    d = plus(b, a, -1)
    along = dot(d, g) / norm(g)
    e = plus(d, g, -along / norm(g))
    q = along + arb(legs.branch[i]) * (rod**2 - dot(e, e)).sqrt()
    return q, plus(a, g, q), EYE, rod - norm(e)


def _crank(legs, i, b):
    """The angle between the direction of the joint and the arm follows from the triangle of arm, rod and distance."""
    n, r, rod = unit(arbs(legs.n_B[i])), arbs(legs.r_B[i]), arb(legs.rod_length[i])
    c, r = plus(arbs(legs.c_B[i]), n, dot(r, n)), plus(r, n, -dot(r, n))
    d = plus(b, c, -1)
    height, arm = dot(d, n), norm(r)
    flat = plus(d, n, -height)
    far = norm(flat)
    opening = ((far**2 + arm**2 + height**2 - rod**2) / (2 * far * arm)).acos()
    q = flint.arb.atan2(dot(flat, cross(n, r)), dot(flat, r)) + arb(legs.branch[i]) * opening
    q -= 2 * flint.arb.pi() * round((float(q.mid()) - legs.middle[i]) / (2 * np.pi)) if q.is_finite() else 0
    carried = rotation([q * x for x in n])
    reach = [(height**2 + (far + sign * arm) ** 2).sqrt() for sign in (-1, 1)]
    return q, plus(c, turned(carried, r)), carried, flint.arb.min(rod - reach[0], reach[1] - rod)


def _closest(a, b, c, d):
    """Parts of two segments at which they are closest: the best of the inner pair and the ends' (Ericson 2005)."""
    u, v = b - a, d - c
    inner = np.linalg.lstsq(np.stack([u, -v], axis=1), c - a, rcond=None)[0]
    tried = [inner] if (np.abs(inner - 0.5) <= 0.5).all() else []
    for end in (0.0, 1.0):
        tried.append((end, np.clip((a + end * u - c) @ v / (v @ v), 0, 1)))
        tried.append((np.clip((c + end * v - a) @ u / (u @ u), 0, 1), end))
    return min(tried, key=lambda st: np.linalg.norm(a + st[0] * u - c - st[1] * v))

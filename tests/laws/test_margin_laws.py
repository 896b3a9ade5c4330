"""Every margin by its own definition, in NumPy, on machines whose frames are all askew; and bounds that hold."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation
from tests.bounds.attack import some_pose
from tests.bounds.promises import ATTACKED, ELSEWHERE, promising
from tests.bounds.table import BOUNDS, ROUND_OFF, attacked
from tests.skew import SKEW
from tests.thorough import thorough

import gough

ROUNDING = 1e-9
"""Of margins in SI, and of those that go through an arc cosine."""
TRIES = {"boxes": 8000, "paths": 1500, "corners": 250, "distances": 250, "covers": 500, "envelopes": 400}
TRIES |= {"lines": 400, "surfaces": 400, "verdicts": 500, "steps": 500}
"""1000 for others, of each bound on each machine; `python -m tests.bounds 100000` is the long run."""
SLOW = {"paths", "cuts", "distances", "lines", "envelopes", "verdicts"}
"""With half of that on machines with symmetry."""
REACHED = {"legs": 0.4, "boxes": 0.05, "cubics": 0.5, "proofs": 0.5, "paths": 0.5, "journeys": 0.02}
REACHED |= {"steps": 0.5, "covers": 0.3, "cones": 0.9, "envelopes": 0.9, "heads": 0.5, "corners": 0.1}
"""Part of a bound that is reached, in the median: less would be a bound that proves little."""


def angle(a, b):
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))


def rods(m, X):
    q = gough.inverse_kinematics(m, X)
    feet = m.legs.driven_points(q)
    heads = m.b_P @ X[:3, :3].T + X[:3, 3]
    return q, feet, heads, (heads - feet) / np.linalg.norm(heads - feet, axis=1, keepdims=True)


def expected(m, X):
    """Margins by name [SI]."""
    limits, R = m.limits, X[:3, :3]
    q, feet, heads, u = rods(m, X)
    turned = limits.base_cone.axis
    if m.legs.kind == "RUS":
        turned = Rotation.from_rotvec(q[:, None] * m.legs.n_B).apply(turned.copy())
    found = {}
    low, high = ("shortest", "longest") if m.legs.kind == "UPS" else ("lowest", "highest")
    for i in range(6):
        leg = f"leg {i + 1} "
        found[leg + low], found[leg + high] = q[i] - limits.joint_min[i], limits.joint_max[i] - q[i]
        found[leg + "base cone"] = limits.base_cone.half_angle[i] - angle(u[i], turned[i])
        found[leg + "platform cone"] = limits.platform_cone.half_angle[i] - angle(
            u[i], R @ limits.platform_cone.axis[i]
        )
        for name, plate, normal in (
            ("base", limits.base_plate, limits.base_plate.normal),
            ("platform", limits.platform_plate, R @ limits.platform_plate.normal),
        ):
            found[f"{leg}{name} plate angle"] = np.pi / 2 - angle(u[i], normal) - plate.minimum[i]
        for j in range(i):
            A = np.stack([heads[i] - feet[i], feet[j] - heads[j]], axis=1)
            gap = np.nan  # of legs that cannot close
            if np.isfinite(A).all():
                s = lsq_linear(A, feet[j] - feet[i], bounds=(0, 1), tol=1e-14).x
                gap = np.linalg.norm(A @ s - feet[j] + feet[i])
            found[f"legs {j + 1}-{i + 1} clearance"] = gap - limits.leg_radius[i] - limits.leg_radius[j]
    tool, home = X @ m.X_PT, m.X_home @ m.X_PT
    for k, axis in enumerate("xyz"):
        found[f"tool {axis} min"] = tool[k, 3] - limits.box[k, 0]
        found[f"tool {axis} max"] = limits.box[k, 1] - tool[k, 3]
    found["tool radius"] = limits.radius - np.hypot(*(tool - home)[:2, 3])
    found["tool tilt"] = limits.tilt - angle(tool[:3, 2], home[:3, 2])
    quaternion = Rotation.from_matrix(tool[:3, :3] @ home[:3, :3].T).as_quat()
    twist = 2 * np.arctan2(*quaternion[2:])
    found["tool rotation"] = limits.rotation - abs((twist + np.pi) % (2 * np.pi) - np.pi)
    rho = (m.b_P - m.platform_centre) @ R.T / m.characteristic_length
    sigma = np.linalg.svd(np.concatenate([u, np.cross(rho, u)], axis=1), compute_uv=False)[-1]
    found["singularity"] = sigma - limits.singular_value
    return found


@pytest.mark.parametrize("name", SKEW)
def test_every_margin_is_what_its_name_says(name, rng):
    m = gough.load(name)
    assert gough.margins(m, m.home).is_allowed
    for X in (some_pose(m, rng, 0.05, 0.2) for _ in range(12)):
        if np.isnan(gough.inverse_kinematics(m, X)).any():
            continue  # a leg does not close
        found, by_hand = gough.margins(m, X), expected(m, X)
        assert {n for n in found.names if not n.endswith("reach")} == set(by_hand)
        for value, margin in zip(found.values, found.names, strict=True):
            if margin in by_hand:
                within = 1e-6 if margin.endswith("clearance") else ROUNDING
                assert value == pytest.approx(by_hand[margin], abs=within), margin


@pytest.mark.parametrize("name", SKEW[1:])
def test_a_leg_reaches_as_far_as_its_joint_can_go_any_way(name, rng):
    """The reach: no displacement of the joint that is shorter opens the leg, and one of that length does."""
    m = gough.load(name)
    X = m.X_home
    reach = gough.margins(m, X).values[:6]
    d = rng.normal(size=(4000, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    poses = np.tile(X, (4000, 1, 1))
    for leg in range(6):
        poses[:, :3, 3] = X[:3, 3] + (1 - 1e-9) * reach[leg] * d
        assert np.isfinite(gough.inverse_kinematics(m, poses)[:, leg]).all()
        poses[:, :3, 3] = X[:3, 3] + 1.02 * reach[leg] * d
        assert np.isnan(gough.inverse_kinematics(m, poses)[:, leg]).any()


CASES = [(name, machine) for name in BOUNDS for machine in BOUNDS[name][1]]
OTHERS = thorough(*{name: (name, machine) for name, machine in CASES if machine not in SKEW}.values())
"""Of each bound one machine with symmetry."""


@pytest.mark.parametrize(("name", "machine"), [*(case for case in CASES if case[1] in SKEW), *OTHERS])
def test_no_bound_is_passed_and_none_is_far_off(name, machine):
    tries = TRIES.get(name, 1000) // (2 if machine in SKEW or name in SLOW else 1)
    found = list(attacked(name, machine, tries, seed=1))
    assert max(one.excess for one in found) <= ROUND_OFF
    if name in REACHED:
        assert np.nanmedian([one.reached for one in found]) > REACHED[name]


def test_every_promise_of_a_bound_is_attacked():
    """A docstring that speaks of a bound: name it in `tests.bounds.promises`, with its claim or why it has none."""
    names = [*promising()]
    listed = [end for ends in ATTACKED.values() for end in ends] + [*ELSEWHERE]

    def matches(name, end):
        return f".{name}".endswith(f".{end}")

    assert {claim.split(",")[0] for claim in ATTACKED} == {*BOUNDS}
    assert [name for name in names if sum(matches(name, end) for end in listed) != 1] == []
    assert [end for end in listed if not any(matches(name, end) for name in names)] == []

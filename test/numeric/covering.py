"""Few rows that hold every possible pair of values of two axes, chosen greedily; the same each time."""

import random
from itertools import combinations
from typing import NamedTuple

import numpy as np


class Rule(NamedTuple):
    """Values that do not go together; `forbids` takes one value of each axis."""

    reason: str
    axes: tuple
    forbids: object

    def holds(self, row):
        """False where `row`, a dict that may lack axes, breaks the rule."""
        if any(axis not in row for axis in self.axes):
            return True
        return not self.forbids(*(row[axis] for axis in self.axes))


def possible_pairs(axes, rules):
    """{(axis, value, axis, value)} of each two axes, without those that a rule of these axes forbids."""
    rules = [rule for rule in rules if len(rule.axes) <= 2]
    pairs = set()
    for a, b in combinations(axes, 2):
        both = [rule for rule in rules if set(rule.axes) <= {a, b}]
        for x in axes[a]:
            for y in axes[b]:
                if all(rule.holds({a: x, b: y}) for rule in both):
                    pairs.add((a, x, b, y))
    return pairs


class Uncovered:
    """The pairs that no row has yet."""

    def __init__(self, axes, pairs):
        self.axes = axes
        self.place = {a: {value: n for n, value in enumerate(values)} for a, values in axes.items()}
        self.table = {}
        for a, b in combinations(axes, 2):
            self.table[a, b] = self.table[b, a] = None
            cells = np.zeros((len(axes[a]), len(axes[b])), bool)
            self.table[a, b], self.table[b, a] = cells, cells.T
        for a, x, b, y in pairs:
            self.table[a, b][self.place[a][x], self.place[b][y]] = True

    def gain(self, row, axis):
        """How many pairs each value of `axis` adds to `row`."""
        gain = np.zeros(len(self.axes[axis]), int)
        for other, value in row.items():
            gain += self.table[other, axis][self.place[other][value]]
        return gain

    def of(self, row):
        return sum(bool(self.table[a, b][self.place[a][row[a]], self.place[b][row[b]]]) for a, b in combinations(row, 2))

    def cover(self, row):
        for a, b in combinations(row, 2):
            self.table[a, b][self.place[a][row[a]], self.place[b][row[b]]] = False

    def some(self, rng):
        """A pair as a row of two axes, of the two axes that have the most; None where all are covered."""
        left = {(a, b): int(self.table[a, b].sum()) for a, b in combinations(self.axes, 2)}
        a, b = max(left, key=left.get)
        if not left[a, b]:
            return None
        x, y = rng.choice(np.argwhere(self.table[a, b]).tolist())
        return {a: self.axes[a][x], b: self.axes[b][y]}


def complete(row, axes, rules, uncovered, rng):
    """`row` with a value for each axis, or None where none is found: of each axis the value that adds most."""
    row = dict(row)
    if not all(rule.holds(row) for rule in rules):
        return None
    rest = [axis for axis in axes if axis not in row]
    rng.shuffle(rest)
    for axis in rest:
        gain = uncovered.gain(row, axis) + np.array([rng.random() for _ in axes[axis]])
        about = [rule for rule in rules if axis in rule.axes]
        for n in np.argsort(-gain):
            row[axis] = axes[axis][n]
            if all(rule.holds(row) for rule in about):
                break
        else:
            return None
    return row


TRIES = 300  # rows that are made from one pair before it is called impossible
CANDIDATES = 10  # rows that the best one is chosen from


def covering(axes, rules, group, cost):
    """Rows with every possible pair.

    `group` takes a row and returns the part of it, as a dict, that all rows of its group have.
    `cost` says how many new pairs a row has to be worth; it takes a row, and whether it is the first
    of its group.
    """
    rng = random.Random(1)
    uncovered = Uncovered(axes, possible_pairs(axes, rules))
    rows, groups = [], {}
    while (seed := uncovered.some(rng)) is not None:
        candidates = [c for c in fresh(seed, axes, rules, uncovered, rng)]
        fitting = [g for g in groups.values() if all(g.get(a, x) == x for a, x in seed.items())]
        for part in rng.sample(fitting, min(len(fitting), CANDIDATES)):
            candidates.append(complete(part | seed, axes, rules, uncovered, rng))
        candidates = [c for c in candidates if c is not None]

        def worth(row):
            return uncovered.of(row) - cost(row, tuple(group(row).items()) not in groups)

        row = max(candidates, key=worth)
        groups.setdefault(tuple(group(row).items()), group(row))
        uncovered.cover(row)
        rows.append(row)
    return rows


def fresh(seed, axes, rules, uncovered, rng):
    """Some rows with the pair `seed`."""
    found = 0
    for _ in range(TRIES):
        row = complete(seed, axes, rules, uncovered, rng)
        if row is not None:
            found += 1
            yield row
        if found == 3:
            return
    assert found, f"no row found with {seed}: a rule of these two axes has to say why"

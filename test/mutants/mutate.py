#!/usr/bin/env python3
"""Changes valid modules at random places, reproducibly:

    mutate.py --seed=S --index=I [--build-dir=build] > mutant.mlir

writes mutant I of seed S; its description goes to the standard error. A mutant depends on the seed, its index
and the .mlir files of the tree only.
"""

import argparse
import os
import random
import subprocess
import sys
from pathlib import Path

import mutators
import originals

# Every sixteenth mutant is of bytecode.
BYTECODE_STRIDE = 16


def encode(text):
    return text.encode("utf-8", "surrogateescape")


class Mutator:
    """Makes the mutants of one seed."""

    def __init__(self, tool, seed):
        self.tool = tool
        self.seed = seed
        self.modules = originals.load(tool)
        self.bytecode = {}

    def bytecode_of(self, text):
        if text not in self.bytecode:
            self.bytecode[text] = subprocess.run(
                [self.tool, "--emit-bytecode", "-o", "-"],
                input=encode(text),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                check=True,
                timeout=60,
            ).stdout
        return self.bytecode[text]

    def make(self, index):
        """The bytes of a mutant, and what was done."""
        rng = random.Random(f"{self.seed}:{index}")
        text = originals.generate(rng) if rng.random() < 0.3 else rng.choice(self.modules)
        if index % BYTECODE_STRIDE == 0:
            return mutators.change_bytes(rng, self.bytecode_of(text)), "change_bytes"
        steps, wanted = [], rng.choice([1, 1, 1, 2, 2, 3])
        functions, weights = zip(*mutators.MUTATORS)
        while len(steps) < wanted:
            function = rng.choices(functions, weights)[0]
            try:
                # Dense arrays of index have no meaning, and the parser of MLIR 22 goes on with any.
                text = (function(rng, text) or " ").replace("array<index", "array<i64")
            except mutators.NotApplicable:
                continue
            steps.append(function.__name__)
        return encode(text), ", ".join(steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default_build = os.environ.get("MHA_BUILD_DIR", originals.ROOT / "build")
    parser.add_argument("--build-dir", type=Path, default=Path(default_build))
    parser.add_argument("--seed", required=True)
    parser.add_argument("--index", type=int, required=True)
    options = parser.parse_args()
    data, description = Mutator(options.build_dir / "bin/mha-opt", options.seed).make(options.index)
    print(description, file=sys.stderr)
    sys.stdout.buffer.write(data)


if __name__ == "__main__":
    main()

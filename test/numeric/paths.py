"""The ways in which compiled code may compute an attention, and what `mha-run` and `mha-opt` are told to take one.

| path      | computes |
| --------- | --- |
| `fast`    | by a kernel for the CPU, where there is one |
| `general` | by loops over blocks of the default size, without kernels |
| `tiled_N` | as `general`, N keys at a time |
"""

TILES = (1, 2, 3, 16)
TILED = {f"tiled_{keys}": f"kernels=false block-k={keys}" for keys in TILES}
OPTIONS = {"fast": "", "general": "kernels=false", **TILED}

# One size of a block is enough for what does not depend on blocks.
FEW = ("fast", "general", "tiled_3")


def pipeline_options(path, cpu=""):
    """Of `mha-cpu-pipeline`; without a CPU its default one."""
    return " ".join(filter(None, (OPTIONS[path], cpu and f"cpu={cpu}")))


def flags(path, target="native"):
    """The flags of `mha-run`."""
    if not OPTIONS[path]:
        return [f"--target={target}"]
    options = pipeline_options(path, "" if target == "native" else target)
    return [f"--target={target}", f"--pipeline=builtin.module(mha-cpu-pipeline{{{options}}})"]

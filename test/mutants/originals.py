"""The valid modules that mutants are made of: those of the tree, and generated ones."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPLIT = re.compile(r"^// -----.*$|^//--- .*$", re.MULTILINE)
# Comments name no types, and the checks in them are not IR.
COMMENT = re.compile(r"^\s*//.*\n|\s+// .*$", re.MULTILINE)
MARKER = "//----8<----mutants----8<----//"
# Larger ones are slow, and a change in one rarely matters.
MAX_CHARACTERS = 6000


def sources():
    """The parts of all .mlir files of the tree, in a fixed order; not all of them are valid."""
    files = [*sorted((ROOT / "docs/examples").glob("*.mlir")), *sorted((ROOT / "test").rglob("*.mlir"))]
    parts = []
    for path in files:
        for part in SPLIT.split(path.read_text()):
            text = COMMENT.sub("", part + "\n").strip()
            if text and len(text) <= MAX_CHARACTERS:
                parts.append(text + "\n")
    return list(dict.fromkeys(parts))


def printed(tool, texts, *options):
    """What the tool prints for each text; empty for one that it refuses."""
    command = [tool, f"--split-input-file={MARKER}", f"--output-split-marker={MARKER}", *options]
    result = subprocess.run(command, input=f"\n{MARKER}\n".join(texts).encode(), stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, check=False, timeout=300)
    outputs = result.stdout.decode().split(MARKER + "\n")
    if result.returncode not in (0, 1) or len(outputs) < len(texts):
        raise RuntimeError(f"{tool} ended with status {result.returncode} on the modules of the tree")
    return [output.strip() for output in outputs[:len(texts)]]


def functions(module):
    """The top-level functions of a printed module, each alone."""
    return re.findall(r"^  (func\.func .*\{\n(?:    .*\n|  \^.*\n)*  \}\n)", module, re.MULTILINE)


def load(tool):
    """The valid modules of the tree: as written, as printed, in generic form, and function by function."""
    texts = sources()
    valid = [text for text, output in zip(texts, printed(tool, texts)) if output]
    normal = [output + "\n" for output in printed(tool, valid)]
    single = [function for module in normal for function in functions(module)]
    single = [text for text, output in zip(single, printed(tool, single)) if output]
    generic = [output + "\n" for output in printed(tool, valid + single, "--mlir-print-op-generic") if output]
    return list(dict.fromkeys(valid + normal + single + generic))


# ---- Generated ones


def permuted(rng, sizes):
    axes = "".join(rng.sample("bhsd", 4))
    return axes, [sizes[axis] for axis in axes]


def shape(rng, sizes, dynamic):
    return "x".join("?" if rng.random() < dynamic else str(size) for size in sizes)


def mask_clauses(rng, batch, arguments):
    """A positional mask, what it is aligned by, and lengths."""
    clauses = []
    mask = rng.choice(["", "causal", "window", "both"])
    window = f"window<{rng.choice([0, 1, 3, 2**60])}, {rng.choice([0, 2, 2**40])}>"
    if mask:
        clauses.append("mask<" + {"causal": "causal", "window": window, "both": "causal, " + window}[mask] + ">")
    align = rng.choice(["top_left", "bottom_right", "explicit", "end"]) if mask else ""
    if align:
        clauses.append(f"align({align})")
    if rng.random() < 0.3:
        clauses.append(f"scale({rng.choice(['0.5', '-1.0', '1.0e-300', '0.0'])})")
    if rng.random() < 0.3:
        arguments.append(("len", f"tensor<{batch}xi64>"))
        clauses.append(f"lengths(%len : tensor<{batch}xi64>)")
    if align in ("explicit", "end"):
        kind = rng.choice(["i64", "index", f"tensor<{batch}xi64>"])
        arguments.append(("off", kind))
        clauses.append(f"query_offset(%off : {kind})")
    return clauses


def generate(rng):
    """A function with one attention, valid whatever is drawn."""
    element = rng.choice(["f32", "f32", "f64"])
    dynamic = rng.choice([0, 0, 0.3, 1])
    kv_heads = rng.choice([1, 2, 3])
    heads = kv_heads * rng.choice([1, 2, 3])
    batch, queries, keys = rng.choice([0, 1, 2, 3]), rng.choice([0, 1, 7, 13]), rng.choice([0, 1, 11, 5])
    size, value_size = rng.choice([1, 5, 8]), rng.choice([0, 1, 4, 8])
    layouts, arguments, operands = {}, [], []
    for name, sizes in (("query", dict(b=batch, h=heads, s=queries, d=size)),
                        ("key", dict(b=batch, h=kv_heads, s=keys, d=size)),
                        ("value", dict(b=batch, h=kv_heads, s=keys, d=value_size))):
        layouts[name], ordered = permuted(rng, sizes)
        kind = f"tensor<{shape(rng, ordered, dynamic)}x{element}>"
        arguments.append((name, kind))
        operands.append(f"{name}(%{name} : {kind}, {layouts[name]})")
    clauses = mask_clauses(rng, batch, arguments)
    layout, ordered = permuted(rng, dict(b=batch, h=heads, s=queries, d=value_size))
    output = f"tensor<{shape(rng, ordered, dynamic)}x{element}>"
    lse = f"tensor<{shape(rng, [batch, heads, queries], dynamic)}x{element}>" if rng.random() < 0.3 else ""
    if rng.random() < 0.25:
        arguments.append(("init", output))
        clauses.append(f"outs(%init : {output})")
    results = f"({output}, {layout}" + (f", lse {lse})" if lse else ")")
    names, types = ("%o, %lse", f"{output}, {lse}") if lse else ("%o", output)
    listed = ", ".join(f"%{name}: {kind}" for name, kind in arguments)
    visibility = rng.choice(["", "", "private "])
    return (f"func.func {visibility}@f({listed}) -> ({types}) {{\n"
            f"  {names} = mha.attention {' '.join(operands + clauses)} -> {results}\n"
            f"  return {names} : {types}\n}}\n")

"""Writes a case as a program with one `mha.attention`, and its arrays as the program's inputs."""

import numpy as np

from storage import DTYPES

# Which axes have a dynamic size, by operand; "h" is also that of slopes, table and sink, whose
# other axis is "n". `mixed` names a different set for each operand, so that no operand knows all
# the sizes and each size is known to some operand.
DYNAMIC = {
    "static": dict(query="", key="", value="", output="", mask="", heads=""),
    "seq": dict(query="s", key="s", value="s", output="s", mask="qk", heads=""),
    "batch": dict(query="b", key="b", value="b", output="b", mask="b", heads=""),
    "heads": dict(query="hkg", key="h", value="h", output="hkg", mask="h", heads="h"),
    "group": dict(query="g", key="", value="", output="gh", mask="", heads="h"),
    "depth": dict(query="d", key="d", value="d", output="d", mask="", heads="n"),
    "terms": dict(query="", key="", value="", output="", mask="bhqk", heads="hn"),
    "all": dict(
        query="bhkgsd", key="bhsd", value="bhsd", output="bhkgsd", mask="bhqk", heads="hn"
    ),
    "mixed": dict(query="bs", key="hd", value="bsd", output="bsd", mask="hk", heads="n"),
}


def tensor(letters, sizes, dynamic, element):
    """The type of a tensor whose axes are `letters`."""
    dims = ["?" if letter in dynamic else str(sizes[letter]) for letter in letters]
    return f"tensor<{'x'.join(dims + [element])}>"


def types(case):
    """The type of each operand and result that a program of the case may have."""
    dynamic = DYNAMIC[case.dynamic]
    kv, hq, hkv = 1 if case.shared_keys else case.batch, case.query_heads, case.key_heads
    split = dict(h=hq, k=hkv, g=hq // hkv)
    sizes = dict(
        query=dict(split, b=case.batch, s=case.queries, d=case.depth),
        key=dict(b=kv, h=hkv, s=case.keys, d=case.depth),
        value=dict(b=kv, h=hkv, s=case.keys, d=case.value_depth),
        output=dict(split, b=case.batch, s=case.queries, d=case.value_depth),
    )
    result = {}
    for name, layout in zip(sizes, case.layouts):
        of = dynamic[name]
        if case.shared_keys and name in ("key", "value"):
            of = of.replace("b", "")
        element = case.dtype if name == "output" else case.type_of(name)
        result[name] = tensor(layout, sizes[name], of, element)
    result["lse"] = tensor("bhs", sizes["output"], dynamic["output"], case.type_of("lse"))
    result["scale"] = case.type_of("scale")
    if case.mask is not None:
        axes = {"b": case.batch, "h": hq, "q": case.queries, "k": case.keys, "1": 1}
        result["mask"] = tensor(case.mask, axes, dynamic["mask"], case.type_of("mask"))
    for name, letters in dict(slopes="h", table="hn", sink="h").items():
        of = dict(h=hq, n=case.columns)
        result[name] = tensor(letters, of, dynamic["heads"], case.type_of(name))
    return result


def module(case):
    """The program. Its arguments are %query, %key, %value and, as needed, %lengths, %offset,
    %init_output, %init_lse and those of `case.terms`.
    """
    of = types(case)
    per_batch = tensor("b", dict(b=case.batch), DYNAMIC[case.dynamic]["query"], "i64")
    offset_type = per_batch if case.offset_type == "tensor" else case.offset_type
    layout = dict(zip(("query", "key", "value", "output"), case.layouts))

    arguments = {name: of[name] for name in ("query", "key", "value")}
    body = []
    clauses = [f"{name}(%{name} : {of[name]}, {layout[name]})" for name in arguments]

    def operand(clause, name):
        clauses.append(f"{clause}(%{name} : {of[name]})")
        arguments[name] = of[name]

    masks = ["causal"] * case.causal
    if case.window is not None:
        masks.append(f"window<{case.window[0]}, {case.window[1]}>")
    if masks:
        clauses.append(f"mask<{', '.join(masks)}>")
    if case.align is not None:
        clauses.append(f"align({case.align})")
    if case.scale_operand:
        operand("scale", "scale")
    elif case.scale is not None:
        clauses.append(f"scale({case.scale:.17e})")
    if case.mask is not None:
        operand("dense_mask", "mask")
    if case.lengths is not None:
        clauses.append(f"lengths(%lengths : {per_batch})")
        if case.constant_lengths:
            numbers = ", ".join(map(str, case.lengths))
            body.append(f"%lengths = arith.constant dense<[{numbers}]> : {per_batch}")
        else:
            arguments["lengths"] = per_batch
    if case.offset is not None:
        clauses.append(f"query_offset(%offset : {offset_type})")
        arguments["offset"] = offset_type
    if case.bias == "relative":
        clauses.append(f"bias<relative, origin = {case.origin}>")
        operand("relative_table", "table")
    elif case.bias is not None:
        clauses.append(f"bias<{case.bias}>")
        operand("slopes", "slopes")
    if case.softcap is not None:
        clauses.append(f"softcap({case.softcap:.17e})")
    if case.sink is not None:
        operand("sink", "sink")
    results = ["output", "lse"] if case.lse else ["output"]
    if case.destination:
        arguments.update({f"init_{name}": of[name] for name in results})
        lse = f", lse %init_lse : {of['lse']}" if case.lse else ""
        clauses.append(f"outs(%init_output : {of['output']}{lse})")

    shown = [of["output"]]
    if layout["output"] != layout["query"]:
        shown.append(layout["output"])
    if case.lse:
        shown.append(f"lse {of['lse']}")
    returned = shown[0] if len(shown) == 1 else f"({', '.join(shown)})"
    names = ", ".join(f"%{name}" for name in results)
    result_types = ", ".join(of[name] for name in results)
    body.append(f"{names} = mha.attention " + "\n        ".join([*clauses, f"-> {returned}"]))
    body.append(f"return {names} : {result_types}")
    signature = ", ".join(f"%{name}: {type_}" for name, type_ in arguments.items())
    lines = "\n    ".join(body)
    return f"func.func @main({signature}) -> ({result_types}) {{\n    {lines}\n}}\n"


def to_layout(array, layout, key_heads):
    """(B, H, S, D) into `layout`."""
    axes = "bhsd"
    if "g" in layout:
        axes = "bkgsd"
        b, h, *rest = array.shape
        array = array.reshape(b, key_heads, h // key_heads, *rest)
    return np.ascontiguousarray(np.transpose(array, [axes.index(letter) for letter in layout]))


def from_layout(array, layout):
    """`layout` into (B, H, S, D)."""
    if "g" not in layout:
        return np.transpose(array, [layout.index(letter) for letter in "bhsd"])
    array = np.transpose(array, [layout.index(letter) for letter in "bkgsd"])
    b, k, g, *rest = array.shape
    return array.reshape(b, k * g, *rest)


def inputs(case, arrays):
    """Argument name to array, as `module` names the arguments."""
    result = {
        name: to_layout(array, layout, case.key_heads)
        for name, array, layout in zip(("query", "key", "value"), arrays, case.layouts)
    }
    result.update(case.terms())
    if case.lengths is not None and not case.constant_lengths:
        result["lengths"] = np.array(case.lengths, np.int64)
    if case.offset is not None:
        result["offset"] = np.array(case.offset, np.int64)
    if case.destination:
        shape = (case.batch, case.query_heads, case.queries, case.value_depth)
        nan = np.full(shape, np.nan, DTYPES[case.dtype])
        result["init_output"] = to_layout(nan, case.layouts[3], case.key_heads)
        if case.lse:
            result["init_lse"] = np.full(shape[:3], np.nan, DTYPES[case.type_of("lse")])
    return result

"""Writes a case as a program with one `mha.attention`, and its arrays as the program's inputs."""

import numpy as np

# Which axes have a dynamic size, by operand. `mixed` names a different set for each operand, so
# that no operand knows all the sizes and each size is known to some operand.
DYNAMIC = {
    "static": dict(query="", key="", value="", output=""),
    "seq": dict(query="s", key="s", value="s", output="s"),
    "batch": dict(query="b", key="b", value="b", output="b"),
    "heads": dict(query="h", key="h", value="h", output="h"),
    "depth": dict(query="d", key="d", value="d", output="d"),
    "all": dict(query="bhsd", key="bhsd", value="bhsd", output="bhsd"),
    "mixed": dict(query="bs", key="hd", value="bsd", output="bsd"),
}


def tensor(letters, sizes, dynamic, element):
    """The type of a tensor whose axes are `letters`."""
    dims = ["?" if letter in dynamic else str(sizes[letter]) for letter in letters]
    return f"tensor<{'x'.join(dims + [element])}>"


def types(case):
    """The tensor types of query, key, value, output and lse."""
    dynamic = DYNAMIC[case.dynamic]
    sizes = dict(
        query=dict(b=case.batch, h=case.query_heads, s=case.queries, d=case.depth),
        key=dict(b=case.batch, h=case.key_heads, s=case.keys, d=case.depth),
        value=dict(b=case.batch, h=case.key_heads, s=case.keys, d=case.value_depth),
        output=dict(b=case.batch, h=case.query_heads, s=case.queries, d=case.value_depth),
    )
    result = {
        name: tensor(layout, sizes[name], dynamic[name], case.dtype)
        for name, layout in zip(sizes, case.layouts)
    }
    result["lse"] = tensor("bhs", sizes["output"], dynamic["output"], case.dtype)
    return result


def module(case):
    """The program. Inputs are %query, %key, %value and, as needed, %lengths, %offset, %init*."""
    of = types(case)
    per_batch = tensor("b", dict(b=case.batch), DYNAMIC[case.dynamic]["query"], "i64")
    offset_type = per_batch if case.offset_type == "tensor" else case.offset_type
    layout = dict(zip(("query", "key", "value", "output"), case.layouts))

    arguments = {name: of[name] for name in ("query", "key", "value")}
    body = []
    clauses = [f"{name}(%{name} : {of[name]}, {layout[name]})" for name in arguments]
    masks = ["causal"] * case.causal
    if case.window is not None:
        masks.append(f"window<{case.window[0]}, {case.window[1]}>")
    if masks:
        clauses.append(f"mask<{', '.join(masks)}>")
    if case.align is not None:
        clauses.append(f"align({case.align})")
    if case.scale is not None:
        clauses.append(f"scale({case.scale:.17e})")
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


def to_layout(array, layout):
    """(B, H, S, D) into `layout`."""
    return np.ascontiguousarray(np.transpose(array, ["bhsd".index(letter) for letter in layout]))


def from_layout(array, layout):
    """`layout` into (B, H, S, D)."""
    return np.transpose(array, [layout.index(letter) for letter in "bhsd"])


def inputs(case, arrays):
    """Argument name to array, as `module` names the arguments."""
    result = {
        name: to_layout(array, layout)
        for name, array, layout in zip(("query", "key", "value"), arrays, case.layouts)
    }
    if case.lengths is not None and not case.constant_lengths:
        result["lengths"] = np.array(case.lengths, np.int64)
    if case.offset is not None:
        result["offset"] = np.array(case.offset, np.int64)
    if case.destination:
        shape = (case.batch, case.query_heads, case.queries, case.value_depth)
        nan = np.full(shape, np.nan, arrays[0].dtype)
        result["init_output"] = to_layout(nan, case.layouts[3])
        if case.lse:
            result["init_lse"] = np.full(shape[:3], np.nan, arrays[0].dtype)
    return result

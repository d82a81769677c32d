"""Functions that change a module at a random place. Each raises NotApplicable where it finds nothing to change.

A mutator takes the random numbers and a text, and gives the new text; MUTATORS lists them with their weights.
"""

import re

import pools

TOKEN = re.compile(r"""
    //[^\n]* | "(?:[^"\\\n]|\\.)*" | [%@^#!][\w$.]+(?:\#\d+)? | -> | ::
  | 0x[0-9A-Fa-f]{5,} | (?:\d+|\?)(?=x[\d?a-z!]) | (?<=[\d?*])x
  | \d+\.\d*(?:[eE][-+]?\d+)? | \d+ | [A-Za-z_][\w$]*(?:\.[\w$]+)* | \s+ | .
""", re.VERBOSE | re.DOTALL)
# Where an element type may begin: after the last size, or as a word that is no name.
TYPE_BEGIN = r"(?:(?<=[\d?*]x)|(?<![\w%@^#!.$]))"
ELEMENT = re.compile(TYPE_BEGIN + r"(f16|bf16|f32|f64|i64|i32|i1|index)\b(?!\.)")
SHAPED = re.compile(r"\b(tensor|memref|vector)<((?:(?:\d+|\?)x)*)([a-z]\w*)((?:, [^<>]*(?:<[^<>]*>)?)?)>")
ANGLED = r"<(?:[^<>]|<[^<>]*>)*>"
LAYOUT = re.compile(r"\b(?=[bhsd]{4}\b)(?=\w*b)(?=\w*h)(?=\w*s)(?=\w*d)\w{4}\b")
CLAUSE_NAME = re.compile(
    r"\b(mask|align|scale|dense_mask|lengths|query_offset|bias|slopes|relative_table|softcap|sink|head_gate|dropout"
    r"|dropout_seed|q_scale|k_scale|v_scale|captures|origin|schedule|outs|query|key|value)(?=[(<])")
ATTRIBUTE = re.compile(
    r"\b(\w+) = (array<[^<>]*>|#[\w.]+<[^<>]*(?:<[^<>]*>)?[^<>]*>|-?[\d.eE+-]+ : \w+|\"[^\"]*\"|unit)")
SEGMENTS = re.compile(
    r"(operandSegmentSizes|resultSegmentSizes|static_sizes|static_offsets|dimensions) = array<(i32|i64): ([^<>]*)>")
HEADER = re.compile(
    r"func\.func (?:private |public |nested )?(@[\w$]+)\((.*?)\)(?: -> (\([^{}()]*\)|[^{}() ]*))?"
    r"(?: attributes [^\n]*)? \{\n", re.DOTALL)
# An op on one line: its results, itself, the types at its end.
LINE = re.compile(
    r"^ *(?:(%[\w$]+(?:, %[\w$]+)*) = )?((?:mha|linalg|tensor|arith|math)\.\w+[^\n{}]*"
    r"(?:: |-> )(\([^()\n]*\)|[^()\n]*))\n", re.MULTILINE)

MUTATORS = []


def mutator(weight):
    def register(function):
        MUTATORS.append((function, weight))
        return function
    return register


class NotApplicable(Exception):
    """The text has nothing for this mutator."""


def choose(rng, choices):
    """An element of a list, which may be empty."""
    if not choices:
        raise NotApplicable
    return rng.choice(choices)


def find(rng, pattern, text):
    """One of the matches of a pattern."""
    return choose(rng, list(re.finditer(pattern, text)))


def splice(text, begin, end, new):
    return text[:begin] + new + text[end:]


def replace_match(text, match, new, group=0):
    return splice(text, match.start(group), match.end(group), new)


def places(tokens, accepted=lambda token: not token.isspace()):
    return [place for place, token in enumerate(tokens) if accepted(token)]


# ---- Characters, lines and tokens


@mutator(2)
def change_character(rng, text):
    """Deletes, inserts, or flips a bit of a character."""
    at = rng.randrange(len(text))
    kind = rng.randrange(3)
    if kind == 0:
        return splice(text, at, at + 1, "")
    if kind == 1:
        return splice(text, at, at, rng.choice(pools.PUNCTUATION + list("x0f_")))
    flipped = (ord(text[at]) ^ (1 << rng.randrange(8))) & 0xFF
    return splice(text, at, at + 1, chr(flipped) if flipped < 0x80 else chr(0xDC00 + flipped))


@mutator(0.5)
def truncate(rng, text):
    """Ends too early."""
    return text[:rng.randrange(len(text))]


@mutator(1.5)
def change_lines(rng, text):
    """Deletes, duplicates, swaps or moves lines."""
    lines = text.splitlines(keepends=True)
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        del lines[one]
    elif kind == 1:
        lines.insert(other, lines[one])
    elif kind == 2:
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines.insert(other, lines.pop(one))
    return "".join(lines)


@mutator(3)
def change_tokens(rng, text):
    """Swaps, duplicates, deletes, replaces or inserts tokens."""
    tokens = TOKEN.findall(text)
    seen = places(tokens)
    one, other = choose(rng, seen), choose(rng, seen)
    kind = rng.randrange(6)
    if kind == 0:
        tokens[one], tokens[other] = tokens[other], tokens[one]
    elif kind == 1:
        tokens.insert(one, tokens[one] + " ")
    elif kind == 2:
        del tokens[one]
    elif kind == 3:
        tokens[one] = tokens[other]
    elif kind == 4:
        tokens.insert(one, rng.choice(pools.PUNCTUATION + pools.WORDS + pools.NUMBERS + pools.ELEMENTS))
    else:
        del tokens[one:one + rng.randrange(2, 12)]
    return "".join(tokens)


@mutator(3)
def change_number(rng, text):
    """A number becomes an extreme one."""
    tokens = TOKEN.findall(text)
    is_number = re.compile(r"\d+(\.\d*)?([eE][-+]?\d+)?|\?").fullmatch
    tokens[choose(rng, places(tokens, is_number))] = rng.choice(pools.NUMBERS)
    return "".join(tokens)


@mutator(2)
def change_word(rng, text):
    """A keyword or enum becomes another, or a wrong one."""
    tokens = TOKEN.findall(text)
    tokens[choose(rng, places(tokens, pools.WORDS.__contains__))] = rng.choice(pools.WORDS + pools.WRONG_WORDS)
    return "".join(tokens)


# ---- Types


@mutator(3)
def change_layout(rng, text):
    """Two letters of a layout swap, or it becomes another."""
    match = find(rng, LAYOUT, text)
    if rng.random() < 0.3:
        return replace_match(text, match, rng.choice(pools.LAYOUTS))
    letters = list(match.group())
    one, other = rng.sample(range(4), 2)
    letters[one], letters[other] = letters[other], letters[one]
    return replace_match(text, match, "".join(letters))


@mutator(3)
def change_element_type(rng, text):
    """Another element type, in one place or everywhere."""
    match = find(rng, ELEMENT, text)
    new = rng.choice(pools.ELEMENTS)
    if rng.random() < 0.5:
        return replace_match(text, match, new)
    return re.sub(TYPE_BEGIN + match.group() + r"\b(?!\.)", lambda _: new, text)


@mutator(3)
def change_float_type(rng, text):
    """All floats become f32 or f64."""
    if not re.search(r"f32|f64", text):
        raise NotApplicable
    return re.sub(TYPE_BEGIN + r"f(32|64)\b", rng.choice(["f64", "f32"]), text)


@mutator(5)
def change_size(rng, text):
    """A size changes everywhere, or becomes dynamic everywhere."""
    size = find(rng, r"(?<![\w.])(\d+)(?=x)|(?<=x)(\d+)(?=x)", text).group()
    return re.sub(r"((?<![\w.])|(?<=x))" + size + r"(?=x)", rng.choice(pools.SIZES), text)


@mutator(2.5)
def change_shape(rng, text):
    """A dimension is removed, added or exchanged, in one type or everywhere."""
    match = find(rng, SHAPED, text)
    sizes = match.group(2).split("x")[:-1]
    kind = rng.randrange(4)
    if kind == 0 and sizes:
        del sizes[rng.randrange(len(sizes))]
    elif kind == 1:
        sizes.insert(rng.randrange(len(sizes) + 1), rng.choice(["1", "2", "?", "0"]))
    elif kind == 2 and sizes:
        sizes[rng.randrange(len(sizes))] = rng.choice(["?", "0", "1", "5", "9"])
    else:
        rng.shuffle(sizes)
    new = f"{match.group(1)}<{''.join(size + 'x' for size in sizes)}{match.group(3)}{match.group(4)}>"
    return text.replace(match.group(), new) if rng.random() < 0.6 else replace_match(text, match, new)


@mutator(2)
def change_type(rng, text):
    """Another kind of type, in one place or everywhere."""
    match = find(rng, SHAPED, text)
    _, sizes, element, _ = match.groups()
    marks = ", ".join("?" * sizes.count("x"))
    new = rng.choice(pools.TYPES).substitute(all=match.group(), sizes=sizes, element=element, marks=marks)
    return text.replace(match.group(), new) if rng.random() < 0.6 else replace_match(text, match, new)


# ---- Values, clauses, results


@mutator(3)
def change_values(rng, text):
    """Swaps two values, uses one for another, adds one to a list or deletes one of it."""
    matches = list(re.finditer(r"%[\w$]+(?:#\d+)?", text))
    one, other = choose(rng, matches), choose(rng, matches)
    kind = rng.randrange(4)
    if kind == 0 and one.end() <= other.start():
        text = replace_match(text, other, one.group())
        return replace_match(text, one, other.group())
    if kind == 1:
        item = find(rng, r"%[\w$]+(?:#\d+)?(?: ?: [^,()]*)?, |, %[\w$]+(?: ?: [^,()]*)?(?=\))", text)
        return replace_match(text, item, "")
    if kind == 2:
        return replace_match(text, one, one.group() + ", " + other.group())
    return replace_match(text, one, rng.choice([other.group(), other.group(), "%undefined", other.group() + "#1"]))


def clause_spans(text):
    """The clauses of attentions: (begin, end)."""
    spans = []
    for match in CLAUSE_NAME.finditer(text):
        depth, at = 0, match.end()
        while at < len(text):
            depth += (text[at] in "(<[{") - (text[at] in ")]}" or (text[at] == ">" and text[at - 1] != "-"))
            at += 1
            if depth == 0:
                break
        spans.append((match.start(), at))
    return spans


@mutator(4)
def change_clauses(rng, text):
    """Deletes, duplicates, exchanges or adds a clause of an attention."""
    spans = clause_spans(text)
    # The three that are required make for dull mutants.
    optional = [span for span in spans if not re.match("query[(]|key|value", text[slice(*span)])]
    begin, end = choose(rng, optional if optional and rng.random() < 0.7 else spans)
    kind = rng.randrange(5)
    if kind == 0:
        return splice(text, begin, end, "")
    if kind == 1:
        return splice(text, end, end, " " + text[begin:end])
    if kind == 2:
        return splice(text, begin, end, rng.choice(pools.CLAUSES))
    if kind == 3:
        return splice(text, end, end, " " + rng.choice(pools.CLAUSES))
    first, second = choose(rng, spans)
    if end > first:
        raise NotApplicable
    return text[:begin] + text[first:second] + text[end:first] + text[begin:end] + text[second:]


@mutator(2)
def add_mask(rng, text):
    """Masks, alignments and scales where they may stand."""
    match = find(rng, r"value\([^()]*\)", text)
    return replace_match(text, match, " ".join([match.group(), *rng.sample(pools.MASKS, rng.choice([1, 1, 1, 2]))]))


@mutator(1.5)
def change_results(rng, text):
    """Removes or adds a result."""
    match = find(rng, r"(%[\w$]+(?::\d+)?(?:, %[\w$]+)*) = ", text)
    names = match.group(1).split(", ")
    new = rng.choice(["", ", ".join(names[:-1]), ", ".join(names + ["%added"]), names[0] + ":2", names[0] + ":0"])
    return replace_match(text, match, new + " = " if new else "")


@mutator(1)
def change_arrow(rng, text):
    """Another result list of an attention."""
    match = find(rng, r"-> (tensor<[^<>]*>|\(tensor<[^<>]*>[^()]*\))", text)
    one = match.group(1).strip("()").split(", ")[0]
    return replace_match(text, match, "-> " + rng.choice(pools.RESULTS).substitute(one=one))


# ---- Attributes, properties, regions


@mutator(2.5)
def change_attribute(rng, text):
    """Another value of an attribute or property."""
    return replace_match(text, find(rng, ATTRIBUTE, text), rng.choice(pools.ATTRIBUTES), 2)


@mutator(2)
def change_segments(rng, text):
    """Wrong sizes of operand and result segments, in number, value or type."""
    match = find(rng, SEGMENTS, text)
    sizes = match.group(3).split(", ")
    kind = rng.randrange(5)
    at, other = rng.randrange(len(sizes)), rng.randrange(len(sizes))
    if kind == 0:
        sizes[at] = rng.choice(["0", "1", "2", "-1", "2147483647", "-2147483648"])
    elif kind == 1:
        del sizes[at]
    elif kind == 2:
        sizes.insert(at, rng.choice(["0", "1"]))
    elif kind == 3:
        sizes[at], sizes[other] = sizes[other], sizes[at]
    element = rng.choice(["i64", "i8", "f32", "i1"]) if kind == 4 else match.group(2)
    values = ": " + ", ".join(sizes) if sizes else ""
    return replace_match(text, match, f"{match.group(1)} = array<{element}{values}>")


@mutator(2)
def change_dictionary(rng, text):
    """An attribute is added, removed, renamed or written twice; properties are not there."""
    kind = rng.randrange(5)
    if kind == 0:
        match = find(rng, r"<\{[^{}]*\}>", text)
        return replace_match(text, match, rng.choice(["", "<{}>", match.group()[1:-1]]))
    if kind == 1:
        match = find(rng, r"\b\w+ = (?:array<[^<>]*>|#[\w.]+<[^<>]*>|[^,{}<>]*), ", text)
        return replace_match(text, match, "" if rng.random() < 0.7 else match.group() * 2)
    name = rng.choice(pools.ATTRIBUTE_NAMES)
    if kind == 2:
        return replace_match(text, find(rng, r"\b(\w+) = (?=[a#\d\"])", text), name, 1)
    item = f"{name} = {rng.choice(pools.ATTRIBUTES)}"
    if kind == 3:
        return replace_match(text, find(rng, r"(?<=<\{)(?=\w)|(?<= \{)(?=\w+ = )", text), item + ", ")
    match = find(rng, r"(?<=attributes \{)|(?<=\))(?= \{\n)|(?<=>)(?= \{\n)", text)
    return replace_match(text, match, item + ", " if text[match.start() - 1] == "{" else f" attributes {{{item}}}")


@mutator(1.5)
def add_argument_attribute(rng, text):
    """An attribute of an argument or result of a function."""
    match = find(rng, r"(?<=[>\w])(?=\) (?:->|\{|attributes))|(?<=>)(?=, %)", text)
    item = f"{rng.choice(pools.ARGUMENT_ATTRIBUTES)} = {rng.choice(pools.ATTRIBUTES)}"
    return replace_match(text, match, f" {{{item}}}")


@mutator(1.5)
def change_regions(rng, text):
    """Regions and their arguments and terminators, in generic form."""
    match = find(rng, r"\(\{\}(, \{\})*\)|\(\{\n", text)
    if match.group() == "({\n":
        return replace_match(text, match, rng.choice(pools.REGION_BEGINNINGS))
    regions = ["{}"] * match.group().count("{}")
    kind = rng.randrange(4)
    if kind == 0:
        regions.pop()
    elif kind == 1:
        regions.append(rng.choice(pools.REGIONS))
    else:
        regions[rng.randrange(len(regions))] = rng.choice(pools.REGIONS)
    return replace_match(text, match, f"({', '.join(regions)})" if regions else "")


# ---- Functions, modules, nesting


@mutator(1)
def remove_body(rng, text):
    """A function without body."""
    match = find(rng, r"func\.func (?:private )?(@[\w$]+)\(([^{}]*)\{\n(?:(?!func).*\n)*? *\}\n", text)
    signature = re.sub(r"%\w+: ", "", match.group(2))
    visibility = rng.choice(["private ", "", "nested ", "public "])
    return replace_match(text, match, f"func.func {visibility}{match.group(1)}({signature}\n")


@mutator(1)
def empty_body(rng, text):
    """A function or op with an empty or a bare body."""
    return replace_match(text, find(rng, r"\{\n[^{}]*\}\n", text), rng.choice(pools.BODIES))


@mutator(2)
def change_visibility(rng, text):
    """Public, private or nested functions."""
    match = find(rng, r"(func\.func )((?:private |public |nested )?)(?=@)", text)
    return replace_match(text, match, rng.choice(["private ", "public ", "nested ", "", "secret "]), 2)


@mutator(2)
def add_symbol(rng, text):
    """A symbol whose name a pass may want, or that is there already."""
    name = find(rng, r"@(\w+)", text).group(1) + rng.choice(pools.SUFFIXES)
    added = rng.choice(pools.DEFINITIONS).substitute(name=name)
    return added + text if rng.random() < 0.7 else text.replace("\n}\n", "\n}\n" + added, 1)


@mutator(1)
def rename_symbol(rng, text):
    """A function gets a special name."""
    return text.replace(find(rng, r"@\w+", text).group(), rng.choice(pools.SYMBOLS))


@mutator(3)
def add_call(rng, text):
    """A function calls itself, or another function calls it."""
    match = find(rng, HEADER, text)
    name, listed, results = match.group(1), match.group(2), match.group(3) or "()"
    arguments = re.findall(rf"(%\w+): ((?:[^,<>(){{}}]|{ANGLED})+)", listed)
    values, types = ", ".join(value for value, _ in arguments), ", ".join(kind.strip() for _, kind in arguments)
    count = len(re.findall(rf"(?:[^,<>()]|{ANGLED})+", results.strip("()")))
    bound = f"%c:{count} = " if count else ""
    call = f"  {bound}func.call {name}({values}) : ({types}) -> {results}\n"
    if rng.random() < 0.4:
        return replace_match(text, match, match.group() + call)
    used = ", ".join(f"%c#{number}" for number in range(count))
    back = f"  return {used} : {results.strip('()')}\n" if count else "  return\n"
    caller = rng.choice(["@caller", "@second", "@f_body"])
    visibility = rng.choice(["", "private "])
    return text + f"func.func {visibility}{caller}({listed}) -> {results} {{\n{call}{back}}}\n"


@mutator(1.5)
def wrap_module(rng, text):
    """The module inside of something."""
    before, after = rng.choice(pools.WRAPPERS)
    return before + text + ("" if text.endswith("\n") else "\n") + after


@mutator(5)
def wrap_op(rng, text):
    """An op inside of control flow, or at a branch."""
    line = find(rng, LINE, text)
    names, op, types = line.groups()
    loop = "%lo = arith.constant 0 : index\n%hi = arith.constant 2 : index"
    parts = {"bound": "", "listed": "", "yielded": "", "else_yielded": "",
             "run": op, "again": op, "op": op, "loop": loop, "condition": "%cond = arith.constant true"}
    if names:
        # The results of the op; layouts are no types, and a cast names the source's type as well.
        types = re.sub(r", [bhsd]{4}(?=[,)]|$)", "", types.strip("()")).replace("lse ", "")
        types = types.split(" to ")[-1].split(" into ")[-1]
        first, second = re.sub(r"%(\w+)", r"%\1_in", names), re.sub(r"%(\w+)", r"%\1_else", names)
        parts.update(bound=f"{names} = ", listed=f" -> ({types})", yielded=f"{first} : {types}",
                     else_yielded=f"{second} : {types}", run=f"{first} = {op}", again=f"{second} = {op}",
                     op=f"{names} = {op}")
    return replace_match(text, line, rng.choice(pools.CONTROL).substitute(parts))


@mutator(5)
def add_op(rng, text):
    """An op on a value that is there."""
    header = choose(rng, list(HEADER.finditer(text)) or list(re.finditer(r"\{\n", text)))
    listed = header.group() if header.group() != "{\n" else text
    value, kind = choose(rng, re.findall(rf"(%[\w$]+) ?: ([\w!.]+{ANGLED}|[fi]\d+|index)", listed))
    shaped = SHAPED.fullmatch(kind)
    sizes, element = (shaped.group(2), shaped.group(3)) if shaped else ("", kind)
    rank = sizes.count("x")
    dims = ", ".join(f"d{number}" for number in range(rank))
    new = rng.choice(pools.OPS).substitute(
        {"v": value, "all": kind, "in": f"{value} : {kind}, bhsd"}, sizes=sizes, element=element, dynamic="?x" * rank,
        zeros=", ".join(["%z"] * rank), map=f"affine_map<({dims}) -> (d0)>", attribute=rng.choice(pools.ATTRIBUTES))
    setup = "%z = arith.constant 0 : index\n%one = arith.constant 1.0 : f32\n"
    return splice(text, header.end(), header.end(), setup + new + "\n")


# ---- Bytecode


def change_bytes(rng, data):
    """Flips, deletes, inserts, sets or repeats bytes; the magic number stays."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 3])):
        at, other = rng.randrange(4, len(data)), rng.randrange(len(data))
        kind = rng.randrange(6)
        if kind <= 1:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del data[at:at + rng.choice([1, 1, 4])]
        elif kind == 3:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 1, 4])))
        elif kind == 4:
            data[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF])
        else:
            data[at:at + 8] = data[other:other + 8]
    return bytes(data)

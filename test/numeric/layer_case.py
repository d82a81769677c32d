"""What a problem for `mha.layer` is: its arrays, its program, and what both are to `layer_oracle.layer`."""

import zlib
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

import layer_oracle
import tolerance
from emit import tensor
from storage import DTYPES, LOW, stored

WIDTHS = dict(query=17, key=19, value=23)
OUTPUTS = 15

LAYOUTS = {
    "oe": dict(w_q="oe", w_k="oe", w_v="oe"),
    "eo": dict(w_q="eo", w_k="eo", w_v="eo"),
    "mixed": dict(w_q="oe", w_k="eo", w_v="oe"),
    "packed_oe": dict(w_qkv="oe"),
    "packed_eo": dict(w_qkv="eo"),
}
BIASES = {"none": (), "separate": ("b_q", "b_k", "b_v"), "packed": ("b_qkv",), "some": ("b_q", "b_v")}
INPUTS = {"self": (), "memory": ("key",), "own": ("key", "value"), "own_value": ("value",)}

# What may be dynamic of the letters of operands: b batch, q queries, k keys, h heads, e width, o outputs.
DYNAMIC = "bqk"


@dataclass(frozen=True)
class LayerCase:
    name: str
    batch: int = 5
    queries: int = 7
    keys: int = 11  # where the key is an input; else those of the query
    heads: int = 6
    kv_heads: int = 2  # None where the program does not say it
    depth: int = 9
    value_depth: int = 9
    inputs: str = "own"  # a key of INPUTS: those beside the query
    weights: str = "oe"  # a key of LAYOUTS
    w_o: str = "oe"
    biases: str = "none"  # a key of BIASES
    b_o: bool = False
    extra: bool = False  # key and value
    zero_attn: bool = False
    causal: bool = False
    window: tuple = None
    align: str = None
    offset: object = None  # an int, or one int per batch
    scale: float = None
    mask: str = None  # the letters of the dense mask: "qk", "b1qk"
    hides: bool = False  # the dense mask, where it is of numbers
    padding: str = None  # "hidden", "visible" or "float"
    lengths: tuple = None
    gate: str = None  # the letters of the head gate: "h" or "bh"
    residual: bool = False
    sequence_first: bool = False
    dynamic: bool = False
    dtype: str = "f32"  # of query and output, and of all that `types` does not name
    types: dict = field(default_factory=dict)
    values: str = "normal"  # or "poison": NaN where no query looks

    @property
    def key_heads(self):
        return self.heads if self.kv_heads is None else self.kv_heads

    @property
    def key_count(self):
        return self.keys if "key" in INPUTS[self.inputs] else self.queries

    def type_of(self, name):
        """The element type of an operand."""
        if name == "key_padding" and self.padding != "float":
            return "i1"
        return self.types.get(name, self.dtype)

    def is_low(self):
        return any(self.type_of(name) in LOW for name in ("query", *INPUTS[self.inputs]))

    def source_of(self, name):
        """Which of the inputs is read as query, key or value."""
        given = ("query", *INPUTS[self.inputs])
        return name if name in given else "key" if name == "value" and "key" in given else "query"

    def width_of(self, name):
        """That of query, key or value; packed weights have one for all."""
        return WIDTHS["query" if self.is_packed() else self.source_of(name)]

    def is_packed(self):
        return "w_qkv" in LAYOUTS[self.weights]

    def layout_of(self, name):
        return self.w_o if name == "w_o" else LAYOUTS[self.weights][name]

    def outputs(self):
        """How many the weights of query, key and value have."""
        return self.heads * self.depth, self.key_heads * self.depth, self.key_heads * self.value_depth

    # Operands

    def shapes(self):
        """Operand to (letters, size of each letter), in the order of the clauses."""
        axes = "sb" if self.sequence_first else "bs"
        q, k, v = self.outputs()
        outputs = dict(q=q, k=k, v=v, qkv=q + k + v)
        result = {}
        for name in ("query", *INPUTS[self.inputs]):
            sequence = "q" if self.source_of("key") == "query" or name == "query" else "k"
            result[name] = axes.replace("s", sequence) + "e", dict(e=self.width_of(name))
        for name in LAYOUTS[self.weights]:
            of = name.removeprefix("w_")
            width = self.width_of(dict(q="query", k="key", v="value", qkv="query")[of])
            result[name] = self.layout_of(name), dict(o=outputs[of], e=width)
        result["w_o"] = self.w_o, dict(o=OUTPUTS, e=self.heads * self.value_depth)
        for name in BIASES[self.biases]:
            result[name] = "o", dict(o=outputs[name.removeprefix("b_")])
        if self.b_o:
            result["b_o"] = "o", dict(o=OUTPUTS)
        if self.extra:
            result["extra_key"], result["extra_value"] = ("o", dict(o=k)), ("o", dict(o=v))
        for name, letters in dict(dense_mask=self.mask, key_padding=self.padding and "bk", head_gate=self.gate).items():
            if letters is not None:
                result[name] = letters, {}
        if self.residual:
            result["residual"] = axes.replace("s", "q") + "o", dict(o=OUTPUTS)
        common = {"b": self.batch, "q": self.queries, "k": self.key_count, "h": self.heads, "1": 1}
        return {name: (letters, common | sizes) for name, (letters, sizes) in result.items()}

    def types_of_operands(self):
        """The type of each operand, and of the output."""
        dynamic = DYNAMIC if self.dynamic else ""
        shapes = self.shapes()
        result = {name: tensor(*of, dynamic, self.type_of(name)) for name, of in shapes.items()}
        letters, sizes = shapes["query"]
        result["output"] = tensor(letters, sizes | dict(e=OUTPUTS), dynamic, self.dtype)
        per_batch = tensor("b", sizes, dynamic, "i64")
        result["lengths"] = per_batch
        result["query_offset"] = "i64" if np.ndim(self.offset) == 0 else per_batch
        return result

    # Arrays

    def random(self, name):
        return np.random.default_rng(zlib.crc32((self.name + name).encode()))

    @cached_property
    def arrays(self):
        """By operand, as they are stored."""
        result = {}
        for name, (letters, sizes) in self.shapes().items():
            array = self.values_of(name, [sizes[letter] for letter in letters], sizes)
            result[name] = stored(array, self.type_of(name))
        if self.lengths is not None:
            result["lengths"] = np.array(self.lengths, np.int64)
        if self.offset is not None:
            result["query_offset"] = np.array(self.offset, np.int64)
        if self.values == "poison":
            self.poison(result)
        return result

    def values_of(self, name, shape, sizes):
        """Weights keep the size of what they are multiplied with; masks leave a query or a batch without a key."""
        rng = self.random(name)
        array = rng.standard_normal(shape)
        if name.startswith("w_"):
            return array / np.sqrt(sizes["e"])
        if name == "head_gate":
            return np.where(np.indices(shape).sum(axis=0) % 3 == 1, 0, 1 + array / 2)
        if name == "dense_mask":
            shown = rng.random(shape) < 0.65
            if "q" in self.mask:
                shown[..., 2:3, :] = False
            return shown if self.type_of(name) == "i1" else np.where(shown | (not self.hides), array, -np.inf)
        if name == "key_padding":
            shown = rng.random(shape) < 0.65
            shown[1:2], shown[2:3] = False, True
            return np.where(shown, array, -np.inf) if self.padding == "float" else shown == (self.padding == "visible")
        return array

    def poison(self, arrays):
        """NaN in the inputs of keys that length or padding hide; they are not those of the query."""
        length = layer_oracle.structured_mask((self.batch, 1, 1, self.keys), False, None, None, 0, self.lengths)
        hidden = length[:, 0, 0] == -np.inf
        if self.padding is not None:
            hidden |= arrays["key_padding"] if self.padding == "hidden" else ~arrays["key_padding"]
        for name in INPUTS[self.inputs]:
            arrays[name][hidden.T if self.sequence_first else hidden] = np.nan

    def structure(self):
        """What the oracle asks about positions."""
        arrays = self.arrays
        return dict(
            causal=self.causal,
            window=self.window,
            align=self.align,
            offset=arrays.get("query_offset", 0),
            lengths=arrays.get("lengths"),
        )

    def options(self):
        """The keyword arguments of `layer_oracle.layer`."""
        result = {name: array for name, array in self.arrays.items() if name not in ("query_offset", "lengths")}
        for name in (*LAYOUTS[self.weights], "w_o"):
            result[name] = result[name], self.layout_of(name)
        return dict(
            self.structure(),
            heads=self.heads,
            kv_heads=self.kv_heads,
            zero_attn=self.zero_attn,
            scale=self.scale,
            padding=self.padding,
            sequence_first=self.sequence_first,
            **result,
        )

    def expected(self):
        return layer_oracle.layer(**self.options())

    # The program

    def module(self):
        """Its arguments are named after the operands."""
        types = self.types_of_operands()
        listed = ", ".join(f'%{name}: {types[name]} {{mha.name = "{name}"}}' for name in self.arrays)
        body = "\n      ".join([*self.clauses(types), f"-> {types['output']}"])
        return (
            f"func.func @main({listed}) -> {types['output']} {{\n"
            f"  %output = mha.layer {body}\n"
            f"  return %output : {types['output']}\n}}\n"
        )

    def clauses(self, types):
        """In the order that the op has them."""
        given = self.arrays

        def operand(name, rest=""):
            return [f"{name}(%{name} : {types[name]}{rest})"] if name in given else []

        result = [f"heads({self.heads})" + ("" if self.kv_heads is None else f" kv_heads({self.kv_heads})")]
        for name in WIDTHS:
            result += operand(name)
        result += ["sequence_first"] * self.sequence_first
        for name in (*LAYOUTS[self.weights], "w_o"):
            result += operand(name, f", {self.layout_of(name)}")
        for name in (*BIASES[self.biases], "b_o", "extra_key", "extra_value"):
            result += operand(name)
        result += ["zero_attn"] * self.zero_attn
        masks = ["causal"] * self.causal
        if self.window is not None:
            masks.append(f"window<{self.window[0]}, {self.window[1]}>")
        if masks:
            result.append(f"mask<{', '.join(masks)}>")
        if self.align is not None:
            result.append(f"align({self.align})")
        if self.scale is not None:
            result.append(f"scale({self.scale:.17e})")
        result += operand("dense_mask")
        result += operand("key_padding", "" if self.padding == "float" else f", {self.padding}")
        for name in ("lengths", "query_offset", "head_gate", "residual"):
            result += operand(name)
        return result

    # The judgement

    def judge(self, output, expected, yardstick):
        """A sentence about why a result of the program is not accepted, or None; `yardstick` is that of layer_naive."""
        if output.dtype != DTYPES[self.dtype] or not np.array_equal(stored(output, self.dtype), output, equal_nan=True):
            return f"elements that are not {self.dtype}"
        if self.dtype == "f64":
            bound = tolerance.agreement(expected.largest_logit, expected.largest_value)
            return tolerance.difference(output, expected.output, bound)
        return tolerance.acceptance(output, expected.output, yardstick, self.dtype)

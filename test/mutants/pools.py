"""What mutators put in: numbers, types, attributes, clauses, names, ops. Much of it is wrong on purpose."""

from string import Template

NUMBERS = "0 -1 1 2 3 7 -7 2147483647 2147483648 4294967296 ? 1.0 1.0e400 0x7FF8000000000000".split() + [
    str(number) for number in (2**62, 2**62 + 1, 2**63 - 1, 2**63, -(2**63), 2**64)]
SIZES = ["?", "?", "0", "1", "2", "3", "6", "12", str(2**31), str(2**62), str(2**63 - 1)]
ELEMENTS = """f16 bf16 f32 f64 f80 f128 tf32 f8E5M2 f8E4M3FN f4E2M1FN i1 i4 i8 i32 i64 si64 ui8 i128 index none
    complex<f32> complex<f64> vector<4xf32> vector<4xf64> memref<2xf32> tensor<2xf32> tuple<f32> !llvm.ptr
    !quant.uniform<i8:f32,0.5> ()->() !mha.none""".split()
LAYOUTS = "bhsd bshd dshb sbhd bkgsd bskgd bksgd kbgsd bhs bhsdd bbhs BHSD xyzw b bhsdbhsd".split()
WORDS = """top_left bottom_right explicit end causal window alibi alibi_symmetric relative lse weights outs lengths
    query_offset origin scale mask align query key value""".split()
WRONG_WORDS = "topleft none Causal softcap bias sink dropout q_scale captures score prob".split()
PUNCTUATION = list("()[]{}<>,:=*-?!#@%^\"'.;/\\") + ["->", "::", "({", "})", "<{", "}>", "//", "\0", "\n", "é"]
SYMBOLS = """@main @f_body @x_shape @_mlir_ciface_main @_mlir_memref_to_llvm_alloc @memrefCopy @malloc @exp @expf @"a_b"
    @"a-b" """.split()
SUFFIXES = ["_body", "_shape", "_status", "_sizes", "_workspace", "", "_0"]
ATTRIBUTE_NAMES = """mask align scale query_layout output_layout bias schedule note mha.entry_type mha.x softcap dropout
    llvm.emit_c_interface bufferization.writable foo.bar sym_visibility value sym_name fastmath "a_b" """.split()
ARGUMENT_ATTRIBUTES = """bufferization.writable bufferization.buffer_layout mha.name mha.donated llvm.noalias llvm.byval
    foo.bar a""".split()


def lines(text):
    """The lines of a block; `|` stands for a line break in one of them."""
    return [line.strip().replace("|", "\n") for line in text.strip().splitlines()]


SCHEDULE = ("#mha.cpu_schedule<block_q = 8, block_g = 1, block_k = 12, lanes = 4, qk_rows = 3, pv_rows = 2, vectors = 2, "
            "unroll = 2, prefetch = true>")
CLAUSES = lines(f"""
    mask<causal>
    mask<window<3, 0>>
    mask<causal, window<0, 0>>
    mask<>
    mask<causal, causal>
    mask<window<-1, 3>>
    mask<window<{2**62}, {2**62}>>
    mask<window<{2**62 + 1}, 0>>
    align(top_left)
    align(bottom_right)
    align(explicit)
    align(end)
    align(0)
    scale(0.125)
    scale(1)
    scale(-0.0)
    scale(0x7FF0000000000000)
    scale(1.0e400)
    bias<alibi>
    bias<relative, origin = -3>
    softcap(30.0 : f64)
    softcap(1.0 : f32)
    dropout(0.1 : f64)
    schedule(#mha.layout<bhsd>)
    schedule({SCHEDULE})
    schedule([#mha.when<key_len at_most 3, {SCHEDULE}>, {SCHEDULE}])
    schedule("x")
    {{}}
    {{mask = 1 : i32}}
    {{query_layout = unit}}
    {{operandSegmentSizes = array<i32: 1>}}
    score {{|^bb0(%s: f32):|  mha.yield %s : f32|}}
    visible {{}}
    prob {{|^bb0:|}}
""")
# Where they may stand: after the value.
MASKS = lines("""
    mask<causal>
    mask<causal> align(top_left)
    mask<window<1, 2>> align(bottom_right)
    scale(0.3)
    align(top_left)
    mask<causal> align(bottom_right) scale(2.0)
""")
ATTRIBUTES = lines("""
    1 : i32
    -1 : i64
    true
    unit
    "x"
    []
    [1, "a"]
    {}
    {a = 1 : i8}
    f32
    () -> ()
    1.0 : f32
    0x7FF0000000000000 : f64
    1.0 : f80
    @f
    @f::@g
    affine_map<(d0) -> (d0 floordiv 0)>
    affine_set<(d0) : (d0 >= 0)>
    dense<1.0> : tensor<4xf32>
    dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
    dense<[]> : tensor<0xf16>
    dense<"0x00000000"> : tensor<1xf32>
    dense_resource<none> : tensor<4xf32>
    [dense_resource<none> : tensor<4xf32>]
    sparse<[[0]], [1.0]> : tensor<4xf32>
    array<i32: 1, 1, 1>
    array<i64>
    array<f32: 1.0>
    #mha.layout<bhsd>
    #mha.layout<bkgsd>
    #mha.layout<x>
    #mha.mask<causal>
    #mha.mask<window<1, 1>>
    #mha.align<end>
    #mha.bias<alibi>
    #mha.item<0, descending>
    #mha.nothing<>
    #mha
    dense<true> : vector<4xi1>
    distinct[0]<unit>
    opaque<"mha", "0x00"> : tensor<2xf32>
    loc("a":1:2)
    #foo.bar
""")
REGIONS = lines("""
    {|^bb0(%s: f32):|  "mha.yield"(%s) : (f32) -> ()|}
    {|^bb0(%s: i1, %t: index):|}
    {|^bb0:|}
    {|  "func.return"() : () -> ()|}
    {|^a:|  "cf.br"()[^b] : () -> ()|^b:|}
    {|  "mha.yield"() : () -> ()|}
    {}
""")
REGION_BEGINNINGS = ["({\n^bb0:\n", "({}) ({\n", "({\n^bb7(%z: f32):\n", *[f"({region}, {{\n" for region in REGIONS]]
BODIES = ["{}\n", "{\n^bb0:\n}\n", "{\n  return\n}\n", "{\n  cf.br ^a\n^a:\n  cf.br ^a\n}\n"]
# Around a whole module: what comes before it, what after.
WRAPPERS = [("module {\n", "}\n"), ("module @m {\n", "}\n"), ("module {\nmodule @n {\n", "}\n}\n"),
            ("gpu.module @g {\n", "}\n"),
            ("func.func @w() {\n", "return\n}\n"), ("scf.execute_region {\n", "scf.yield\n}\n"),
            ("module attributes {a = 1.0 : f32} {\n", "}\n"), ("transform.sequence failures(propagate) {\n", "}\n"),
            ('"foo.op"() ({\n', "}) : () -> ()\n"), ("module {\n", "}\nfunc.func private @z()\n"),
            ("func.func @a() { return }\nmodule {\n", "}\n")]


# ---- With places to fill in; $all is the type as it was


def templates(text):
    return [Template(line) for line in lines(text)]


TYPES = templates("""
    tensor<$sizes$element>
    memref<$sizes$element>
    vector<$sizes$element>
    tensor<*x$element>
    memref<*x$element>
    tensor<$sizes$element, "encoding">
    tensor<$sizes$element, #mha.layout<bhsd>>
    tensor<$sizes$element, #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>>
    memref<$sizes$element, 1>
    memref<$sizes$element, strided<[$marks], offset: ?>>
    memref<$sizes$element, strided<[1], offset: 0>>
    memref<$sizes$element, affine_map<(d0, d1) -> (d1, d0)>>
    vector<[4]x$element>
    tuple<$all>
    none
    $element
    tensor<${sizes}tensor<$element>>
    tensor<$element>
    complex<$element>
    !mha.thing
    ($element) -> $element
""")
# After the arrow of an attention.
RESULTS = templates("""
    ($one, bshd)
    ($one, lse tensor<2x6x7xf32>)
    ($one, lse $one)
    ($one, weights $one)
    ($one, $one)
    ($one, bhsd, bhsd)
    ($one, lse $one, lse $one)
    $one, $one
    ()
    none
""")
DEFINITIONS = templates("""
    func.func private @$name()|
    func.func @$name() { return }|
    module @$name {}|
    memref.global @$name : memref<2xf32>|
    llvm.func @$name(i32) -> i32|
    func.func @$name(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }|
    llvm.mlir.global internal @$name(1 : i32) : i32|
""")
# Around one op: $run is the op with results of other names, $again once more, $op the op as it was.
CONTROL = templates("""
    $condition|${bound}scf.if %cond$listed {|$run|scf.yield $yielded|} else {|$again|scf.yield $else_yielded|}|
    ${bound}scf.execute_region$listed {|$run|scf.yield $yielded|}|
    $loop|scf.for %iv = %lo to %hi step %hi {|$run|}|$op|
    $loop|scf.parallel (%iv) = (%lo) to (%hi) step (%hi) {|$run|scf.reduce|}|$op|
    scf.forall (%iv) in (2) {|$run|}|$op|
    scf.forall (%iv) in (2) {|$run|} {mapping = [#mha.item<0>]}|$op|
    scf.forall (%iv) in (3) {|%s = mha.scratch : memref<3xf32>|$run|} {mapping = [#mha.item<0>]}|$op|
    cf.br ^next|^next:|$op|
    $condition|cf.assert %cond, "no"|$op|
    affine.for %iv = 0 to 4 {|$run|}|$op|
    $condition|scf.while : () -> () {|scf.condition(%cond)|} do {|$run|scf.yield|}|$op|
""")
# On a value $v of type $all, of sizes $sizes and element type $element.
OPS = templates("""
    %d = tensor.dim $v, %z : $all
    %d = tensor.cast $v : $all to tensor<$dynamic$element>
    %d = tensor.cast $v : $all to tensor<*x$element>
    %d = tensor.extract $v[$zeros] : $all
    %d = tensor.empty() : tensor<$sizes$element>
    %d = tensor.rank $v : $all
    %d = tensor.pad $v low[$zeros] high[$zeros] {|^bb0:|} : $all to $all
    %d = tensor.collapse_shape $v [[0, 1]] : $all into tensor<?x$element>
    %d = tensor.generate %z {|^bb0(%g: index):|%y = arith.constant 1.0 : f32|tensor.yield %y : f32|} : tensor<?xf32>
    %d = linalg.exp ins($v : $all) outs($v : $all) -> $all
    %d = linalg.fill ins(%one : f32) outs($v : $all) -> $all
    %d = bufferization.to_buffer $v : $all to memref<$sizes$element>
    %d = bufferization.alloc_tensor() copy($v) : $all
    %d = memref.alloc() : memref<$sizes$element>
    %d = memref.alloca() : memref<$sizes$element>
    memref.dealloc $v : $all
    %d = arith.constant dense<1.0> : $all
    %d = arith.constant dense_resource<none> : $all
    %d = arith.constant 1.0 : $element
    %d = arith.constant dense<(1.0, 2.0)> : tensor<2xcomplex<$element>>
    %d = arith.addf $v, $v : $all
    %d = arith.truncf $v : $all to tensor<${sizes}f16>
    %d = arith.extf $v : $all to tensor<${sizes}f64>
    %d = arith.bitcast $v : $all to tensor<${sizes}i32>
    %d = arith.index_cast %z : index to i64
    %d = math.exp $v : $all
    %d = complex.constant [1.0 : f32, 0.0 : f32] : complex<f32>
    %d = shape.shape_of $v : $all -> tensor<?xindex>
    %d = ub.poison : $all
    %d = builtin.unrealized_conversion_cast $v : $all to tensor<$dynamic$element>
    %d = "foo.op"($v) : ($all) -> $all
    %d = "foo.op"() {a = 1.0 : f32, b = $attribute} : () -> $all
    %d = func.constant @f : () -> ()
    func.call @outer($v) : ($all) -> ()
    vector.print $v : $all
    %d = vector.transfer_read $v[$zeros], %one {permutation_map = $map} : $all, vector<4x$element>
    %d = mha.attention query($in) key($in) value($in) -> $all
    %d = mha.attention query($in) key($in) value($in) mask<causal> outs($v : $all) -> $all
    mha.yield $v : $all
    %d = mha.scratch : memref<$sizes$element>
    %d = mha.scratch_size : i64
    %d = async.execute {|async.yield|}
    %d = llvm.mlir.zero : !llvm.ptr
    llvm.unreachable
    return $v : $all
""")

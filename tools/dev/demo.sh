# `./dev demo`: one attention layer from a .mlir file to a verified number. Sourced by ./dev.
# shellcheck shell=bash

DEMO_LAYER=docs/examples/layer_demo.mlir
DEMO_MODEL=docs/examples/attention_gpt2_small.mlir

run_demo() {
  PATH=$ROOT/build/bin:$PATH
  demo_shapes && demo_stages && demo_run
}

demo_title() { printf '\n== %s\n' "$*"; }

# The lines that make the layer, in their order, each value with the shapes that go in and come out.
demo_shapes() {
  local line
  demo_title "Shapes of a layer with projections: $DEMO_LAYER"
  mha-opt $DEMO_LAYER >/dev/null || return 1
  sed -n '/^func.func/,$p' $DEMO_LAYER | tr '\n' ' ' | sed 's/  %/\n%/g; s/  return/\nreturn/' |
    grep -E '^%[a-z]+ = (linalg.matmul|tensor.(collapse|expand)_shape|mha.attention)' |
    sed -E 's/ins\(([^:]*): ([^)]*)\) +outs\([^)]*\) ->/\1: \2 ->/; s/\[\[.*\]\]//; s/output_shape \[[^]]*\]//
            s/tensor<([0-9x]+)xf32>/\1/g; s/ into / -> /; s/ +/ /g; s/ $//' |
    while IFS= read -r line; do
      printf '  %-9s ' "${line%% = *}"
      printf '%s\n' "${line#* = }" | fold -s -w 88 | sed '2,$s/^/            /'
    done
}

# demo_stage TITLE COMMAND LABEL=REGEX...: runs the command and shows one line for each landmark of what it prints.
# One that is missing is an error.
demo_stage() {
  local title=$1 command=$2 ir landmark line; shift 2
  printf '\n-- %s\n$ %s\n' "$title" "$command"
  ir=$($command 2>&1) || { printf '%s\n' "$ir"; return 1; }
  for landmark in "$@"; do
    line=$(grep -E -m 1 -- "${landmark#*=}" <<<"$ir") ||
      { echo "error: expected a line with the ${landmark%%=*} (${landmark#*=}), found none"; return 1; }
    # Index maps say little without their definitions.
    line=$(printf '%s' "$line" | sed -E 's/^ +//; s/indexing_maps = \[[^]]*\], //; s/"(p|r)[a-z]+"/\1/g')
    [ ${#line} -le 103 ] || line=${line:0:100}...
    printf '  %-12s %s\n' "${landmark%%=*}" "$line"
  done
  printf '  %d lines in all\n' "$(wc -l <<<"$ir")"
}

demo_stages() {
  local pipeline="mha-opt $DEMO_LAYER --mha-cpu-pipeline"
  demo_title "The same, stage by stage: a few lines of each"
  demo_stage "input" "mha-opt $DEMO_LAYER" 'projection=linalg.matmul' 'attention=mha\.attention' &&
    demo_stage "planned" "$pipeline --mlir-print-ir-after=mha-assign-schedule -o /dev/null" \
      'attention=schedule\(#mha.cpu_schedule' &&
    demo_stage "a kernel on buffers, in items of parallel work" \
      "$pipeline --mlir-print-ir-after=mha-tile-attention -o /dev/null" \
      'signature=func\.func @main\(' 'temporary=memref\.alloc' 'call=func\.call @mha_attention' \
      'kernel=func\.func private @mha_attention' 'items=scf\.forall' 'tile=mha\.attention' &&
    demo_stage "vector code" "$pipeline --mlir-print-ir-after=convert-mha-to-vector -o /dev/null" \
      'scratch=mha\.scratch :' 'causal mask=arith\.cmpi sle.*vector' 'multiply-add=vector\.fma' &&
    demo_stage "in the LLVM dialect" "$pipeline" 'C interface=llvm\.func @_mlir_ciface_main\(' \
      'allocation=llvm\.call @_mlir_memref_to_llvm_alloc' 'threads=llvm\.call @mha_parallel_for' \
      'multiply-add=llvm\.intr\.fmuladd'
}

demo_run() {
  local command="mha-run $DEMO_MODEL --input=random:1 --verify"
  demo_title "GPT-2 small: 12 heads of size 64, causal; compiled, run and held against float64"
  printf '$ %s\n' "$command"
  $command
}

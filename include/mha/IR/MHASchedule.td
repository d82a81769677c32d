//===- MHASchedule.td - How attention is computed ---------*- tablegen -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_IR_MHASCHEDULE_TD
#define MHA_IR_MHASCHEDULE_TD

include "mha/IR/MHAAttrs.td"
include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"

def MHA_ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::mlir::mha";
  let description = [{
    A plan for one attention: how it is split into items of parallel work, and
    whatever the emitter of its target wants to know. A schedule never changes
    what is computed.
  }];
  let methods = [
    InterfaceMethod<
      "Tile sizes along (b, k, g, i, n), 0 where an item takes the whole axis.",
      "::llvm::SmallVector<int64_t>", "getTileSizes">,
    InterfaceMethod<
      "Why the schedule does not fit the attention `op`, as a sentence without "
      "its full stop; empty where it fits.",
      "::std::string", "explainMisfit", (ins "::mlir::Operation *":$op)>,
    InterfaceMethod<
      "The part of a kernel's name that tells schedules apart.",
      "::std::string", "getKernelTag">
  ];
}

def MHA_CPUScheduleAttr : MHA_Attr<"CPUSchedule", "cpu_schedule", [
    DeclareAttrInterfaceMethods<MHA_ScheduleAttrInterface>
  ]> {
  let summary = "sizes of the query-in-lanes kernel for CPUs";
  let description = [{
    The kernel holds one query in each lane of a vector. An item of work is
    `block_g` query heads of one group times `block_q` queries; their rows fill
    block_g * block_q / lanes vectors, the columns of the item. Keys are taken
    `block_k` at a time. The micro-kernel of Q K^T holds `qk_rows` keys times
    `vectors` columns of accumulators, that of P V `pv_rows` elements of the head
    times `vectors` columns; both take `unroll` steps of their inner loop at
    once. `prefetch` fetches what the next block reads.

    Constraints, so that the sizes nest:
      * every number is positive, and `lanes` a power of two from 2 to 64;
      * `block_q` is a multiple of `lanes`;
      * block_g * block_q / lanes is a multiple of `vectors`;
      * `block_k` is a multiple of `qk_rows` and of `unroll`;
      * an item has at most 4096 rows, a block at most 4096 keys, and a
        micro-kernel at most 64 accumulators and 16 steps.
    What the kernel computes: f32, no static size of 0, head sizes that are static and from 1 to 1024,
    layouts with d innermost, a scale of 0 or from 2^-20 to 2^20. G is static
    unless `block_g` is 1, and `block_g` divides G.

    ```mlir
    #mha.cpu_schedule<block_q = 64, block_g = 1, block_k = 128, lanes = 16,
                      qk_rows = 4, pv_rows = 4, vectors = 4, unroll = 4,
                      prefetch = true>
    ```
  }];
  let parameters = (ins "int64_t":$block_q, "int64_t":$block_g,
                        "int64_t":$block_k, "int64_t":$lanes,
                        "int64_t":$qk_rows, "int64_t":$pv_rows,
                        "int64_t":$vectors, "int64_t":$unroll,
                        "bool":$prefetch);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The vectors that the rows of an item fill.
    int64_t getNumColumns() const {
      return getBlockG() * getBlockQ() / getLanes();
    }
    /// What the number of keys of a block is a multiple of.
    int64_t getKeyGranularity() const;
  }];
}

def MHA_GuardDimQueryLen : I32EnumAttrCase<"QueryLen", 0, "query_len">;
def MHA_GuardDimKeyLen : I32EnumAttrCase<"KeyLen", 1, "key_len">;
def MHA_GuardDimBatch : I32EnumAttrCase<"Batch", 2, "batch">;
def MHA_GuardDimKVHeads : I32EnumAttrCase<"KVHeads", 3, "kv_heads">;
def MHA_GuardDim : I32EnumAttr<"GuardDim", "a size that a guard looks at", [
    MHA_GuardDimQueryLen, MHA_GuardDimKeyLen, MHA_GuardDimBatch,
    MHA_GuardDimKVHeads
  ]> {
  let cppNamespace = "::mlir::mha";
  let genSpecializedAttr = 0;
}

def MHA_GuardedScheduleAttr : MHA_Attr<"GuardedSchedule", "when"> {
  let summary = "a schedule for sizes up to a bound";
  let description = [{
    `schedule` is used where the size `dim` of the op is at most `bound`. An op
    with several schedules has a list of these; the first that applies is used,
    and the last item of the list is a schedule without a guard.

    ```mlir
    #mha.when<query_len at_most 16, #mha.cpu_schedule<...>>
    ```
  }];
  let parameters = (ins "GuardDim":$dim, "int64_t":$bound,
                        "ScheduleAttrInterface":$schedule);
  let assemblyFormat = "`<` $dim `at_most` $bound `,` $schedule `>`";
}

def MHA_ItemAttr : MHA_Attr<"Item", "item", [
    DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>
  ]> {
  let summary = "place of a loop in the order of items of parallel work";
  let description = [{
    The mapping of a loop of an `scf.forall` whose iterations are items of
    parallel work: workers take items one by one, in an order in which the loop
    of `order` 0 moves slowest. `descending` runs the loop from its last
    iteration to its first, which starts the longest items first where work
    grows with the index.

    ```mlir
    scf.forall (%b, %i) in (%nb, %ni) { ... }
      {mapping = [#mha.item<1>, #mha.item<0, descending>]}
    ```
  }];
  let parameters = (ins "int64_t":$order, "bool":$descending);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // MHA_IR_MHASCHEDULE_TD

/* Where lanes that diverge at a branch reconverge: at the branch's immediate post-dominator, the
   first op that every path from the branch reaches. Paths that lead only to an exit do not count:
   other lanes reconverge without waiting for lanes that exit (like ptxas, which turns such exits
   into predicated ones). The dominators are computed with the method of Cooper, Harvey and Kennedy,
   "A Simple, Fast Dominance Algorithm" (2001), on the reversed graph of basic blocks. */
#include "machine/emulator/emulator_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct block {
    uint32_t first, end; /* ops */
    bool only_ends;
    bool keeps_ends; /* its edges to such blocks count */
    uint32_t order;  /* postorder number in the reversed walk; 0: cannot reach the end */
    uint32_t dominator;
};

struct flow {
    const struct smc_program *program;
    uint32_t *block_of; /* by op */
    struct block *block;
    uint32_t blocks;     /* block number `blocks` is the end */
    uint32_t *from, *to; /* edges, by destination; from_begin[b]..from_begin[b + 1] */
    uint32_t *from_begin;
    uint32_t edges;
    size_t edge_room;
    uint32_t *by_order, ordered;
};

static void reconvergence_cut_blocks(struct flow *flow)
{
    const struct smc_program *program = flow->program;
    bool *leads = (bool *)flow->by_order; /* large enough, zero and not needed yet */
    smc_mark_leaders(program, leads);
    for (uint32_t i = 0; i < program->ops; i++) {
        if (leads[i])
            flow->block[flow->blocks++] = (struct block){.first = i};
        flow->block[flow->blocks - 1].end = i + 1;
        flow->block_of[i] = flow->blocks - 1;
    }
}

/* Walks from the last block to the first, so that a jump to a later block of this kind is
   recognized. */
static void find_ends(struct flow *flow)
{
    for (uint32_t b = flow->blocks; b > 0; b--) {
        struct block *block = &flow->block[b - 1];
        uint32_t i = block->first;
        const struct smc_op *ops = flow->program->op;
        while (i + 1 < block->end && !ops[i].alu && !ops[i].step)
            i++;
        if (ops[i].guard != SMC_NO_SLOT)
            continue;
        block->only_ends =
            ops[i].kind == SMC_OP_EXIT || ops[i].kind == SMC_OP_RETURN ||
            (ops[i].kind == SMC_OP_BRANCH && flow->block[flow->block_of[ops[i].target]].only_ends);
    }
}

static void add_edge(struct flow *flow, uint32_t from, uint32_t to)
{
    flow->from[flow->edges] = from;
    flow->to[flow->edges++] = to;
}

/* Calls `visit` for each successor block; `with_ends` specifies whether blocks that only end
   count. */
static void each_successor(struct flow *flow, uint32_t b, bool with_ends,
                           void (*visit)(struct flow *flow, uint32_t from, uint32_t to))
{
    const struct smc_program *program = flow->program;
    const struct smc_op *last = &program->op[flow->block[b].end - 1];
    bool falls_through = !smc_op_ends_flow(last) || last->guard != SMC_NO_SLOT;
    for (uint32_t k = 0; k < last->target_count; k++) {
        uint32_t target = flow->block_of[last->targets[k]];
        if (with_ends || !flow->block[target].only_ends)
            visit(flow, b, target);
    }
    if (last->kind == SMC_OP_BRANCH) {
        uint32_t target = flow->block_of[last->target];
        if (with_ends || !flow->block[target].only_ends)
            visit(flow, b, target);
    }
    if (falls_through && b + 1 < flow->blocks && (with_ends || !flow->block[b + 1].only_ends))
        visit(flow, b, b + 1);
}

/* Edges to blocks that only end are omitted if the block has another edge, unless it needs them to
   reach the end at all. */
static void add_edges(struct flow *flow)
{
    flow->edges = 0;
    for (uint32_t b = 0; b < flow->blocks; b++) {
        uint32_t before = flow->edges;
        each_successor(flow, b, flow->block[b].keeps_ends, add_edge);
        if (flow->edges == before)
            each_successor(flow, b, true, add_edge);
        if (flow->edges == before)
            add_edge(flow, b, flow->blocks);
    }
}

/* Sorts the edges by destination. */
static bool sort_edges(struct flow *flow)
{
    uint32_t *sorted = smc_malloc(flow->edge_room * sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t e = 0; e < flow->edges; e++)
        flow->from_begin[flow->to[e] + 1]++;
    for (uint32_t b = 0; b <= flow->blocks; b++)
        flow->from_begin[b + 1] += flow->from_begin[b];
    for (uint32_t e = flow->edges; e > 0; e--) /* fills each range from its end */
        sorted[--flow->from_begin[flow->to[e - 1] + 1]] = flow->from[e - 1];
    /* Now the start of each range is one too high. */
    memmove(flow->from_begin, flow->from_begin + 1, (flow->blocks + 1) * sizeof *sorted);
    flow->from_begin[flow->blocks + 1] = flow->edges;
    free(flow->from);
    flow->from = sorted;
    return true;
}

/* A depth-first walk against the edges. */
struct walk {
    uint32_t *stack, *next;
    uint8_t *seen;
    uint32_t depth;
};

static bool begin_walk(const struct flow *flow, struct walk *walk)
{
    size_t nodes = flow->blocks + 1;
    *walk = (struct walk){smc_malloc(nodes * sizeof(uint32_t)),
                          smc_malloc(nodes * sizeof(uint32_t)), smc_calloc(nodes, 1), 0};
    if (!walk->stack || !walk->next || !walk->seen)
        return false;
    memcpy(walk->next, flow->from_begin, nodes * sizeof(uint32_t));
    return true;
}

static void end_walk(struct walk *walk)
{
    free(walk->stack);
    free(walk->next);
    free(walk->seen);
}

/* Walks from `start` and numbers the blocks in postorder. */
static void walk_from(struct flow *flow, struct walk *walk, uint32_t start)
{
    walk->stack[walk->depth++] = start;
    walk->seen[start] = 1;
    while (walk->depth > 0) {
        uint32_t b = walk->stack[walk->depth - 1];
        if (walk->next[b] == flow->from_begin[b + 1]) {
            flow->by_order[flow->ordered++] = b;
            flow->block[b].order = flow->ordered;
            walk->depth--;
            continue;
        }
        uint32_t before = flow->from[walk->next[b]++];
        if (!walk->seen[before]) {
            walk->seen[before] = 1;
            walk->stack[walk->depth++] = before;
        }
    }
}

/* A loop that is left only toward an exit must keep that edge. Among the blocks that cannot reach
   the end, the last one keeps its edges, and the search continues from there. */
static bool keep_ways_out(struct flow *flow)
{
    struct walk walk;
    bool worked = begin_walk(flow, &walk);
    if (worked)
        walk_from(flow, &walk, flow->blocks);
    for (uint32_t b = flow->blocks; worked && b > 0; b--) {
        uint32_t kept = flow->edges;
        if (walk.seen[b - 1])
            continue;
        each_successor(flow, b - 1, false, add_edge);
        uint32_t without = flow->edges - kept;
        each_successor(flow, b - 1, true, add_edge);
        bool has_end = flow->edges - kept > 2 * without;
        flow->edges = kept;
        if (!has_end)
            continue;
        flow->block[b - 1].keeps_ends = true;
        walk_from(flow, &walk, b - 1);
    }
    end_walk(&walk);
    flow->ordered = 0;
    return worked;
}

/* Numbers the blocks that can reach the end. */
static bool number_blocks(struct flow *flow)
{
    struct walk walk;
    bool worked = begin_walk(flow, &walk);
    for (uint32_t b = 0; b <= flow->blocks; b++)
        flow->block[b].order = 0;
    if (worked)
        walk_from(flow, &walk, flow->blocks);
    end_walk(&walk);
    return worked;
}

static uint32_t common(const struct flow *flow, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (flow->block[a].order < flow->block[b].order)
            a = flow->block[a].dominator;
        while (flow->block[b].order < flow->block[a].order)
            b = flow->block[b].dominator;
    }
    return a;
}

/* Lists the edges that leave each block, which the dominator computation needs. */
static bool find_dominators(struct flow *flow)
{
    const uint32_t none = UINT32_MAX;
    smc_auto_free uint32_t *begin = smc_calloc(flow->blocks + 2, sizeof *begin);
    smc_auto_free uint32_t *leaving = smc_malloc(flow->edges * sizeof *leaving + 1);
    if (!begin || !leaving)
        return false;
    for (uint32_t e = 0; e < flow->edges; e++)
        begin[flow->from[e] + 1]++;
    for (uint32_t b = 0; b < flow->blocks; b++)
        begin[b + 1] += begin[b];
    uint32_t *fill = flow->to; /* no longer needed */
    memcpy(fill, begin, flow->blocks * sizeof *fill);
    for (uint32_t to = 0; to <= flow->blocks; to++)
        for (uint32_t e = flow->from_begin[to]; e < flow->from_begin[to + 1]; e++)
            leaving[fill[flow->from[e]]++] = to;
    for (uint32_t b = 0; b < flow->blocks; b++)
        flow->block[b].dominator = none;
    flow->block[flow->blocks].dominator = flow->blocks;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = flow->ordered - 1; n > 0; n--) {
            uint32_t b = flow->by_order[n - 1], best = none;
            for (uint32_t e = begin[b]; e < begin[b + 1]; e++)
                if (flow->block[leaving[e]].dominator != none)
                    best = best == none ? leaving[e] : common(flow, best, leaving[e]);
            changed |= flow->block[b].dominator != best;
            flow->block[b].dominator = best;
        }
    }
    return true;
}

static void set_reconvergence(struct flow *flow, struct smc_program *program)
{
    for (uint32_t b = 0; b < flow->blocks; b++) {
        struct smc_op *last = &program->op[flow->block[b].end - 1];
        uint32_t at = flow->block[b].dominator;
        if (smc_op_is_branch(last))
            last->reconverge_at = at < flow->blocks ? flow->block[at].first : SMC_NO_PC;
    }
}

bool smc_find_reconvergence(struct smc_program *program)
{
    size_t ops = program->ops, edges = 3 * ops + 8;
    for (size_t i = 0; i < ops; i++)
        edges += (size_t)3u * program->op[i].target_count;
    struct flow flow = {.program = program,
                        .edge_room = edges,
                        .block_of = smc_calloc(ops + 1, sizeof(uint32_t)),
                        .block = smc_calloc(ops + 1, sizeof(struct block)),
                        .from = smc_calloc(edges, sizeof(uint32_t)),
                        .to = smc_calloc(edges, sizeof(uint32_t)),
                        .from_begin = smc_calloc(ops + 3, sizeof(uint32_t)),
                        .by_order = smc_calloc(ops + 2, sizeof(uint32_t))};
    bool worked =
        flow.block_of && flow.block && flow.from && flow.to && flow.from_begin && flow.by_order;
    if (worked) {
        reconvergence_cut_blocks(&flow);
        find_ends(&flow);
        add_edges(&flow);
        worked = sort_edges(&flow) && keep_ways_out(&flow);
    }
    if (worked) {
        memset(flow.from_begin, 0, (ops + 3) * sizeof *flow.from_begin);
        add_edges(&flow);
        worked = sort_edges(&flow) && number_blocks(&flow) && find_dominators(&flow);
    }
    if (worked)
        set_reconvergence(&flow, program);
    free(flow.block_of);
    free(flow.block);
    free(flow.from);
    free(flow.to);
    free(flow.from_begin);
    free(flow.by_order);
    return worked;
}

/* --- Barriers that threads pass by ------------------------------------------------------------ */

/* Marks what may run after op `from`. */
static void mark_reached(const struct smc_program *program, uint32_t from, bool *reached,
                         uint32_t *due)
{
    uint32_t count = 0;
    due[count++] = from;
    while (count > 0) {
        for (uint32_t i = due[--count]; i < program->ops && !reached[i]; i++) {
            const struct smc_op *op = &program->op[i];
            reached[i] = true;
            if (op->kind == SMC_OP_BRANCH && !reached[op->target])
                due[count++] = op->target;
            for (uint32_t k = 0; k < op->target_count && count < 2 * program->ops; k++)
                due[count++] = op->targets[k];
            if (smc_op_ends_flow(op) && op->guard == SMC_NO_SLOT)
                break;
        }
    }
}

bool smc_may_follow(const struct smc_program *program, uint32_t from, uint32_t to)
{
    smc_auto_free bool *reached = smc_calloc(program->ops, sizeof *reached);
    smc_auto_free uint32_t *due = smc_calloc(2 * program->ops + 1, sizeof *due);
    bool follows = false;
    if (reached && due) {
        mark_reached(program, from + 1, reached, due);
        follows = reached[to];
    }
    return follows;
}

bool smc_passes_by(const struct smc_program *program, uint32_t barrier, uint32_t left)
{
    smc_auto_free bool *reached = smc_calloc(program->ops, sizeof *reached);
    smc_auto_free bool *leads = smc_calloc(program->ops + 1, sizeof *leads);
    smc_auto_free uint32_t *due = smc_calloc(2 * program->ops + 1, sizeof *due);
    bool does_something = false;
    uint32_t first = left;
    if (reached && leads && due) {
        mark_reached(program, barrier + 1, reached, due);
        smc_mark_targets(program, leads);
        while (first > 0 && !leads[first] && !smc_op_is_branch(&program->op[first - 1])) {
            first--;
            does_something |= program->op[first].alu || program->op[first].step;
        }
    }
    return does_something && reached[first];
}

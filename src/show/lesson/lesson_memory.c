/* Lesson: the kinds of memory, their scope, lifetime and size. */
#include <inttypes.h>

#include "show/lesson/scene.h"

enum { KB = 1024, REGISTER_BYTES = 4 };

static const struct smc_lesson_launch tiled = {.kernel = "matmul-tiled", .tile = 16};

static void fill_kinds(struct smc_scene *scene)
{
    smc_scene_text(scene, "table",
                   "kind      seen by        lives as long as\n"
                   "register  its thread     the thread\n"
                   "local     its thread     the thread\n"
                   "shared    its block      the block\n"
                   "global    all, and host  until freed\n"
                   "constant  all, and host  the program\n");
}

static void fill_declarations(struct smc_scene *scene)
{
    smc_scene_text(scene, "table",
                   "float x;                  register\n"
                   "float x[100]; ... x[i]    local\n"
                   "__shared__ float x;       shared\n"
                   "__device__ float x;       global\n"
                   "__constant__ float x;     constant\n"
                   "cudaMalloc(&x, bytes);    global\n");
}

static void append_amount(struct smc_text *table, const char *what, uint64_t amount,
                          const char *unit)
{
    smc_text_printf(table, "%-24s%13" PRIu64 "%s\n", what, amount, unit);
}

static void fill_amounts(struct smc_scene *scene)
{
    const struct smc_device *device = &scene->device;
    const struct smc_sm *sm = &device->sm;
    struct smc_text *table = smc_scene_value(scene, "table");
    append_amount(table, "registers per thread", sm->max_regs_per_thread, "");
    append_amount(table, "registers per block", sm->max_regs_per_block, "");
    append_amount(table, "registers per SM", sm->regs_per_sm, "");
    append_amount(table, "shared memory per block", sm->smem_per_block_default_bytes, " B");
    if (sm->smem_per_block_optin_bytes > sm->smem_per_block_default_bytes)
        append_amount(table, "  if it opts in", sm->smem_per_block_optin_bytes, " B");
    append_amount(table, "shared memory per SM", sm->smem_per_sm_bytes, " B");
    if (device->global_mem_bytes)
        append_amount(table, "global memory", device->global_mem_bytes, " B");
    smc_scene_text(scene, "device", device->name);
    smc_scene_number(scene, "regs_kb", (int64_t)sm->regs_per_sm / KB * REGISTER_BYTES);
    smc_scene_number(scene, "smem_kb", sm->smem_per_sm_bytes / KB);
}

static void fill_block(struct smc_scene *scene)
{
    struct smc_answer answer;
    if (!smc_scene_ask(scene, &tiled, &answer))
        return;
    char source[128];
    smc_resources_describe(&answer.resources, source);
    uint32_t regs = answer.occupancy.regs_allocated_per_block;
    smc_scene_number(scene, "tile", tiled.tile);
    smc_scene_number(scene, "threads", answer.launch.threads_per_block);
    smc_scene_number(scene, "regs", answer.launch.regs_per_thread);
    smc_scene_text(scene, "source", source);
    smc_scene_number(scene, "block_regs", regs);
    smc_scene_bytes(scene, "reg_bytes", (uint64_t)regs * REGISTER_BYTES);
    smc_scene_bytes(scene, "smem", answer.launch.static_smem_bytes);
    smc_scene_number(scene, "most_regs", answer.query.device.sm.max_regs_per_thread);
    smc_scene_count(scene, "blocks", answer.occupancy.blocks_per_sm, "block");
}

static const struct smc_lesson_page pages[] = {
    {
        .heading = "Who sees it, and for how long",
        .text = "A kernel's variables are in five kinds of memory. They differ in scope, who can "
                "see a variable, and in lifetime, how long it keeps its value:\n"
                "{table}\n"
                "Registers and shared memory are on the chip, in the SM, and fast. Local, global "
                "and constant memory are in the memory of the device and are cached. `Local` "
                "says who sees it, not where it is stored: it is as far away as global memory. "
                "The host writes constant memory, and kernels can only read it.",
        .fill = fill_kinds,
    },
    {
        .heading = "How to declare it",
        .text = "{table}\n"
                "Choose the memory by who uses the variable. A sum that one thread adds up "
                "belongs in a register. What several threads of a block read belongs in shared "
                "memory: fetched once, with a __syncthreads() between writing and reading. What "
                "has to outlive the kernel can only be global.\n"
                "The compiler uses registers where it can. An array that is indexed by a "
                "variable, or what no register is left for (it is spilled), goes to local memory.",
        .fill = fill_declarations,
    },
    {
        .heading = "How much of it there is",
        .text = "{device}:\n"
                "{table}\n"
                "A register has 4 bytes, so an SM keeps {regs_kb} KB in registers and at most "
                "{smem_kb} KB in shared memory. The registers are the larger and the faster "
                "store, but a thread cannot read another thread's registers.",
        .fill = fill_amounts,
        .launch = &tiled,
    },
    {
        .heading = "What one block takes",
        .text = "matmul-tiled with tile {tile}: each of its {threads} threads keeps a sum, two "
                "indices and some addresses in {regs} registers ({source}). A block gets "
                "{block_regs} registers, or {reg_bytes}. Its two tiles, which all its threads "
                "use, take {smem} of shared memory.\n"
                "Both are on the chip, and both are held from a block's beginning to its end. "
                "That is why they limit how many blocks reside: {blocks} on an SM. Global memory "
                "limits nothing here, however much a kernel uses.\n"
                "A thread can have up to {most_regs} registers. Where the compiler has to use "
                "fewer than it needs (__launch_bounds__, -maxrregcount), it spills: the block "
                "gets smaller, and some of its variables move far away.",
        .fill = fill_block,
        .launch = &tiled,
    },
};

static void lesson_memory_fill_question(struct smc_scene *scene,
                                        struct smc_lesson_solution *solution)
{
    struct smc_lesson_launch launch = tiled;
    struct smc_answer answer;
    launch.regs = 1; /* nothing is compiled: only the grid matters */
    if (!smc_scene_ask(scene, &launch, &answer))
        return;
    int64_t blocks = (int64_t)answer.plan.grid_blocks;
    int64_t threads = answer.plan.threads_per_block;
    solution->right = blocks;
    solution->trap = blocks * threads;
    smc_scene_number(scene, "tile", tiled.tile);
    smc_scene_number(scene, "n", answer.query.params.value[SMC_PARAM_N]);
    smc_scene_number(scene, "blocks", blocks);
    smc_scene_number(scene, "threads", threads);
    smc_scene_number(scene, "sums", blocks * threads);
}

static const struct smc_lesson_question question = {
    .text = "matmul-tiled declares the array a_tile with __shared__, and a variable sum without "
            "any such word. With tile {tile} and matrices of {n} x {n}, how many arrays a_tile "
            "are there in the whole launch, from its first block to its last?",
    .right = "One for each block, and there are {n} / {tile} squared = {blocks} blocks. Of the "
             "variable sum each thread has its own, {sums} altogether.",
    .wrong = "Who sees a shared variable? There is one for each of those; count them. A block "
             "makes a tile of C.",
    .trap = "That is the number of threads, and each has a sum of its own. But the {threads} "
            "threads of a block share one a_tile.",
    .fill = lesson_memory_fill_question,
};

const struct smc_lesson smc_lesson_about_memory = {
    .name = "memory",
    .title = "Kinds of memory: scope and lifetime",
    .summary = "registers, local, shared, global, constant: scope and lifetime",
    .device = "NVIDIA H200",
    .least_cc = 20,
    .page_count = sizeof pages / sizeof *pages,
    .page = pages,
    .question = &question,
};

/* The bank conflicts of a kernel without running it: what was found of each instruction, as an
   answer with reasons and remedies. */
#include "emulator/bank_accesses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "emulator/bank_walk.h"
#include "emulator/operations.h"

static const struct {
    const char *name, *words;
} verdicts[] = {
#define VERDICT(id, name, words) [SMC_BANK_##id] = {name, words},
#include "emulator/bank_verdicts.def"
#undef VERDICT
};

const char *smc_bank_verdict_name(enum smc_bank_verdict verdict)
{
    return verdicts[verdict].name;
}

const char *smc_bank_verdict_words(enum smc_bank_verdict verdict)
{
    return verdicts[verdict].words;
}

struct answer {
    const struct smc_bank_accesses_request *request;
    const struct smc_program *program;
    const struct smc_bank_tally *tally;
    struct smc_bank_accesses *accesses;
    const uint32_t *instruction_of; /* of each item */
};

/* --- Text ------------------------------------------------------------------------------------- */

static const char *copy(struct answer *answer, const char *text, size_t bytes)
{
    char *to = smc_arena_take(&answer->accesses->arena, bytes + 1);
    if (to && bytes)
        memcpy(to, text, bytes);
    if (to)
        smc_utf8_make_safe(to);
    return to;
}

static const char *opcode_of(struct answer *answer, uint32_t instruction)
{
    const struct smc_ptx_statement *statement = &answer->program->module.statement[instruction];
    const char *at = statement->opcode.at;
    const char *end = statement->text.at + statement->text.bytes;
    size_t bytes = 0;
    while (at + bytes < end && bytes < 60 && !strchr(" \t\r\n;", at[bytes]))
        bytes++;
    return copy(answer, at, bytes);
}

/* "k.cu:12", or "PTX line 12" without a line table. */
static void append_place(const struct answer *answer, uint32_t instruction, struct smc_text *text)
{
    const struct smc_instruction *at = smc_program_instruction(answer->program, instruction);
    const char *file = at->line ? smc_program_file(answer->program, at->file) : NULL;
    const char *base = file ? strrchr(file, '/') : NULL;
    if (file)
        smc_text_printf(text, "%s:%u", base ? base + 1 : file, at->line);
    else
        smc_text_printf(text, "PTX line %u", at->ptx_line);
}

static void append_cause(const struct answer *answer, const struct smc_bank_tally *tally,
                         struct smc_text *text)
{
    static const struct {
        const char *words;
        bool has_place;
    } causes[] = {
        [SMC_CAUSE_NONE] = {"index is not a function of the thread alone", false},
        [SMC_CAUSE_UNWRITTEN] = {"index is read before it is written", false},
        [SMC_CAUSE_PARAMETER] = {"index depends on a kernel parameter, read at ", true},
        [SMC_CAUSE_GRID] = {"index depends on the block's place in the grid", false},
        [SMC_CAUSE_LOADED] = {"index loaded from memory at ", true},
        [SMC_CAUSE_ATOMIC] = {"index returned by an atomic at ", true},
        [SMC_CAUSE_LANES] = {"index from other lanes at ", true},
        [SMC_CAUSE_OPAQUE] = {"index from an instruction that is not followed, at ", true},
        [SMC_CAUSE_PATHS] = {"index changes differently on paths that meet at ", true},
    };
    smc_text_append(text, causes[tally->cause].words);
    if (causes[tally->cause].has_place)
        append_place(answer, tally->cause_instruction, text);
}

static const char *reason_of(struct answer *answer, const struct smc_bank_tally *tally)
{
    struct smc_text text = {0};
    if (tally->misaligned)
        smc_text_append(&text, "an address is not a multiple of the width");
    else if (tally->beyond)
        smc_text_append(&text, "wider than 16 bytes per lane");
    else if (tally->elsewhere)
        smc_text_append(&text, "some lanes access another memory");
    else
        append_cause(answer, tally, &text);
    const char *reason = copy(answer, smc_text_string(&text), text.length);
    answer->accesses->arena.failed |= text.failed;
    smc_text_free(&text);
    return reason;
}

/* --- One access ------------------------------------------------------------------------------- */

static enum smc_bank_verdict verdict_of(const struct smc_bank_tally *tally)
{
    return tally->is_atomic         ? SMC_BANK_ATOMIC
           : tally->not_followed    ? SMC_BANK_NOT_FOLLOWED
           : tally->executions == 0 ? SMC_BANK_NOT_REACHED
           : tally->depends         ? SMC_BANK_DEPENDS
           : tally->assumed         ? SMC_BANK_IF_ALL_ACTIVE
                                    : SMC_BANK_KNOWN;
}

static bool find_stride(const struct smc_access *access, int64_t *stride)
{
    bool found = false;
    for (uint32_t lane = 1; lane < SMC_WARP_LANES; lane++) {
        if (!(access->mask >> (lane - 1) & access->mask >> lane & 1))
            continue;
        int64_t here = (int64_t)access->address[lane] - (int64_t)access->address[lane - 1];
        if (found && here != *stride)
            return false;
        *stride = here;
        found = true;
    }
    return found;
}

static void name_array(struct answer *answer, struct smc_bank_access *access,
                       const struct smc_bank_tally *tally, uint64_t *first_byte)
{
    char name[96];
    uint32_t least = UINT32_MAX;
    *first_byte = 0;
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        if (tally->worst.mask >> lane & 1 && tally->worst.address[lane] < least)
            least = tally->worst.address[lane];
    if (tally->executions && smc_program_shared_array(answer->program, least, name, sizeof name,
                                                      first_byte, &access->array_bytes))
        access->array = copy(answer, name, strlen(name));
}

static void fill(struct answer *answer, uint32_t instruction, struct smc_bank_access *access)
{
    const struct smc_bank_tally *tally = &answer->tally[instruction];
    const struct smc_instruction *at = smc_program_instruction(answer->program, instruction);
    const char *file = at->line ? smc_program_file(answer->program, at->file) : NULL;
    uint64_t first_byte;
    *access = (struct smc_bank_access){
        .verdict = verdict_of(tally),
        .operation = opcode_of(answer, instruction),
        .ptx_line = at->ptx_line,
        .file = file ? copy(answer, file, strlen(file)) : NULL,
        .line = file ? at->line : 0,
        .op = tally->op,
        .width_bytes = tally->width_bytes,
    };
    name_array(answer, access, tally, &first_byte);
    if (access->verdict == SMC_BANK_NOT_FOLLOWED || access->verdict == SMC_BANK_DEPENDS)
        access->reason = reason_of(answer, tally);
    if (access->verdict == SMC_BANK_NOT_FOLLOWED || access->verdict == SMC_BANK_ATOMIC)
        return;
    access->executions = tally->executions;
    access->wavefronts = tally->wavefronts;
    access->least = tally->least;
    access->fewest_conflicts = tally->fewest_conflicts;
    access->most_conflicts = tally->most_conflicts;
    access->worst_warp = tally->worst_warp;
    access->worst = tally->worst;
    access->has_stride =
        access->executions > 0 && find_stride(&tally->worst, &access->stride_bytes);
}

/* --- Remedies --------------------------------------------------------------------------------- */

enum { MOST_ROWS = 6, MOST_PATTERNS = 64 };

/* The accesses to one array. A remedy is proven only if all were followed and have the same width.
 */
struct array_use {
    struct smc_access pattern[MOST_PATTERNS];
    size_t patterns;
    uint32_t row[MOST_ROWS];
    size_t rows;
    uint32_t width_bytes;
};

static bool shares_array(const struct smc_bank_access *a, const struct smc_bank_access *b)
{
    return a->array && b->array && strcmp(a->array, b->array) == 0;
}

/* Whether the access may be to the array: also if that is not known. */
static bool may_touch(const struct smc_bank_access *access, const struct smc_bank_access *of)
{
    return !access->array || shares_array(access, of);
}

static void add_row(struct array_use *use, uint64_t bytes)
{
    uint64_t elements = bytes / use->width_bytes;
    if (bytes % use->width_bytes || elements < 2 || elements > UINT32_MAX / 4)
        return;
    for (size_t i = 0; i < use->rows; i++)
        if (use->row[i] == elements)
            return;
    if (use->rows < MOST_ROWS)
        use->row[use->rows++] = (uint32_t)elements;
}

/* Likely lengths of a row: a distance, and the largest power of two that divides it. */
static void add_rows(struct array_use *use, const struct smc_bank_access *access)
{
    uint64_t stride =
        (uint64_t)(access->stride_bytes < 0 ? -access->stride_bytes : access->stride_bytes);
    if (access->has_stride && stride > use->width_bytes) {
        add_row(use, stride);
        add_row(use, stride & -stride);
    }
    uint32_t banks_bytes = 128;
    for (uint32_t lane = 1; lane < SMC_WARP_LANES; lane++)
        if (access->worst.mask >> (lane - 1) & access->worst.mask >> lane & 1) {
            int64_t apart =
                (int64_t)access->worst.address[lane] - (int64_t)access->worst.address[lane - 1];
            if (apart > (int64_t)use->width_bytes)
                add_row(use, (uint64_t)apart);
        }
    add_row(use, banks_bytes);
}

static bool collect(struct answer *answer, const struct smc_bank_access *access,
                    struct array_use *use)
{
    *use = (struct array_use){.width_bytes = access->width_bytes};
    add_rows(use, access);
    for (size_t i = 0; i < answer->accesses->count; i++) {
        const struct smc_bank_access *other = &answer->accesses->item[i];
        const struct smc_bank_tally *tally = &answer->tally[answer->instruction_of[i]];
        if (!may_touch(other, access) || other->verdict == SMC_BANK_NOT_REACHED)
            continue;
        if (other->verdict != SMC_BANK_KNOWN && other->verdict != SMC_BANK_IF_ALL_ACTIVE)
            return false;
        if (other->width_bytes != access->width_bytes || tally->more_patterns ||
            use->patterns + tally->patterns > MOST_PATTERNS)
            return false;
        memcpy(use->pattern + use->patterns, tally->pattern,
               tally->patterns * sizeof *tally->pattern);
        use->patterns += tally->patterns;
    }
    return use->rows > 0 && use->patterns > 0;
}

static bool all_above(const struct array_use *use, uint64_t first_byte)
{
    for (size_t i = 0; i < use->patterns; i++)
        for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
            if (use->pattern[i].mask >> lane & 1 && use->pattern[i].address[lane] < first_byte)
                return false;
    return true;
}

static void find_remedies(struct answer *answer, struct smc_bank_access *access,
                          struct array_use *use)
{
    uint64_t first_byte;
    const struct smc_bank_tally *tally =
        &answer->tally[answer->instruction_of[access - answer->accesses->item]];
    struct smc_bank_access named = *access;
    bool counts = access->verdict == SMC_BANK_KNOWN || access->verdict == SMC_BANK_IF_ALL_ACTIVE;
    if (!access->most_conflicts || !counts || access->width_bytes < 4 || !access->array)
        return;
    name_array(answer, &named, tally, &first_byte);
    if (!collect(answer, access, use) || !all_above(use, first_byte))
        return;
    const struct smc_conflict_search search = {
        .layout = &answer->request->banks,
        .access = use->pattern,
        .access_count = use->patterns,
        .row_elements = use->row,
        .row_count = use->rows,
        .first_byte = (uint32_t)first_byte,
    };
    access->has_padding = smc_find_padding(&search, &access->padding);
    access->has_swizzle = smc_find_swizzle(&search, &access->swizzle);
}

/* --- The whole -------------------------------------------------------------------------------- */

static bool reads_shape(const struct smc_program *program, enum smc_special first,
                        enum smc_special second)
{
    for (size_t i = 0; i < program->fixed_count; i++)
        if (program->fixed[i].special == first || program->fixed[i].special == second)
            return true;
    return false;
}

static void add_up(struct smc_bank_accesses *accesses)
{
    uint32_t most = 0;
    accesses->worst = accesses->count;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct smc_bank_access *access = &accesses->item[i];
        accesses->counted += access->verdict != SMC_BANK_ATOMIC;
        accesses->followed +=
            access->verdict != SMC_BANK_ATOMIC && access->verdict != SMC_BANK_NOT_FOLLOWED;
        accesses->executions += access->executions;
        accesses->wavefronts += access->wavefronts;
        accesses->least += access->least;
        if (access->most_conflicts > most) {
            most = access->most_conflicts;
            accesses->worst = i;
        }
    }
}

static bool list(struct answer *answer)
{
    struct smc_bank_accesses *accesses = answer->accesses;
    size_t count = 0, instructions = answer->program->instructions;
    for (size_t i = 0; i < instructions; i++)
        count += answer->tally[i].is_access;
    uint32_t *instruction_of = smc_arena_take(&accesses->arena, (count + 1) * sizeof(uint32_t));
    accesses->item = smc_arena_take(&accesses->arena, (count + 1) * sizeof *accesses->item);
    struct array_use *use = smc_malloc(sizeof *use);
    if (instruction_of && accesses->item && use) {
        answer->instruction_of = instruction_of;
        for (uint32_t i = 0; i < instructions; i++)
            if (answer->tally[i].is_access) {
                instruction_of[accesses->count] = i;
                fill(answer, i, &accesses->item[accesses->count++]);
            }
        for (size_t i = 0; i < accesses->count && !accesses->arena.failed; i++)
            find_remedies(answer, &accesses->item[i], use);
    }
    bool made = use && !accesses->arena.failed;
    free(use);
    return made;
}

/* The accesses that no warp reached: all that is known of them is in the PTX. */
static void note_unreached(const struct smc_program *program, struct smc_bank_tally *tally)
{
    for (size_t i = 0; i < program->ops; i++) {
        const struct smc_op *op = &program->op[i];
        struct smc_bank_tally *of = &tally[op->instruction];
        if (of->is_access || op->space != SMC_SPACE_SHARED)
            continue;
        bool is_rows = op->step == smc_step_load_rows || op->step == smc_step_store_rows;
        of->is_access = op->step == smc_step_load || op->step == smc_step_store ||
                        op->step == smc_step_copy || op->step == smc_step_atomic || is_rows;
        of->is_atomic = op->step == smc_step_atomic;
        of->op = op->step == smc_step_load || op->step == smc_step_load_rows ? SMC_BANK_LOAD
                                                                             : SMC_BANK_STORE;
        of->width_bytes = (uint32_t)op->width_bytes * (is_rows ? 1 : op->vector);
    }
}

/* If the budget was used up, no result is certain. */
static void doubt_all(const struct smc_program *program, struct smc_bank_tally *tally)
{
    for (size_t i = 0; i < program->instructions; i++) {
        tally[i].not_followed = true;
        tally[i].cause = SMC_CAUSE_NONE;
        tally[i].executions = 0;
    }
}

static enum smc_status find(struct answer *answer, struct smc_error *error)
{
    const struct smc_program *program = answer->program;
    struct smc_bank_accesses *accesses = answer->accesses;
    struct smc_bank_walk walk = {.request = answer->request, .program = program};
    walk.tally = smc_calloc(program->instructions + 1, sizeof *walk.tally);
    bool worked = walk.tally && smc_bank_walk(&walk);
    if (worked) {
        note_unreached(program, walk.tally);
        if (walk.gave_up)
            doubt_all(program, walk.tally);
        answer->tally = walk.tally;
        accesses->uses_y = reads_shape(program, SMC_SPECIAL_TID_Y, SMC_SPECIAL_NTID_Y);
        accesses->uses_z = reads_shape(program, SMC_SPECIAL_TID_Z, SMC_SPECIAL_NTID_Z);
        accesses->counts_are_exact = !walk.chose && !walk.gave_up;
        worked = list(answer);
    }
    if (worked)
        add_up(accesses);
    free(walk.tally);
    return worked ? SMC_OK : smc_out_of_memory(error);
}

static bool valid_block(const uint32_t block[3])
{
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (block[i] < 1 || block[i] > 1024)
            return false;
        threads *= block[i];
    }
    return threads <= 1024;
}

enum smc_status smc_bank_accesses_find(const struct smc_bank_accesses_request *request,
                                       struct smc_bank_accesses *accesses, struct smc_error *error)
{
    struct smc_program *program = NULL;
    struct answer answer = {.request = request, .accesses = accesses};
    const uint32_t *block = request->block;
    if (!valid_block(block))
        return smc_fail(error, SMC_USAGE, "a block of %ux%ux%u threads: between 1 and 1024 of them",
                        block[0], block[1], block[2]);
    enum smc_status status = smc_program_read_leniently(request->ptx, request->ptx_bytes,
                                                        request->entry, &program, error);
    if (status != SMC_OK)
        return status;
    memcpy(accesses->block, block, sizeof accesses->block);
    accesses->warps = (block[0] * block[1] * block[2] + SMC_WARP_LANES - 1) / SMC_WARP_LANES;
    answer.program = program;
    status = find(&answer, error);
    smc_program_free(program);
    return status;
}

void smc_bank_accesses_free(struct smc_bank_accesses *accesses)
{
    smc_arena_free(&accesses->arena);
    *accesses = (struct smc_bank_accesses){0};
}

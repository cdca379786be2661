/* The bank conflicts of a kernel without running it: what was found of each instruction, as an
   answer with reasons and remedies. */
#include "machine/bank_accesses.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/emulator/bank_walk.h"
#include "machine/emulator/emulator_steps.h"

static const struct {
    const char *name, *words;
} verdicts[] = {
#define VERDICT(id, name, words) [SMC_BANK_##id] = {name, words},
#include "machine/emulator/bank_verdicts.def"
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
    const struct smc_access_log *log;
    const uint32_t *instruction_of; /* of each item */
};

/* --- Text ------------------------------------------------------------------------------------- */

static const char *bank_accesses_copy(struct answer *answer, const char *text, size_t bytes)
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
    return bank_accesses_copy(answer, at, bytes);
}

/* "k.cu:12", or "PTX line 12" without a line table. */
static void bank_accesses_append_place(const struct answer *answer, uint32_t instruction,
                                       struct smc_text *text)
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
        [SMC_CAUSE_STEPS] = {"the kernel has too many paths to follow them all", false},
    };
    smc_text_append(text, causes[tally->cause].words);
    if (causes[tally->cause].has_place)
        bank_accesses_append_place(answer, tally->cause_instruction, text);
}

static const char *bank_accesses_reason_of(struct answer *answer,
                                           const struct smc_bank_tally *tally)
{
    static const char *const passed_over[] = {
        [SMC_BANK_BY_CALL] = "what the called function accesses is not followed",
        [SMC_BANK_BY_ENGINE] = "shared memory is accessed by a copy engine, not lane by lane",
        [SMC_BANK_BY_UNKNOWN] = "an instruction that is not decoded",
    };
    smc_auto_text text = {0};
    if (tally->kind != SMC_BANK_BY_LANES)
        smc_text_append(&text, passed_over[tally->kind]);
    else if (tally->misaligned)
        smc_text_append(&text, "an address is not a multiple of the width");
    else if (tally->beyond)
        smc_text_append(&text, "wider than 16 bytes per lane");
    else if (tally->elsewhere)
        smc_text_append(&text, "some or all lanes may access another memory");
    else
        append_cause(answer, tally, &text);
    const char *reason = bank_accesses_copy(answer, smc_text_string(&text), text.length);
    answer->accesses->arena.failed |= text.failed;
    return reason;
}

/* --- One access ------------------------------------------------------------------------------- */

static enum smc_bank_verdict bank_accesses_verdict_of(const struct smc_bank_tally *tally)
{
    if (tally->kind == SMC_BANK_BY_DESCRIPTOR) /* counted on an H200: doc/model.md */
        return SMC_BANK_NO_CONFLICTS;
    return tally->is_loop           ? SMC_BANK_ATOMIC
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

static uint32_t lowest_address(const struct smc_access *access)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        if (access->mask >> lane & 1 && access->address[lane] < least)
            least = access->address[lane];
    return least;
}

static void name_array(struct answer *answer, struct smc_bank_access *access,
                       const struct smc_bank_tally *tally)
{
    char name[96];
    uint64_t first_byte;
    if (tally->executions &&
        smc_program_shared_array(answer->program, lowest_address(&tally->worst), name, sizeof name,
                                 &first_byte, &access->array_bytes))
        access->array = bank_accesses_copy(answer, name, strlen(name));
}

/* The last part of a mangled name: get of _Z3getPKfi and of _ZN2ns3getEv. */
static struct smc_span bank_accesses_last_part(struct smc_span name)
{
    struct smc_span part = name;
    size_t i = 2;
    if (name.bytes < 4 || memcmp(name.at, "_Z", 2) != 0)
        return name;
    while (i < name.bytes && strchr("NKLSt", name.at[i]))
        i++;
    while (i < name.bytes && name.at[i] >= '0' && name.at[i] <= '9') {
        size_t length = 0;
        while (i < name.bytes && name.at[i] >= '0' && name.at[i] <= '9' && length < name.bytes)
            length = 10 * length + (size_t)(name.at[i++] - '0');
        if (length == 0 || length > name.bytes - i)
            return name;
        part = (struct smc_span){name.at + i, length};
        i += length;
    }
    return part;
}

/* The function that an instruction calls; NULL: unknown. */
static const char *callee_of(struct answer *answer, uint32_t instruction)
{
    const struct smc_span name =
        bank_accesses_last_part(smc_bank_callee(&answer->program->module.statement[instruction]));
    return name.bytes ? bank_accesses_copy(answer, name.at, name.bytes) : NULL;
}

static void bank_accesses_fill(struct answer *answer, uint32_t instruction,
                               struct smc_bank_access *access)
{
    const struct smc_bank_tally *tally = &answer->tally[instruction];
    const struct smc_instruction *at = smc_program_instruction(answer->program, instruction);
    const char *file = at->line ? smc_program_file(answer->program, at->file) : NULL;
    *access = (struct smc_bank_access){
        .verdict = bank_accesses_verdict_of(tally),
        .kind = tally->kind,
        .callee = tally->kind == SMC_BANK_BY_CALL ? callee_of(answer, instruction) : NULL,
        .operation = opcode_of(answer, instruction),
        .ptx_line = at->ptx_line,
        .file = file ? bank_accesses_copy(answer, file, strlen(file)) : NULL,
        .line = file ? at->line : 0,
        .op = tally->op,
        .width_bytes = tally->width_bytes,
    };
    name_array(answer, access, tally);
    if (access->verdict == SMC_BANK_NOT_FOLLOWED || access->verdict == SMC_BANK_DEPENDS)
        access->reason = bank_accesses_reason_of(answer, tally);
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

static bool shares_array(const struct smc_bank_access *a, const struct smc_bank_access *b)
{
    return a->array && b->array && strcmp(a->array, b->array) == 0;
}

/* Whether the access may be to the array: also if that is not known. */
static bool may_touch(const struct smc_bank_access *access, const struct smc_bank_access *of)
{
    return !access->array || shares_array(access, of);
}

static bool is_counted(const struct smc_bank_access *access)
{
    return access->verdict == SMC_BANK_KNOWN || access->verdict == SMC_BANK_IF_ALL_ACTIVE;
}

/* Advice holds only if all accesses to the array were followed, and are in the log. `*certain`: and
   which lanes are active is known. */
static bool all_followed(const struct answer *answer, const struct smc_bank_access *access,
                         bool *certain)
{
    *certain = true;
    for (size_t i = 0; i < answer->accesses->count; i++) {
        const struct smc_bank_access *other = &answer->accesses->item[i];
        if (!may_touch(other, access) || other->verdict == SMC_BANK_NOT_REACHED)
            continue;
        if (!is_counted(other) || answer->tally[answer->instruction_of[i]].is_not_logged)
            return false;
        *certain &= other->verdict == SMC_BANK_KNOWN;
    }
    return true;
}

static bool find_remedies(struct answer *answer, struct smc_bank_access *access)
{
    const struct smc_bank_accesses_request *request = answer->request;
    const size_t index = (size_t)(access - answer->accesses->item);
    bool certain;
    if (!access->most_conflicts || !is_counted(access) || !access->array ||
        !all_followed(answer, access, &certain))
        return true;
    for (size_t i = 0; i < index; i++)
        if (answer->accesses->item[i].advice && shares_array(&answer->accesses->item[i], access)) {
            access->advice = answer->accesses->item[i].advice;
            return true;
        }
    struct smc_array_advice *advice =
        smc_arena_take(&answer->accesses->arena, sizeof *access->advice);
    const struct smc_array_question question = {
        .program = answer->program,
        .log = answer->log,
        .banks = &request->banks,
        .declared = request->declared,
        .declared_count = request->declared_count,
        .address = lowest_address(&answer->tally[answer->instruction_of[index]].worst),
    };
    if (!advice)
        return false;
    smc_array_describe(&question, advice);
    access->advice = advice;
    const bool made = smc_array_advise(&question, advice) == SMC_OK;
    advice->layout.is_hopeless &= certain; /* fewer lanes may do without conflicts */
    return made;
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

static void bank_accesses_add_up(struct smc_bank_accesses *accesses)
{
    uint32_t most = 0;
    accesses->worst = accesses->count;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct smc_bank_access *access = &accesses->item[i];
        accesses->counted += access->verdict != SMC_BANK_ATOMIC;
        accesses->calls +=
            access->kind == SMC_BANK_BY_CALL && access->verdict == SMC_BANK_NOT_FOLLOWED;
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

static bool bank_accesses_list(struct answer *answer)
{
    struct smc_bank_accesses *accesses = answer->accesses;
    size_t count = 0, instructions = answer->program->instructions;
    for (size_t i = 0; i < instructions; i++)
        count += answer->tally[i].is_access;
    uint32_t *instruction_of = smc_arena_take(&accesses->arena, (count + 1) * sizeof(uint32_t));
    accesses->item = smc_arena_take(&accesses->arena, (count + 1) * sizeof *accesses->item);
    bool found = true;
    if (instruction_of && accesses->item) {
        answer->instruction_of = instruction_of;
        for (uint32_t i = 0; i < instructions; i++)
            if (answer->tally[i].is_access) {
                instruction_of[accesses->count] = i;
                bank_accesses_fill(answer, i, &accesses->item[accesses->count++]);
            }
        for (size_t i = 0; i < accesses->count && found && !accesses->arena.failed; i++)
            found = find_remedies(answer, &accesses->item[i]);
    }
    return found && !accesses->arena.failed;
}

/* The accesses that no warp reached: all that is known of them is in the PTX. */
static void note_unreached(const struct smc_bank_walk *walk)
{
    const struct smc_program *program = walk->program;
    for (size_t i = 0; i < program->ops; i++) {
        const struct smc_op *op = &program->op[i];
        const bool by_lanes = op->space == SMC_SPACE_SHARED;
        struct smc_bank_tally *tally = &walk->tally[op->instruction], described = {0};
        if (tally->is_access || !smc_bank_describe(walk, op, &described) ||
            (described.kind == SMC_BANK_BY_LANES && !by_lanes))
            continue;
        *tally = described;
    }
}

/* If the budget was used up, no result is certain. */
static void doubt_all(const struct smc_program *program, struct smc_bank_tally *tally)
{
    for (size_t i = 0; i < program->instructions; i++) {
        tally[i].not_followed = true;
        tally[i].cause = SMC_CAUSE_STEPS;
        tally[i].executions = 0;
    }
}

static enum smc_status bank_accesses_find(struct answer *answer, struct smc_error *error)
{
    const struct smc_program *program = answer->program;
    struct smc_bank_accesses *accesses = answer->accesses;
    struct smc_access_log log = {0};
    struct smc_bank_walk walk = {.request = answer->request, .program = program, .log = &log};
    smc_auto_free uint8_t *kind = smc_calloc(program->ops + 1, 1);
    smc_auto_free char *ptx = smc_strndup(answer->request->ptx, answer->request->ptx_bytes);
    walk.tally = smc_calloc(program->instructions + 1, sizeof *walk.tally);
    walk.kind = kind;
    bool worked = walk.tally && kind && ptx;
    worked = worked && smc_bank_find_kinds(program, ptx, kind) && smc_bank_walk(&walk);
    if (worked) {
        note_unreached(&walk);
        if (walk.gave_up)
            doubt_all(program, walk.tally);
        answer->tally = walk.tally;
        answer->log = &log;
        accesses->uses_y = reads_shape(program, SMC_SPECIAL_TID_Y, SMC_SPECIAL_NTID_Y);
        accesses->uses_z = reads_shape(program, SMC_SPECIAL_TID_Z, SMC_SPECIAL_NTID_Z);
        accesses->counts_are_exact = !walk.chose && !walk.gave_up;
        worked = bank_accesses_list(answer);
    }
    if (worked)
        bank_accesses_add_up(accesses);
    free(walk.tally);
    smc_access_log_free(&log);
    answer->log = NULL;
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
    SMC_TRY(smc_program_read_with(request->ptx, request->ptx_bytes, request->entry,
                                  &(struct smc_program_options){.is_lenient = true}, &program,
                                  error));
    memcpy(accesses->block, block, sizeof accesses->block);
    accesses->warps = (block[0] * block[1] * block[2] + SMC_WARP_LANES - 1) / SMC_WARP_LANES;
    answer.program = program;
    enum smc_status status = bank_accesses_find(&answer, error);
    smc_program_free(program);
    return status;
}

void smc_bank_accesses_free(struct smc_bank_accesses *accesses)
{
    smc_arena_free(&accesses->arena);
    *accesses = (struct smc_bank_accesses){0};
}

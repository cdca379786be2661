/* Builds a program from a PTX module: decodes each statement by its mnemonic, lays out the
   variables, and links the branches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/decode.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/matrix.h"

enum { MOST_FILE_BYTES = 1 << 24 }; /* of one warp: 65536 registers of 64 bits */

static const struct {
    const char *name;
    smc_decode *decode;
    smc_decode_typed *decode_typed; /* or this */
    uint32_t flags;
} mnemonics[] = {
#define MNEMONIC(name, function, flags) {name, smc_decode_##function, NULL, flags},
#define TYPED(name, function, flags)    {name, NULL, smc_decode_##function, flags},
#include "machine/emulator/mnemonics.def"
};

/* Products of matrices of integers and of double precision are exact. */
static uint32_t fidelity_of(const struct smc_ptx_statement *statement,
                            const struct smc_ptx_instruction *row)
{
    static const char no_effect[] = "has no effect";
    bool is_exact = false;
    const bool multiplies =
        smc_span_is(statement->opcode, "mma") || smc_span_is(statement->opcode, "wgmma");
    for (uint32_t i = 0; multiplies && i < statement->modifiers; i++)
        is_exact |= smc_span_is(statement->modifier[i], "s32") ||
                    smc_span_is(statement->modifier[i], "f64");
    if (!row || is_exact)
        return 0;
    return row->support == SMC_INSTRUCTION_APPROXIMATE ? SMC_INSTRUCTION_IS_APPROXIMATE
           : strncmp(row->note, no_effect, sizeof no_effect - 1) == 0
               ? SMC_INSTRUCTION_HAS_NO_EFFECT
               : 0;
}

/* Decodes one statement and adds it to the program's list of instructions. */
static bool decode_statement(struct smc_decoder *decoder, struct smc_instruction *instruction)
{
    const struct smc_ptx_statement *statement = decoder->statement;
    *instruction = (struct smc_instruction){
        .text = statement->text.at,
        .text_bytes = (uint32_t)statement->text.bytes,
        .ptx_line = statement->ptx_line,
        .file = statement->file,
        .line = statement->line,
        .function = statement->function,
        .loc = statement->loc,
    };
    if (statement->ends_body) {
        decoder->begun = true; /* it is not in the text: not counted */
        return smc_decode_ret(decoder);
    }
    struct smc_contraction *contraction =
        decoder->contraction ? &decoder->contraction[decoder->instruction] : NULL;
    if (contraction && !smc_decode_kept_factors(decoder, contraction))
        return false;
    if (contraction && contraction->is_dropped)
        return true;
    const struct smc_ptx_instruction *row = smc_ptx_instruction_of(statement);
    if (row && row->support == SMC_INSTRUCTION_REFUSED)
        return smc_decode_refuse(decoder, row->note);
    if (smc_decode_has(decoder, "b128"))
        return smc_decode_refuse(decoder, "registers of 128 bits");
    for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
        if (smc_decode_is(decoder, mnemonics[i].name)) {
            enum smc_ptx_type type;
            instruction->flags = mnemonics[i].flags | fidelity_of(statement, row);
            return mnemonics[i].decode ? mnemonics[i].decode(decoder)
                                       : smc_decode_known_type(decoder, &type) &&
                                             mnemonics[i].decode_typed(decoder, type);
        }
    return smc_decode_refuse(decoder, "");
}

/* Instead of an instruction that is not supported: an op for each register that it writes. */
static bool decode_opaque(struct smc_decoder *decoder)
{
    const struct smc_operand *target = &decoder->statement->operand[0];
    bool has_vector = target->kind == SMC_OPERAND_VECTOR;
    uint32_t count = has_vector ? target->elements : decoder->statement->operands > 0;
    const struct smc_operand *list = has_vector ? target->element : target;
    decoder->begun = false;
    for (uint32_t i = 0; i < count; i++)
        for (const struct smc_operand *one = &list[i]; one; one = one->second) {
            if (one->kind != SMC_OPERAND_REGISTER || one->type == SMC_PTX_B128)
                continue; /* no supported instruction reads registers of 128 bits */
            uint32_t d = smc_decode_any_target(decoder, one, one->type, &(enum smc_slot_kind){0});
            struct smc_op *op = d != SMC_NO_SLOT ? smc_decode_emit(decoder) : NULL;
            if (!op)
                return false;
            op->step = smc_step_opaque;
            op->d = d;
            op->d_kind = smc_slot_kind_of(one->type);
        }
    return true;
}

/* Decodes what the emulator does not run, for an analysis that knows only which registers are
   written. */
static bool decode_leniently(struct smc_decoder *decoder, uint32_t first_op)
{
    if (!decoder->failed)
        return false; /* memory */
    decoder->program->ops = first_op;
    decoder->failed = false;
    decoder->begun = false;
    return decode_opaque(decoder);
}

static bool decode_all(struct smc_decoder *decoder, uint32_t *first_op)
{
    struct smc_program *program = decoder->program;
    const struct smc_ptx_module *module = &program->module;
    uint32_t function = 0;
    for (size_t i = 0; i < module->statements; i++) {
        decoder->statement = &module->statement[i];
        decoder->instruction = (uint32_t)i;
        decoder->begun = false;
        if (decoder->statement->function != function) {
            function = decoder->statement->function;
            if (!smc_decode_begin_function(decoder, function))
                return false;
        }
        first_op[i] = (uint32_t)program->ops;
        if (!decode_statement(decoder, &program->instruction[i]) &&
            !(decoder->lenient && decode_leniently(decoder, first_op[i])))
            return false;
        if (program->file_bytes > MOST_FILE_BYTES)
            return smc_decode_refuse(decoder, "more registers than the emulator holds");
        bool is_dropped = decoder->contraction && decoder->contraction[i].is_dropped;
        if (program->ops == first_op[i] && !is_dropped && !smc_decode_emit(decoder))
            return false; /* an instruction without effect is counted as well */
        if (function && decoder->statement->ends_body)
            smc_decode_end_function(decoder, function);
    }
    first_op[module->statements] = (uint32_t)program->ops;
    struct smc_ptx_statement end = {.opcode = {"exit", 4}};
    decoder->statement = &end; /* threads that reach the end of the body exit */
    decoder->begun = true;
    decoder->instruction = module->statements ? (uint32_t)module->statements - 1 : 0;
    const bool is_done = smc_decode_exit(decoder);
    decoder->statement = NULL; /* `end` does not outlive this function */
    return is_done;
}

static bool decode_program_find_target(struct smc_decoder *decoder,
                                       const struct smc_ptx_statement *statement,
                                       struct smc_span name, const uint32_t *first_op,
                                       uint32_t *target)
{
    const struct smc_ptx_module *module = &decoder->program->module;
    const struct smc_ptx_label *label = smc_ptx_find_label(module, name, statement->scope);
    decoder->statement = statement;
    if (!label || label->targets)
        return smc_decode_refuse(decoder, "unknown label");
    *target = first_op[label->statement];
    return true;
}

/* brx.idx: operand 1 is the name of the target list. */
static bool decode_program_find_targets(struct smc_decoder *decoder,
                                        const struct smc_ptx_statement *statement,
                                        const uint32_t *first_op, struct smc_op *op)
{
    struct smc_program *program = decoder->program;
    const struct smc_ptx_label *list =
        smc_ptx_find_label(&program->module, statement->operand[1].name, statement->scope);
    decoder->statement = statement;
    if (!list || !list->targets)
        return smc_decode_refuse(decoder, "unknown list of labels");
    op->targets = smc_arena_take(&program->arena, list->targets * sizeof *op->targets);
    if (!op->targets)
        return false;
    op->target_count = list->targets;
    for (uint32_t i = 0; i < list->targets; i++)
        if (!decode_program_find_target(decoder, statement, list->target[i], first_op,
                                        &op->targets[i]))
            return false;
    return true;
}

static bool link_branches(struct smc_decoder *decoder, const uint32_t *first_op)
{
    struct smc_program *program = decoder->program;
    for (size_t i = 0; i < program->ops; i++) {
        struct smc_op *op = &program->op[i];
        bool linked = true;
        if (op->step != smc_step_branch && op->step != smc_step_indexed_branch)
            continue;
        const struct smc_ptx_statement *statement = &program->module.statement[op->instruction];
        if (op->step == smc_step_branch)
            linked = decode_program_find_target(decoder, statement, statement->operand[0].name,
                                                first_op, &op->target);
        else
            linked = decode_program_find_targets(decoder, statement, first_op, op);
        if (!linked)
            return false;
    }
    return true;
}

/* --- Variables -------------------------------------------------------------------------------- */

static bool refuse_symbol(const struct smc_ptx_symbol *symbol, uint32_t ptx_line, const char *what,
                          struct smc_error *error)
{
    char use[48] = "";
    if (symbol->used_line)
        snprintf(use, sizeof use, ", which source line %u uses", symbol->used_line);
    return smc_fail(error, SMC_USAGE,
                    "PTX line %u: the variable '%.*s'%s, is not supported: %.400s", ptx_line,
                    (int)(symbol->name.bytes < 100 ? symbol->name.bytes : 100), symbol->name.at,
                    use, what) == SMC_OK;
}

/* Refuses a kernel that uses a variable which the emulator does not have. */
static bool check_variables(const struct smc_ptx_module *module, struct smc_error *error)
{
    char what[200];
    for (size_t i = 0; i < module->symbols; i++) {
        const struct smc_ptx_symbol *symbol = module->symbol[i];
        if (!symbol->is_used)
            continue;
        if (symbol->refusal)
            return refuse_symbol(symbol, symbol->line, symbol->refusal, error);
        for (const struct smc_ptx_reference *r = symbol->reference; r; r = r->next) {
            if (smc_ptx_referenced(module, r))
                continue;
            snprintf(what, sizeof what, "it holds the address of the function '%.*s'",
                     (int)(r->name.bytes < 120 ? r->name.bytes : 120), r->name.at);
            return refuse_symbol(symbol, r->line, what, error);
        }
    }
    return true;
}

/* Writes the addresses among the initial values. */
static void place_references(const struct smc_ptx_module *module)
{
    for (size_t i = 0; i < module->symbols; i++) {
        const struct smc_ptx_symbol *symbol = module->symbol[i];
        const struct smc_ptx_reference *reference =
            symbol->is_used || symbol->is_placed ? symbol->reference : NULL;
        for (; reference; reference = reference->next) {
            const struct smc_ptx_symbol *other = smc_ptx_referenced(module, reference);
            if (!other)
                continue;
            uint64_t address = other->address + reference->offset;
            if (reference->is_generic)
                address += smc_window_of(other->space);
            address >>= reference->shift;
            memcpy(symbol->initial + reference->place, &address, reference->bytes);
        }
    }
}

static bool decode_program_find_place(const struct smc_program_options *options,
                                      struct smc_ptx_symbol *symbol)
{
    for (size_t i = 0; symbol->scope == 0 && i < options->places; i++)
        if (smc_span_is(symbol->name, options->place[i].name)) {
            symbol->address = options->place[i].address;
            symbol->is_placed = true;
        }
    return symbol->is_placed;
}

/* Assigns the address of each variable. Shared: in order of declaration, dynamic ones after all
   others. */
static bool decode_program_lay_out(struct smc_program *program,
                                   const struct smc_program_options *options,
                                   struct smc_error *error)
{
    uint64_t end[SMC_SPACE_CODE + 1] = {0};
    const struct smc_ptx_module *module = &program->module;
    if (!options->is_lenient && !check_variables(module, error))
        return false;
    for (size_t i = 0; i < module->symbols; i++) {
        struct smc_ptx_symbol *symbol = module->symbol[i];
        bool placed = symbol->space == SMC_SPACE_PARAM ||
                      (symbol->space == SMC_SPACE_SHARED && !symbol->is_extern &&
                       (symbol->in_kernel || symbol->is_used));
        if (!placed)
            continue;
        uint64_t *place = &end[symbol->space];
        *place = (*place + symbol->align - 1) / symbol->align * symbol->align;
        symbol->address = *place;
        *place += symbol->bytes;
        if (*place > UINT32_MAX / 2)
            return smc_fail(error, SMC_USAGE, "PTX: the variables are too large") == SMC_OK;
    }
    uint64_t variables = SMC_VARIABLES_BASE;
    for (size_t i = 0; i < module->symbols; i++) {
        struct smc_ptx_symbol *symbol = module->symbol[i];
        bool is_global = symbol->space == SMC_SPACE_GLOBAL || symbol->space == SMC_SPACE_CONST;
        if (!is_global || decode_program_find_place(options, symbol) || !symbol->is_used)
            continue;
        symbol->address = variables;
        variables +=
            (symbol->bytes + SMC_ALLOCATION_GAP) / SMC_ALLOCATION_ALIGN * SMC_ALLOCATION_ALIGN +
            SMC_ALLOCATION_ALIGN;
    }
    uint64_t dynamic = end[SMC_SPACE_SHARED];
    for (size_t i = 0; i < module->symbols; i++) {
        struct smc_ptx_symbol *symbol = module->symbol[i];
        if (symbol->space == SMC_SPACE_SHARED && symbol->is_extern && symbol->is_used)
            dynamic = (dynamic + symbol->align - 1) / symbol->align * symbol->align;
    }
    for (size_t i = 0; i < module->symbols; i++)
        if (module->symbol[i]->space == SMC_SPACE_SHARED && module->symbol[i]->is_extern)
            module->symbol[i]->address = dynamic;
    place_references(module);
    program->static_smem_bytes = (uint32_t)dynamic;
    program->parameter_bytes = (uint32_t)end[SMC_SPACE_PARAM];
    return true;
}

static char *copy_of(struct smc_arena *arena, struct smc_span span)
{
    char *copy = smc_arena_take(arena, span.bytes + 1);
    if (copy)
        memcpy(copy, span.at, span.bytes);
    return copy;
}

static bool copy_names(struct smc_program *program)
{
    const struct smc_ptx_module *module = &program->module;
    program->entry = copy_of(&program->arena, module->entry);
    program->file_name = smc_arena_take(&program->arena, (module->files + 1) * sizeof(char *));
    for (size_t i = 0; program->file_name && i < module->files; i++)
        program->file_name[i] = copy_of(&program->arena, module->file[i].name);
    program->instruction =
        smc_arena_take(&program->arena, (module->statements + 1) * sizeof *program->instruction);
    program->instructions = module->statements;
    return !program->arena.failed;
}

/* --- Kinds ------------------------------------------------------------------------------------ */

static enum smc_op_kind decode_program_kind_of(smc_step *step)
{
    static const struct {
        smc_step *step;
        enum smc_op_kind kind;
    } kinds[] = {
#define OP_KIND(id, name) {smc_step_##name, SMC_OP_##id},
#include "machine/emulator/op_kinds.def"
    };
    for (size_t i = 0; step && i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].step == step)
            return kinds[i].kind;
    return SMC_OP_OTHER;
}

static bool decode_program(struct smc_decoder *decoder)
{
    struct smc_program *program = decoder->program;
    size_t registers = program->module.registers;
    uint32_t *first_op =
        smc_arena_take(&program->arena, (program->module.statements + 1) * sizeof *first_op);
    decoder->slot_of_register =
        smc_arena_take(&program->arena, (registers + 1) * sizeof *decoder->slot_of_register);
    if (!first_op || !decoder->slot_of_register)
        return false;
    memset(decoder->slot_of_register, 0xff, registers * sizeof *decoder->slot_of_register);
    smc_slot_new(program, SMC_SLOT_64); /* offset 0: read by ops without that source */
    if (program->functions)
        program->frame_slot = smc_slot_new(program, SMC_SLOT_64);
    if (!decoder->lenient && !smc_find_contractions(decoder))
        return false;
    if (!decode_all(decoder, first_op))
        return false;
    for (size_t i = 0; i < program->ops; i++)
        program->op[i].kind = (uint8_t)decode_program_kind_of(program->op[i].step);
    smc_find_guesses(program);
    smc_find_increments(program);
    return link_branches(decoder, first_op) && smc_bound_stack(program) &&
           smc_find_reconvergence(program) && smc_find_sequences(program) &&
           (decoder->lenient || smc_find_tracks(program));
}

enum smc_status smc_program_read_with(const char *ptx, size_t bytes, const char *entry,
                                      const struct smc_program_options *options,
                                      struct smc_program **out, struct smc_error *error)
{
    const bool lenient = options->is_lenient;
    struct smc_program *program = smc_calloc(1, sizeof *program);
    *out = program;
    if (!program)
        return smc_out_of_memory(error);
    struct smc_decoder decoder = {.program = program, .error = error, .lenient = lenient};
    enum smc_status status = smc_ptx_read(ptx, bytes, entry, lenient, &program->module, error);
    if (status == SMC_OK && !decode_program_lay_out(program, options, error))
        status = SMC_USAGE;
    if (status == SMC_OK)
        status = smc_lay_out_frames(program, error);
    if (status == SMC_OK && (!copy_names(program) || !decode_program(&decoder)))
        status = decoder.failed ? SMC_USAGE : smc_out_of_memory(error);
    if (status == SMC_OK)
        return SMC_OK;
    smc_program_free(program);
    *out = NULL;
    return status;
}

enum smc_status smc_program_read(const char *ptx, size_t bytes, const char *entry,
                                 struct smc_program **program, struct smc_error *error)
{
    return smc_program_read_with(ptx, bytes, entry, &(struct smc_program_options){0}, program,
                                 error);
}

void smc_program_free(struct smc_program *program)
{
    if (!program)
        return;
    smc_ptx_free(&program->module);
    smc_arena_free(&program->arena);
    free(program);
}

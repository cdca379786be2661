/* Calls: their decoders, the frames of functions in local memory, and how deep they may be. The
   frames lie in a thread's local memory one above the other, and begin where the register
   `frame_slot` says. A frame holds what the function is given, what it returns, its variables, and
   what it passes to the functions that it calls. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/decode.h"
#include "machine/emulator/emulator_steps.h"

/* --- Frames ----------------------------------------------------------------------------------- */

static bool place(struct smc_ptx_symbol *symbol, uint64_t *end)
{
    *end = (*end + symbol->align - 1) / symbol->align * symbol->align;
    symbol->address = *end;
    *end += symbol->bytes;
    return *end <= UINT32_MAX / 2;
}

static bool place_formals(struct smc_ptx_symbol **list, size_t count, uint64_t *end)
{
    for (size_t i = 0; i < count; i++)
        if (!place(list[i], end))
            return false;
    return true;
}

/* The parameters of calls: those of different scopes are not used at the same time. */
static bool place_call_parameters(const struct smc_ptx_module *module, const uint64_t *end,
                                  uint64_t *scope_end, uint64_t *frame_end)
{
    for (size_t i = 0; i < module->symbols; i++) {
        struct smc_ptx_symbol *symbol = module->symbol[i];
        if (!symbol->is_call_parameter)
            continue;
        uint32_t outer = symbol->scope;
        while (outer != 0 && scope_end[outer] == 0)
            outer = module->scope_parent[outer];
        uint64_t *here = &scope_end[symbol->scope];
        *here = scope_end[outer] ? scope_end[outer] : end[symbol->function];
        if (!place(symbol, here))
            return false;
        if (*here > frame_end[symbol->function])
            frame_end[symbol->function] = *here;
    }
    return true;
}

static bool place_locals(const struct smc_ptx_module *module, uint64_t *end)
{
    for (size_t i = 0; i < module->functions; i++) {
        const struct smc_ptx_function *function = &module->function[i];
        if (!place_formals(function->result, function->results, &end[i + 1]) ||
            !place_formals(function->parameter, function->parameters, &end[i + 1]))
            return false;
    }
    for (size_t i = 0; i < module->symbols; i++) {
        struct smc_ptx_symbol *symbol = module->symbol[i];
        bool is_variable =
            symbol->space == SMC_SPACE_LOCAL && !symbol->is_call_parameter && !symbol->is_formal;
        if (is_variable && !place(symbol, &end[symbol->function]))
            return false;
    }
    return true;
}

static uint32_t rounded(uint64_t bytes)
{
    return (uint32_t)((bytes + SMC_FRAME_ALIGN - 1) / SMC_FRAME_ALIGN * SMC_FRAME_ALIGN);
}

static bool describe_formals(struct smc_arena *arena, struct smc_ptx_symbol **from, size_t count,
                             struct smc_passed **to)
{
    *to = smc_arena_take(arena, (count + 1) * sizeof **to);
    for (size_t i = 0; *to && i < count; i++)
        (*to)[i] = (struct smc_passed){.place = (uint32_t)from[i]->address,
                                       .bytes = (uint32_t)from[i]->bytes,
                                       .slot = SMC_NO_SLOT};
    return *to != NULL;
}

static bool describe_functions(struct smc_program *program, const uint64_t *frame_end)
{
    const struct smc_ptx_module *module = &program->module;
    program->functions = module->functions;
    program->function =
        smc_arena_take(&program->arena, (module->functions + 1) * sizeof *program->function);
    for (size_t i = 0; program->function && i < module->functions; i++) {
        const struct smc_ptx_function *from = &module->function[i];
        struct smc_function *to = &program->function[i];
        *to = (struct smc_function){.name = from->name,
                                    .is_defined = from->is_read,
                                    .frame_bytes = rounded(frame_end[i + 1] + 1),
                                    .results = (uint32_t)from->results,
                                    .parameters = (uint32_t)from->parameters};
        if (!to->is_defined)
            to->library = smc_library_named(from->name);
        program->has_heap |= from->symbol->is_used &&
                             (to->library == SMC_LIBRARY_MALLOC || to->library == SMC_LIBRARY_FREE);
        program->runs_in_order |= program->has_heap; /* so that addresses do not vary */
        if (!describe_formals(&program->arena, from->result, from->results, &to->result) ||
            !describe_formals(&program->arena, from->parameter, from->parameters, &to->parameter))
            return false;
    }
    return program->function != NULL;
}

enum smc_status smc_lay_out_frames(struct smc_program *program, struct smc_error *error)
{
    const struct smc_ptx_module *module = &program->module;
    smc_auto_free uint64_t *end = smc_calloc(module->functions + 1, sizeof *end);
    smc_auto_free uint64_t *frame_end = smc_calloc(module->functions + 1, sizeof *frame_end);
    smc_auto_free uint64_t *scope_end = smc_calloc(module->scopes + 1, sizeof *scope_end);
    enum smc_status status = SMC_OK;
    if (!end || !frame_end || !scope_end) {
        status = smc_out_of_memory(error);
    } else if (!place_locals(module, end)) {
        status = smc_fail(error, SMC_USAGE, "PTX: the variables are too large");
    } else {
        memcpy(frame_end, end, (module->functions + 1) * sizeof *end);
        if (!place_call_parameters(module, end, scope_end, frame_end))
            status = smc_fail(error, SMC_USAGE, "PTX: the variables are too large");
    }
    if (status == SMC_OK) {
        program->kernel_frame_bytes = rounded(frame_end[0]);
        program->local_bytes = (uint32_t)frame_end[0];
        if (!describe_functions(program, frame_end))
            status = smc_out_of_memory(error);
    }
    return status;
}

/* --- How deep the frames may be --------------------------------------------------------------- */

enum { DEEPEST = 256 }; /* chains of calls that are longer count as recursion */

struct depths {
    const struct smc_program *program;
    uint32_t *bytes;   /* of a function and what it calls, by number; UINT32_MAX: not bounded */
    uint8_t *state;    /* 0: unknown, 1: being computed, 2: known */
    uint32_t indirect; /* of a call through an address */
};

static uint32_t depth_of(struct depths *depths, uint32_t number, unsigned level);

static uint32_t deepest_call(struct depths *depths, uint32_t first, uint32_t end, unsigned level)
{
    uint32_t most = 0;
    for (uint32_t i = first; i < end && most != UINT32_MAX; i++) {
        const struct smc_op *op = &depths->program->op[i];
        if (op->step != smc_step_call)
            continue;
        for (uint32_t n = 1; n <= depths->program->functions && most != UINT32_MAX; n++) {
            if (op->call->callee ? n != op->call->callee
                                 : !depths->program->module.function[n - 1].symbol->is_used)
                continue;
            uint32_t bytes = depth_of(depths, n, level);
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

static uint32_t depth_of(struct depths *depths, uint32_t number, unsigned level)
{
    const struct smc_function *function = &depths->program->function[number - 1];
    if (!function->is_defined)
        return 0;
    if (depths->state[number] == 2)
        return depths->bytes[number];
    if (depths->state[number] == 1 || level > DEEPEST)
        return UINT32_MAX;
    depths->state[number] = 1;
    uint32_t called = deepest_call(depths, function->first_op, function->end_op, level + 1);
    bool bounded = called != UINT32_MAX && called <= UINT32_MAX / 2 - function->frame_bytes;
    depths->bytes[number] = bounded ? called + function->frame_bytes : UINT32_MAX;
    depths->state[number] = 2;
    return depths->bytes[number];
}

static uint32_t kernel_ops(const struct smc_program *program)
{
    uint32_t end = (uint32_t)program->ops;
    for (size_t i = 0; i < program->functions; i++)
        if (program->function[i].is_defined && program->function[i].first_op < end)
            end = program->function[i].first_op;
    return end;
}

bool smc_bound_stack(struct smc_program *program)
{
    if (!program->has_calls && !program->has_alloca)
        return true;
    struct depths depths = {.program = program,
                            .bytes = smc_calloc(program->functions + 1, sizeof(uint32_t)),
                            .state = smc_calloc(program->functions + 1, 1)};
    bool worked = depths.bytes && depths.state;
    uint32_t bytes = worked ? deepest_call(&depths, 0, kernel_ops(program), 0) : 0;
    if (program->has_alloca || bytes > SMC_STACK_BYTES)
        bytes = SMC_STACK_BYTES;
    program->local_bytes = program->kernel_frame_bytes + bytes;
    free(depths.bytes);
    free(depths.state);
    return worked;
}

/* --- Decoders --------------------------------------------------------------------------------- */

/* The registers of parameters that the function is given in registers. */
static bool begin_formals(struct smc_decoder *decoder, struct smc_ptx_symbol **from, size_t count,
                          struct smc_passed *to)
{
    for (size_t i = 0; i < count; i++) {
        if (from[i]->space != SMC_SPACE_REGISTER)
            continue;
        to[i].kind = smc_slot_kind_of(from[i]->type);
        to[i].slot = smc_slot_new(decoder->program, to[i].kind);
        decoder->slot_of_register[from[i]->first] = to[i].slot;
    }
    return true;
}

bool smc_decode_begin_function(struct smc_decoder *decoder, uint32_t number)
{
    struct smc_program *program = decoder->program;
    const struct smc_ptx_function *from = &program->module.function[number - 1];
    struct smc_function *function = &program->function[number - 1];
    function->first_op = (uint32_t)program->ops;
    function->first_slot = (uint32_t)program->slots;
    return begin_formals(decoder, from->result, from->results, function->result) &&
           begin_formals(decoder, from->parameter, from->parameters, function->parameter);
}

void smc_decode_end_function(struct smc_decoder *decoder, uint32_t number)
{
    struct smc_function *function = &decoder->program->function[number - 1];
    function->end_op = (uint32_t)decoder->program->ops;
    function->end_slot = (uint32_t)decoder->program->slots;
}

/* What the caller passes or receives: a variable in its frame, a register, or a number. A number's
   size is known only by the callee. */
static bool decode_passed(struct smc_decoder *decoder, const struct smc_operand *operand,
                          bool is_result, struct smc_passed *passed)
{
    *passed = (struct smc_passed){.slot = SMC_NO_SLOT};
    if (operand->kind == SMC_OPERAND_SYMBOL && operand->symbol->space == SMC_SPACE_LOCAL &&
        operand->integer == 0) {
        passed->place = (uint32_t)operand->symbol->address;
        passed->bytes = (uint32_t)operand->symbol->bytes;
        return true;
    }
    if (operand->kind == SMC_OPERAND_REGISTER && operand->type != SMC_PTX_PRED) {
        passed->slot = is_result ? smc_decode_target(decoder, operand, operand->type)
                                 : smc_decode_source(decoder, operand, operand->type);
        passed->kind = smc_slot_kind_of(operand->type);
        passed->bytes = smc_ptx_type_info[operand->type].bytes;
        return passed->slot != SMC_NO_SLOT;
    }
    if (is_result || (operand->kind != SMC_OPERAND_INTEGER && operand->kind != SMC_OPERAND_FLOAT))
        return smc_decode_refuse(decoder, "what is passed is neither a parameter nor a register");
    bool narrow = operand->kind == SMC_OPERAND_FLOAT && operand->is_single;
    passed->kind = narrow ? SMC_SLOT_32 : SMC_SLOT_64;
    passed->slot = smc_decode_constant(decoder, passed->kind, operand->integer);
    return passed->slot != SMC_NO_SLOT;
}

static bool decode_list(struct smc_decoder *decoder, const struct smc_operand *operand,
                        uint32_t count, bool is_result, struct smc_passed **list)
{
    *list = smc_arena_take(&decoder->program->arena, (count + 1) * sizeof **list);
    for (uint32_t i = 0; *list && i < count; i++)
        if (!decode_passed(decoder, &operand[i], is_result, &(*list)[i]))
            return false;
    return *list != NULL;
}

static bool decode_direct(struct smc_decoder *decoder, const struct smc_call *call)
{
    struct smc_program *program = decoder->program;
    const struct smc_function *callee = &program->function[call->callee - 1];
    if (!callee->is_defined && callee->library == SMC_LIBRARY_NONE)
        return smc_decode_refuse(decoder, "the function is neither in this module nor in the "
                                          "emulator's library");
    if (!smc_call_matches(call, callee))
        return smc_decode_refuse(decoder, "the function has other parameters");
    return true;
}

bool smc_decode_call(struct smc_decoder *decoder)
{
    const struct smc_ptx_call *source = decoder->statement->call;
    struct smc_program *program = decoder->program;
    struct smc_call *call = smc_arena_take(&program->arena, sizeof *call);
    uint32_t address = 0;
    if (!source)
        return smc_decode_refuse(decoder, "");
    if (!call)
        return false;
    const struct smc_operand *target = &source->target;
    bool is_direct = target->kind == SMC_OPERAND_SYMBOL && target->symbol->space == SMC_SPACE_CODE;
    if (!is_direct && target->kind != SMC_OPERAND_REGISTER)
        return smc_decode_refuse(decoder, "the function is not declared");
    call->callee = is_direct ? target->symbol->function : 0;
    call->arguments = source->arguments;
    call->results = source->results;
    if (!is_direct)
        address = smc_decode_source(decoder, target, SMC_PTX_U64);
    if (address == SMC_NO_SLOT ||
        !decode_list(decoder, source->argument, source->arguments, false, &call->argument) ||
        !decode_list(decoder, source->result, source->results, true, &call->result) ||
        (is_direct && !decode_direct(decoder, call)))
        return false;
    struct smc_op *op = smc_decode_emit(decoder);
    if (!op)
        return false;
    op->step = smc_step_call;
    op->call = call;
    op->a = address;
    op->reconverge_at = (uint32_t)program->ops;
    program->has_calls |= !is_direct || program->function[call->callee - 1].is_defined;
    return true;
}

bool smc_decode_ret(struct smc_decoder *decoder)
{
    struct smc_op *op = smc_decode_emit(decoder);
    if (op)
        op->step = decoder->statement->function ? smc_step_return : smc_step_exit;
    return op != NULL;
}

/* alloca.u64 d, bytes{, align}  stacksave.u64 d  stackrestore.u64 a */
bool smc_decode_alloca(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    bool allocates = smc_decode_is(decoder, "alloca"),
         restores = smc_decode_is(decoder, "stackrestore");
    enum smc_ptx_type type = smc_decode_type(decoder, 0);
    uint32_t a = 0, d = 0;
    if (!smc_decode_count(decoder, 1 + allocates, 1 + 2 * allocates))
        return false;
    if (type != SMC_PTX_U64 ||
        (allocates && decoder->statement->operands == 3 &&
         (operand[2].kind != SMC_OPERAND_INTEGER || operand[2].integer - 1 >= 65536 ||
          operand[2].integer & (operand[2].integer - 1))))
        return smc_decode_refuse(decoder, "");
    if (allocates || restores)
        a = smc_decode_source(decoder, &operand[allocates], type);
    if (!restores)
        d = smc_decode_target(decoder, &operand[0], type);
    struct smc_op *op = a != SMC_NO_SLOT && d != SMC_NO_SLOT ? smc_decode_emit(decoder) : NULL;
    if (!op)
        return false;
    op->step = allocates  ? smc_step_allocate
               : restores ? smc_step_restore_stack
                          : smc_step_save_stack;
    op->a = a;
    op->d = d;
    op->d_kind = restores ? SMC_SLOT_NONE : SMC_SLOT_64;
    op->immediate = allocates && decoder->statement->operands == 3 ? operand[2].integer : 8;
    decoder->program->has_alloca = true;
    return true;
}

/* What accesses shared memory otherwise than lane by lane, and so is not followed: calls, wgmma,
   copy engines. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/bank_walk.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/matrix.h"

static bool is_word(const struct smc_span *span, const char *word)
{
    return span->bytes == strlen(word) && memcmp(span->at, word, span->bytes) == 0;
}

/* --- Calls ------------------------------------------------------------------------------------ */

static size_t name_length(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end &&
           (at[length] == '_' || at[length] == '$' || (at[length] >= '0' && at[length] <= '9') ||
            (at[length] >= 'A' && at[length] <= 'Z') || (at[length] >= 'a' && at[length] <= 'z')))
        length++;
    return length;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (is_blank(*at) || *at == ','))
        at++;
    return at;
}

/* "call.uni (retval0), get, (param0);" */
static struct smc_span callee_in(const char *at, const char *end)
{
    while (at < end && !is_blank(*at))
        at++;
    at = skip_blanks(at, end);
    if (at < end && *at == '(') {
        const char *close = memchr(at, ')', (size_t)(end - at));
        at = close ? skip_blanks(close + 1, end) : end;
    }
    return (struct smc_span){at, name_length(at, end)};
}

struct smc_span smc_bank_callee(const struct smc_ptx_statement *statement)
{
    return callee_in(statement->opcode.at, statement->text.at + statement->text.bytes);
}

/* A function of the PTX, and whether a call of it may access shared memory, as far as it was asked.
 */
struct function {
    struct smc_span name;
    const char *body; /* from its '{' on */
    enum { UNASKED, HARMLESS, TOUCHING } verdict;
    uint32_t reached_in;   /* the number of the search that reached it last */
    struct function *next; /* of those that the search has reached, but not looked at */
};

struct callees {
    struct function *function;
    size_t count;
    uint32_t searches;
    struct function *reached;
};

/* ".func (.param .b32 r) .noreturn name (...)": the name. */
static struct smc_span name_in(const char *at, const char *end)
{
    while (at < end && (is_blank(*at) || *at == '.' || *at == '(')) {
        const char *close = *at == '(' ? memchr(at, ')', (size_t)(end - at)) : NULL;
        if (*at == '(')
            at = close ? close + 1 : end;
        else
            at += *at == '.' ? 1 + name_length(at + 1, end) : 1;
    }
    return (struct smc_span){at, name_length(at, end)};
}

/* The functions that have a body. False: out of memory. */
static bool bank_kinds_find_functions(const char *ptx, struct callees *callees)
{
    size_t room = 0;
    for (const char *at = ptx; (at = strstr(at, ".func"));) {
        const char *begin = at + strlen(".func"), *end = begin + strcspn(begin, "{;");
        at = end;
        if (*end != '{')
            continue;
        if (callees->count == room) {
            room = room ? 2 * room : 16;
            void *larger = smc_realloc(callees->function, room * sizeof *callees->function);
            if (!larger)
                return false;
            callees->function = larger;
        }
        callees->function[callees->count++] =
            (struct function){.name = name_in(begin, end), .body = end};
    }
    return true;
}

/* The end of the body, which may hold other blocks. */
static const char *bank_kinds_end_of(const char *body)
{
    int depth = 0;
    for (; *body; body++) {
        depth += *body == '{';
        depth -= *body == '}';
        if (depth == 0)
            break;
    }
    return body;
}

/* Reaches a called function. True: it may access shared memory, as it is not in the PTX, and not of
   the device's library. */
static bool is_foreign(struct callees *callees, const struct smc_span *name)
{
    static const char *const harmless[] = {"vprintf", "__assertfail", "malloc", "free"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (is_word(name, harmless[i]))
            return false;
    for (size_t i = 0; i < callees->count && name->bytes; i++) {
        struct function *function = &callees->function[i];
        if (function->name.bytes != name->bytes ||
            memcmp(function->name.at, name->at, name->bytes) != 0)
            continue;
        if (function->reached_in != callees->searches) {
            function->reached_in = callees->searches;
            function->next = callees->reached;
            callees->reached = function;
        }
        return false;
    }
    return true;
}

static bool has_part(const struct smc_span *opcode, const char *part)
{
    const size_t length = strlen(part);
    for (size_t i = 0; i + length <= opcode->bytes; i++)
        if (memcmp(opcode->at + i, part, length) == 0)
            return true;
    return false;
}

/* Whether the instruction may access shared memory. */
static bool text_touches(struct callees *callees, const char *at, const char *end)
{
    static const char *const words[] = {"ld",    "st",       "atom",     "red",  "wmma",   "cp",
                                        "wgmma", "ldmatrix", "stmatrix", "call", "tcgen05"};
    static const char *const others[] = {".global", ".local", ".param", ".const"};
    struct smc_span opcode = {at, 0}, word = {at, 0};
    bool accesses = false, elsewhere = false;
    while (at + opcode.bytes < end && !is_blank(at[opcode.bytes]))
        opcode.bytes++;
    while (word.bytes < opcode.bytes && at[word.bytes] != '.')
        word.bytes++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        accesses |= is_word(&word, words[i]);
    if (accesses && is_word(&word, "call")) {
        const struct smc_span callee = callee_in(at, end);
        return is_foreign(callees, &callee);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        elsewhere |= has_part(&opcode, others[i]);
    return accesses && (!elsewhere || has_part(&opcode, ".shared"));
}

static bool body_touches(struct callees *callees, const char *at)
{
    for (const char *end = bank_kinds_end_of(at), *stop; at < end; at = stop) {
        at += strspn(at, " \t\r\n{};");
        if (*at == '@') /* a guard */
            at += strcspn(at, " \t\n");
        at += strspn(at, " \t");
        stop = at + strcspn(at, strncmp(at, "call", 4) == 0 ? ";" : ";\n{}");
        stop = stop < end ? stop : end;
        if (at < stop && text_touches(callees, at, stop))
            return true;
    }
    return false;
}

/* Whether the function, or one that it may call, may access shared memory. */
static bool callee_touches(struct callees *callees, const struct smc_span *name)
{
    callees->searches++;
    callees->reached = NULL;
    if (is_foreign(callees, name))
        return true;
    struct function *called = callees->reached;
    if (!called || called->verdict != UNASKED)
        return called && called->verdict == TOUCHING;
    called->verdict = HARMLESS;
    while (callees->reached && called->verdict == HARMLESS) {
        const struct function *function = callees->reached;
        callees->reached = function->next;
        if (body_touches(callees, function->body))
            called->verdict = TOUCHING;
    }
    return called->verdict == TOUCHING;
}

/* --- Instructions ----------------------------------------------------------------------------- */

/* Whether an instruction that is not decoded may access shared memory. */
static bool may_access(const struct smc_ptx_statement *statement)
{
    static const char *const passive[] = {"mbarrier", "fence", "cvta",
                                          "isspacep", "mapa",  "getctarank"};
    const bool is_tensor_core =
        is_word(&statement->opcode, "tcgen05") || is_word(&statement->opcode, "wgmma");
    for (size_t i = 0; i < sizeof passive / sizeof *passive; i++)
        if (is_word(&statement->opcode, passive[i]))
            return false;
    for (uint32_t i = 0; i < statement->modifiers; i++) {
        const struct smc_span *modifier = &statement->modifier[i];
        if (modifier->bytes >= 6 && memcmp(modifier->at, "shared", 6) == 0)
            return true;
        if (is_tensor_core && (is_word(modifier, "mma") || is_word(modifier, "mma_async")))
            return true;
    }
    return false;
}

/* `callees` NULL: calls are not looked at. */
static enum smc_bank_access_kind bank_kinds_kind_of(const struct smc_program *program,
                                                    struct callees *callees,
                                                    const struct smc_op *op)
{
    if (op->step == smc_step_wgmma)
        return SMC_BANK_BY_DESCRIPTOR;
    if (op->step == smc_step_bulk_copy || op->step == smc_step_tensor_copy ||
        op->step == smc_step_store_async)
        return SMC_BANK_BY_ENGINE;
    if (op->alu || (op->step && op->step != smc_step_opaque)) /* an empty kernel has no statement */
        return SMC_BANK_BY_LANES;
    const struct smc_ptx_statement *statement = &program->module.statement[op->instruction];
    if (callees && is_word(&statement->opcode, "call")) {
        const struct smc_span callee = smc_bank_callee(statement);
        return callee_touches(callees, &callee) ? SMC_BANK_BY_CALL : SMC_BANK_BY_LANES;
    }
    return may_access(statement) ? SMC_BANK_BY_UNKNOWN : SMC_BANK_BY_LANES;
}

bool smc_bank_find_kinds(const struct smc_program *program, const char *ptx, uint8_t *kind)
{
    struct callees callees = {0};
    const bool found = bank_kinds_find_functions(ptx, &callees);
    for (size_t i = 0; i < program->ops && found; i++)
        kind[i] = (uint8_t)bank_kinds_kind_of(program, &callees, &program->op[i]);
    free(callees.function);
    return found;
}

bool smc_program_by_lanes_alone(const struct smc_program *program)
{
    for (size_t i = 0; i < program->ops; i++)
        if (bank_kinds_kind_of(program, NULL, &program->op[i]) != SMC_BANK_BY_LANES)
            return false;
    return true;
}

/* What accesses shared memory otherwise than lane by lane, and so is not followed: calls, wgmma,
   copy engines. */
#include <string.h>

#include "emulator/bank_walk.h"
#include "emulator/matrix.h"
#include "emulator/operations.h"

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

/* The body of the function in the PTX, from its '{' on; NULL: it has none. */
static const char *body_of(const char *ptx, const struct smc_span *name)
{
    for (const char *at = ptx; (at = strstr(at, ".func"));) {
        const char *word = at + strlen(".func"), *end = word + strcspn(word, "{;");
        for (at = end; word < end && *end == '{'; word++) {
            const size_t length = name_length(word, end);
            if (length && length == name->bytes && memcmp(word, name->at, length) == 0)
                return end;
            word += length;
        }
    }
    return NULL;
}

/* The end of the body, which may hold other blocks. */
static const char *end_of(const char *body)
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

enum { MOST_CALLS = 16 };

static bool callee_touches(const char *ptx, const struct smc_span *name, int depth);

static bool has_part(const struct smc_span *opcode, const char *part)
{
    const size_t length = strlen(part);
    for (size_t i = 0; i + length <= opcode->bytes; i++)
        if (memcmp(opcode->at + i, part, length) == 0)
            return true;
    return false;
}

/* Whether the instruction may access shared memory. */
static bool text_touches(const char *ptx, const char *at, const char *end, int depth)
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
        return callee_touches(ptx, &callee, depth + 1);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        elsewhere |= has_part(&opcode, others[i]);
    return accesses && (!elsewhere || has_part(&opcode, ".shared"));
}

/* Whether the function, or one that it calls, may access shared memory: one that is not in the PTX
   may, except for those of the device's library. */
static bool callee_touches(const char *ptx, const struct smc_span *name, int depth)
{
    static const char *const harmless[] = {"vprintf", "__assertfail", "malloc", "free"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (is_word(name, harmless[i]))
            return false;
    const char *at = name->bytes && depth < MOST_CALLS ? body_of(ptx, name) : NULL;
    if (!at)
        return true;
    for (const char *end = end_of(at), *stop; at < end; at = stop) {
        at += strspn(at, " \t\r\n{};");
        if (*at == '@') /* a guard */
            at += strcspn(at, " \t\n");
        at += strspn(at, " \t");
        stop = at + strcspn(at, strncmp(at, "call", 4) == 0 ? ";" : ";\n{}");
        stop = stop < end ? stop : end;
        if (at < stop && text_touches(ptx, at, stop, depth))
            return true;
    }
    return false;
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

/* `ptx`: where called functions are; NULL: calls are not looked at. */
static enum smc_bank_access_kind kind_of(const struct smc_program *program, const char *ptx,
                                         const struct smc_op *op)
{
    if (op->step == smc_step_wgmma)
        return SMC_BANK_BY_DESCRIPTOR;
    if (op->step == smc_step_bulk_copy || op->step == smc_step_tensor_copy ||
        op->step == smc_step_store_async || op->step == smc_step_reduce_async)
        return SMC_BANK_BY_ENGINE;
    if (op->alu || (op->step && op->step != smc_step_opaque)) /* an empty kernel has no statement */
        return SMC_BANK_BY_LANES;
    const struct smc_ptx_statement *statement = &program->module.statement[op->instruction];
    if (ptx && is_word(&statement->opcode, "call")) {
        const struct smc_span callee = smc_bank_callee(statement);
        return callee_touches(ptx, &callee, 0) ? SMC_BANK_BY_CALL : SMC_BANK_BY_LANES;
    }
    return may_access(statement) ? SMC_BANK_BY_UNKNOWN : SMC_BANK_BY_LANES;
}

void smc_bank_find_kinds(const struct smc_program *program, const char *ptx, uint8_t *kind)
{
    for (size_t i = 0; i < program->ops; i++)
        kind[i] = (uint8_t)kind_of(program, ptx, &program->op[i]);
}

bool smc_program_by_lanes_alone(const struct smc_program *program)
{
    for (size_t i = 0; i < program->ops; i++)
        if (kind_of(program, NULL, &program->op[i]) != SMC_BANK_BY_LANES)
            return false;
    return true;
}

/* Which sums ptxas fuses with a product. PTX leaves open whether `mul` and a later `add` or `sub`,
   both without a rounding (.rn), are rounded twice or become one fused multiply-add; ptxas decides.
   What follows is what ptxas 13.5 did for sm_75, sm_90 and sm_120 in some 200 small PTX programs
   whose machine code was read, and ptxas 13.0 and sm_80 in a part of them. They did not differ,
   except that sm_75 expands atom.acq_rel. tests/machine/test_contract.c has a selection.

   1. A product is a mul of f32, f64, f16, bf16, their pairs or f32x2, without a rounding, .sat or a
      guard. mov and neg without a guard pass it on (neg.bf16x2 does not), so that c - a*b,
      -(a*b) + c and a*b - c are fused as well.
   2. It can be fused if each of its uses is an operand of an add or sub in the same basic block, of
      the same type, without a rounding, and with .ftz if the mul has it. The sum may have .sat or a
      guard. Any other use keeps all its sums apart: a store, a comparison, another mul, an fma, a
      selp, abs, an add.rn, x + x, a use in another block, or a guarded instruction that overwrites
      it.
   3. If both operands of a sum are products, a product with one use is preferred to one with
      several, then the first operand. The other product is rounded, and its other sums are no
      longer fused, if they were not fused before. Products with one use are fused first, then the
      others, each in the order of the sums. A product that is fused with several sums is computed
      in each.
   4. The uses of a product of f32 or f64 may be in any block if one of its factors is a constant:
      an immediate, a parameter of the kernel, a constant variable at an address without a register,
      or what mov and neg make of one. It is then computed where it is added.
   5. A basic block ends at branches, at labels that another branch leads to, and at what ptxas
      expands into branches or calls: see ends_block. A barrier does not end it.

   What ptxas changes before it fuses is not known here: it unrolls loops, and then fuses a product
   of one iteration with a sum of the next, and removes branches on constants. Registers that are
   written more than once are followed within a block only. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/decode.h"

enum { MOST_USES = 256 };
enum { NONE = 0, SEVERAL = INT32_MAX }; /* instead of a statement's index + 1 */

enum role { OTHER, PRODUCT, SUM, NEGATION, COPY };

struct contract_node { /* of each statement; other statements are given by their index + 1 */
    enum role role;
    enum smc_ptx_type type;
    bool flushes, ends_block;
    uint32_t entries;    /* branches that lead here */
    uint32_t from;       /* the last of them that has no guard */
    uint32_t head;       /* of its block */
    uint32_t tail;       /* of a head */
    uint32_t next;       /* in the block */
    uint32_t product[2]; /* of a sum: which product operands 1 and 2 hold */
    bool negated[2];
    uint32_t uses, left; /* of a product that can be fused: all, and not fused yet */
    bool is_addend;      /* it is added to another product */
    bool anywhere;       /* it is added in any block; its factors are written once */
    uint32_t passes_on;  /* of mov and neg: a product */
};

struct use {
    uint32_t statement;
    unsigned operand;
    bool negated;
};

struct pass {
    struct smc_decoder *decoder;
    const struct smc_ptx_statement *statement;
    uint32_t count;
    struct contract_node *node;
    uint32_t *reads;  /* by register: how often it is a source */
    uint32_t *writer; /* by register: the statement that writes it, + 1; NONE or SEVERAL */
    struct use use[MOST_USES];
    uint32_t passing[MOST_USES];
    uint32_t uses, passings;
    bool anywhere; /* uses are looked for in all blocks */
};

/* --- Statements ------------------------------------------------------------------------------- */

static bool is_one_of(struct smc_span opcode, const char *const *names)
{
    for (; *names; names++)
        if (smc_span_is(opcode, *names))
            return true;
    return false;
}

static bool has_rounding(const struct smc_decoder *decoder)
{
    return smc_decode_has(decoder, "rn") || smc_decode_has(decoder, "rz") ||
           smc_decode_has(decoder, "rm") || smc_decode_has(decoder, "rp");
}

static bool is_plain(const struct smc_operand *operand)
{
    return operand->kind == SMC_OPERAND_REGISTER && !operand->selector.bytes && !operand->second;
}

static bool can_fuse(enum smc_ptx_type type)
{
    return smc_ptx_is_half(type) || type == SMC_PTX_F32 || type == SMC_PTX_F64 ||
           type == SMC_PTX_F32X2;
}

static enum role role_of(const struct smc_decoder *decoder, enum smc_ptx_type type)
{
    const struct smc_ptx_statement *statement = decoder->statement;
    bool is_guarded = statement->guard != NULL;
    if (statement->operands < 2 || !is_plain(&statement->operand[0]))
        return OTHER;
    if (smc_decode_is(decoder, "mov"))
        return !is_guarded && statement->operands == 2 && is_plain(&statement->operand[1]) &&
                       smc_slot_kind_of(statement->operand[0].type) ==
                           smc_slot_kind_of(statement->operand[1].type)
                   ? COPY
                   : OTHER;
    if (!can_fuse(type) || smc_decode_type(decoder, 1) != SMC_PTX_TYPE_COUNT ||
        has_rounding(decoder))
        return OTHER;
    if (smc_decode_is(decoder, "neg"))
        return !is_guarded && statement->operands == 2 && type != SMC_PTX_BF16X2 ? NEGATION : OTHER;
    if (statement->operands != 3)
        return OTHER;
    if (smc_decode_is(decoder, "mul"))
        return !is_guarded && !smc_decode_has(decoder, "sat") ? PRODUCT : OTHER;
    return smc_decode_is(decoder, "add") || smc_decode_is(decoder, "sub") ? SUM : OTHER;
}

/* Integer division by a variable or a constant, but not of u32. */
static bool is_integer_division(const struct smc_decoder *decoder, enum smc_ptx_type type)
{
    return (smc_decode_is(decoder, "div") || smc_decode_is(decoder, "rem")) &&
           type < SMC_PTX_TYPE_COUNT && smc_ptx_type_info[type].class != SMC_CLASS_FLOAT &&
           type != SMC_PTX_U32;
}

/* These become a loop around a compare-and-swap. */
static bool is_atomic_loop(const struct smc_decoder *decoder, enum smc_ptx_type type)
{
    return (smc_decode_is(decoder, "atom") || smc_decode_is(decoder, "red")) &&
           smc_decode_has(decoder, "add") && !smc_decode_has(decoder, "global") &&
           type == SMC_PTX_F32;
}

/* Whether the statement ends its basic block in ptxas. With a guard, arithmetic is predicated; what
   has another effect becomes a branch around it. */
static bool ends_block(const struct smc_decoder *decoder, enum smc_ptx_type type)
{
    static const char *const always[] = {"call",   "bra",   "brx",     "ret", "exit",
                                         "membar", "brkpt", "pmevent", NULL};
    static const char *const rounded[] = {"div", "rcp", "sqrt", NULL};
    static const char *const effects[] = {
        "ld",      "ldu",           "st",         "atom",     "red",       "cp",        "bar",
        "barrier", "shfl",          "trap",       "prefetch", "prefetchu", "match",     "redux",
        "elect",   "ldmatrix",      "stmatrix",   "mma",      "wmma",      "nanosleep", "fence",
        "discard", "applypriority", "setmaxnreg", NULL};
    const struct smc_ptx_statement *statement = decoder->statement;
    struct smc_span opcode = statement->opcode;
    if (statement->ends_body || is_one_of(opcode, always) ||
        (is_one_of(opcode, rounded) && has_rounding(decoder)) ||
        (smc_span_is(opcode, "rsqrt") && type == SMC_PTX_F64 && !smc_decode_has(decoder, "ftz")) ||
        (smc_span_is(opcode, "fence") &&
         (smc_decode_has(decoder, "acq_rel") || smc_decode_has(decoder, "sc"))) ||
        is_integer_division(decoder, type) || is_atomic_loop(decoder, type))
        return true;
    return statement->guard && is_one_of(opcode, effects) &&
           !(smc_span_is(opcode, "ld") && smc_decode_has(decoder, "param"));
}

static bool falls_through(const struct smc_ptx_statement *statement)
{
    static const char *const leaves[] = {"bra", "brx", "ret", "exit", NULL};
    return !statement->ends_body && (statement->guard || !is_one_of(statement->opcode, leaves));
}

/* --- Registers -------------------------------------------------------------------------------- */

static uint32_t mentions(const struct smc_operand *operand, uint32_t number)
{
    uint32_t found = operand->kind == SMC_OPERAND_REGISTER && operand->number == number;
    for (uint32_t i = 0; i < operand->elements; i++)
        found += mentions(&operand->element[i], number);
    return found + (operand->second ? mentions(operand->second, number) : 0);
}

typedef void note(struct pass *pass, uint32_t number, uint32_t at);

static void note_read(struct pass *pass, uint32_t number, uint32_t at)
{
    (void)at;
    pass->reads[number]++;
}

static void note_write(struct pass *pass, uint32_t number, uint32_t at)
{
    pass->writer[number] = pass->writer[number] == NONE ? at + 1 : SEVERAL;
}

/* Notes every register of the operand, which statement `at` reads or writes. */
static void note_in(struct pass *pass, const struct smc_operand *operand, uint32_t at, note *noted)
{
    if (operand->kind == SMC_OPERAND_REGISTER)
        noted(pass, operand->number, at);
    for (uint32_t i = 0; i < operand->elements; i++)
        note_in(pass, &operand->element[i], at, noted);
    if (operand->second)
        note_in(pass, operand->second, at, noted);
}

/* The first operand that is a source. */
static uint32_t first_source(const struct smc_ptx_statement *statement)
{
    static const char *const without_target[] = {"bar", "barrier", "brx", "nanosleep", NULL};
    return statement->operands == 0 || statement->operand[0].kind == SMC_OPERAND_ADDRESS ||
                   is_one_of(statement->opcode, without_target)
               ? 0
               : 1;
}

static uint32_t reads_of(const struct smc_ptx_statement *statement, uint32_t number)
{
    uint32_t found = 0;
    for (uint32_t i = first_source(statement); i < statement->operands; i++)
        found += mentions(&statement->operand[i], number);
    const struct smc_ptx_call *call = statement->call;
    for (uint32_t i = 0; call && i < call->arguments; i++)
        found += mentions(&call->argument[i], number);
    return found + (call ? mentions(&call->target, number) : 0);
}

static void note_reads(struct pass *pass, uint32_t at)
{
    const struct smc_ptx_statement *statement = &pass->statement[at];
    for (uint32_t i = first_source(statement); i < statement->operands; i++)
        note_in(pass, &statement->operand[i], at, note_read);
    const struct smc_ptx_call *call = statement->call;
    for (uint32_t i = 0; call && i < call->arguments; i++)
        note_in(pass, &call->argument[i], at, note_read);
    if (call)
        note_in(pass, &call->target, at, note_read);
}

static void note_writes(struct pass *pass, uint32_t at)
{
    const struct smc_ptx_statement *statement = &pass->statement[at];
    const struct smc_ptx_call *call = statement->call;
    const struct smc_operand *target = first_source(statement) == 1 ? &statement->operand[0] : NULL;
    uint32_t targets = target ? 1 : 0;
    if (call) {
        target = call->result;
        targets = call->results;
    }
    for (uint32_t i = 0; i < targets; i++)
        note_in(pass, &target[i], at, note_write);
}

static bool contract_writes(const struct smc_ptx_statement *statement, uint32_t number)
{
    if (first_source(statement) == 1 && mentions(&statement->operand[0], number))
        return true;
    const struct smc_ptx_call *call = statement->call;
    for (uint32_t i = 0; call && i < call->results; i++)
        if (mentions(&call->result[i], number))
            return true;
    return false;
}

/* --- Basic blocks ----------------------------------------------------------------------------- */

static void note_branch(struct pass *pass, uint32_t at, struct smc_span name, bool is_plain_branch)
{
    const struct smc_ptx_module *module = &pass->decoder->program->module;
    const struct smc_ptx_label *label = smc_ptx_find_label(module, name, pass->statement[at].scope);
    if (label && label->targets && !is_plain_branch) {
        for (uint32_t i = 0; i < label->targets; i++)
            note_branch(pass, at, label->target[i], false);
    } else if (label && !label->targets && label->statement < pass->count) {
        struct contract_node *target = &pass->node[label->statement];
        target->entries++;
        target->from = is_plain_branch ? at + 1 : NONE;
    }
}

static void find_branches(struct pass *pass)
{
    for (uint32_t i = 0; i < pass->count; i++) {
        const struct smc_ptx_statement *statement = &pass->statement[i];
        if (smc_span_is(statement->opcode, "bra") && statement->operands > 0)
            note_branch(pass, i, statement->operand[0].name, !statement->guard);
        else if (smc_span_is(statement->opcode, "brx") && statement->operands > 1)
            note_branch(pass, i, statement->operand[1].name, false);
    }
}

/* The statement after which, in the same block, statement `at` comes; NONE: it begins a block. */
static uint32_t block_before(const struct pass *pass, uint32_t at)
{
    const struct contract_node *node = &pass->node[at];
    if (at == 0 || pass->statement[at].function != pass->statement[at - 1].function)
        return NONE;
    bool falls = falls_through(&pass->statement[at - 1]);
    if (node->entries == 0)
        return falls && !node[-1].ends_block ? at : NONE;
    /* The only way here is one jump, from further up. */
    return node->entries == 1 && !falls && node->from != NONE && node->from <= at ? node->from
                                                                                  : NONE;
}

static void find_blocks(struct pass *pass)
{
    for (uint32_t i = 0; i < pass->count; i++) {
        struct contract_node *node = pass->node;
        uint32_t before = block_before(pass, i);
        node[i].head = before == NONE ? i + 1 : node[before - 1].head;
        struct contract_node *head = &node[node[i].head - 1];
        if (before != NONE)
            node[head->tail - 1].next = i + 1;
        head->tail = i + 1;
    }
}

/* --- Products --------------------------------------------------------------------------------- */

/* ld of a constant variable or a parameter of the kernel, at an address without a register. */
static bool loads_constant(const struct smc_ptx_statement *statement)
{
    const struct smc_operand *address = &statement->operand[1];
    struct smc_span space = statement->modifiers ? statement->modifier[0] : (struct smc_span){0};
    return (smc_span_is(space, "const") ||
            (smc_span_is(space, "param") && statement->function == 0)) &&
           address->kind == SMC_OPERAND_ADDRESS && address->elements > 0 &&
           address->element[0].kind == SMC_OPERAND_SYMBOL;
}

/* Whether exactly one statement writes the register. */
static bool is_written_once(const struct pass *pass, uint32_t number)
{
    return pass->writer[number] != NONE && pass->writer[number] != SEVERAL;
}

/* An immediate, or what a register has throughout that is written once, from a constant. */
static bool contract_is_constant(const struct pass *pass, const struct smc_operand *operand)
{
    for (;;) {
        if (operand->kind == SMC_OPERAND_FLOAT || operand->kind == SMC_OPERAND_INTEGER)
            return true;
        if (!is_plain(operand) || !is_written_once(pass, operand->number))
            return false;
        const uint32_t writer = pass->writer[operand->number] - 1;
        const struct smc_ptx_statement *statement = &pass->statement[writer];
        if (statement->guard || statement->operands != 2)
            return false;
        operand = &statement->operand[1];
        if (smc_span_is(statement->opcode, "ld"))
            return loads_constant(statement);
        if (!smc_span_is(statement->opcode, "mov") && !smc_span_is(statement->opcode, "neg"))
            return false;
        if (is_plain(operand) && pass->writer[operand->number] > writer)
            return false;
    }
}

/* Whether the product may be added in any block. Its factors are the same wherever it is. */
static bool is_added_anywhere(const struct pass *pass, uint32_t at)
{
    const struct smc_operand *operand = pass->statement[at].operand;
    if (pass->node[at].type != SMC_PTX_F32 && pass->node[at].type != SMC_PTX_F64)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (operand[i].kind == SMC_OPERAND_REGISTER &&
            (!is_plain(&operand[i]) || !is_written_once(pass, operand[i].number)))
            return false;
    return contract_is_constant(pass, &operand[1]) || contract_is_constant(pass, &operand[2]);
}

static bool contract_find_uses(struct pass *pass, uint32_t product, uint32_t at, bool negated);

/* The statement reads the register: whether it is a use that can be fused, or passes it on. */
static bool take_use(struct pass *pass, uint32_t product, uint32_t at, uint32_t number,
                     bool negated)
{
    const struct contract_node *node = &pass->node[at], *root = &pass->node[product];
    const struct smc_ptx_statement *statement = &pass->statement[at];
    bool is_same = node->type == root->type && node->flushes == root->flushes;
    bool can_negate = node->type == root->type && (!node->flushes || root->flushes);
    if (reads_of(statement, number) > 1 ||
        (statement->guard && mentions(&statement->operand[0], number)))
        return false;
    if (node->role == SUM && is_same && pass->uses < MOST_USES) {
        unsigned operand = mentions(&statement->operand[1], number) ? 1 : 2;
        for (uint32_t i = 0; i < pass->uses; i++)
            if (pass->use[i].statement == at)
                return false; /* x + x */
        pass->use[pass->uses++] = (struct use){at, operand, negated};
        return is_plain(&statement->operand[operand]);
    }
    bool passes = node->role == COPY || (node->role == NEGATION && can_negate);
    if (!passes || pass->passings == MOST_USES)
        return false;
    pass->passing[pass->passings++] = at;
    return contract_find_uses(pass, product, at, negated != (node->role == NEGATION));
}

/* The same in all blocks: each use comes after the only statement that writes the register. */
static bool find_uses_anywhere(struct pass *pass, uint32_t product, uint32_t at, bool negated)
{
    uint32_t number = pass->statement[at].operand[0].number, found = 0;
    if (!is_written_once(pass, number))
        return false;
    for (uint32_t i = at + 1; i < pass->count && found < pass->reads[number]; i++) {
        uint32_t reads = reads_of(&pass->statement[i], number);
        found += reads;
        if (reads && !take_use(pass, product, i, number, negated))
            return false;
    }
    return found == pass->reads[number];
}

/* Finds all uses of what statement `at` writes; false: not all of them can be fused. */
static bool contract_find_uses(struct pass *pass, uint32_t product, uint32_t at, bool negated)
{
    if (pass->anywhere)
        return find_uses_anywhere(pass, product, at, negated);
    uint32_t number = pass->statement[at].operand[0].number, found = 0;
    uint32_t total = pass->reads[number] - reads_of(&pass->statement[at], number);
    for (uint32_t i = pass->node[at].next; i != NONE && found < total; i = pass->node[i - 1].next) {
        const struct smc_ptx_statement *statement = &pass->statement[i - 1];
        uint32_t reads = reads_of(statement, number);
        found += reads;
        if (reads && !take_use(pass, product, i - 1, number, negated))
            return false;
        if (contract_writes(statement, number))
            return !statement->guard;
    }
    return found == total;
}

static void find_product(struct pass *pass, uint32_t at)
{
    struct contract_node *node = pass->node;
    if (node[at].role != PRODUCT)
        return;
    pass->anywhere = is_added_anywhere(pass, at);
    pass->uses = pass->passings = 0;
    bool found = contract_find_uses(pass, at, at, false);
    if (!found && pass->anywhere) {
        pass->anywhere = false;
        pass->uses = pass->passings = 0;
        found = contract_find_uses(pass, at, at, false);
    }
    if (!found)
        return;
    node[at].anywhere = pass->anywhere;
    node[at].uses = node[at].left = pass->uses;
    for (uint32_t i = 0; i < pass->uses; i++) {
        const struct use *use = &pass->use[i];
        node[use->statement].product[use->operand - 1] = at + 1;
        node[use->statement].negated[use->operand - 1] = use->negated;
    }
    for (uint32_t i = 0; i < pass->passings; i++)
        node[pass->passing[i]].passes_on = at + 1;
}

/* --- Fusing ----------------------------------------------------------------------------------- */

/* Fuses a sum with the product that is its operand `which` + 1. */
static void fuse(struct pass *pass, uint32_t at, unsigned which)
{
    struct contract_node *node = &pass->node[at];
    bool subtracts = smc_span_is(pass->statement[at].opcode, "sub");
    pass->decoder->contraction[at] = (struct smc_contraction){
        .product = node->product[which],
        .addend = which == 0 ? 2 : 1,
        .negates_product = node->negated[which] != (subtracts && which == 1),
        .negates_addend = subtracts && which == 0,
    };
    pass->node[node->product[which] - 1].left--;
    if (node->product[1 - which] != NONE)
        pass->node[node->product[1 - which] - 1].is_addend = true;
}

static void fuse_sums(struct pass *pass, bool with_one_use)
{
    for (uint32_t i = 0; i < pass->count; i++)
        for (unsigned which = 0; which < 2; which++) {
            uint32_t product = pass->node[i].product[which];
            if (product == NONE || pass->decoder->contraction[i].product != NONE)
                continue;
            const struct contract_node *root = &pass->node[product - 1];
            if ((root->uses == 1) == with_one_use && !root->is_addend)
                fuse(pass, i, which);
        }
}

/* Marks the factors that are overwritten between a product and its sum: they are copied. */
static void keep_factors(struct pass *pass, uint32_t at)
{
    struct smc_contraction *contraction = pass->decoder->contraction;
    uint32_t product = contraction[at].product - 1;
    for (unsigned factor = 0; factor < 2; factor++) {
        const struct smc_operand *operand = &pass->statement[product].operand[1 + factor];
        if (operand->kind != SMC_OPERAND_REGISTER || pass->node[product].anywhere)
            continue;
        uint32_t from = pass->node[product].left ? product + 1 : pass->node[product].next;
        for (uint32_t i = from; i != at + 1; i = pass->node[i - 1].next)
            contraction[product].keeps[factor] |=
                contract_writes(&pass->statement[i - 1], operand->number);
    }
}

static void find_all(struct pass *pass)
{
    struct smc_contraction *contraction = pass->decoder->contraction;
    for (uint32_t i = 0; i < pass->count; i++) {
        pass->decoder->statement = &pass->statement[i];
        enum smc_ptx_type type = smc_decode_type(pass->decoder, 0);
        pass->node[i].type = type;
        pass->node[i].flushes = smc_decode_has(pass->decoder, "ftz");
        pass->node[i].role = role_of(pass->decoder, type);
        pass->node[i].ends_block = ends_block(pass->decoder, type);
        note_reads(pass, i);
        note_writes(pass, i);
    }
    find_branches(pass);
    find_blocks(pass);
    for (uint32_t i = 0; i < pass->count; i++)
        find_product(pass, i);
    fuse_sums(pass, true);
    fuse_sums(pass, false);
    for (uint32_t i = 0; i < pass->count; i++) {
        const struct contract_node *node = &pass->node[i];
        uint32_t product = node->passes_on ? node->passes_on : i + 1;
        contraction[i].is_dropped =
            pass->node[product - 1].uses > 0 && pass->node[product - 1].left == 0;
        if (contraction[i].product)
            keep_factors(pass, i);
    }
}

bool smc_find_contractions(struct smc_decoder *decoder)
{
    struct smc_program *program = decoder->program;
    const struct smc_ptx_module *module = &program->module;
    smc_auto_free struct pass *pass = smc_calloc(1, sizeof *pass);
    decoder->contraction =
        smc_arena_take(&program->arena, (module->statements + 1) * sizeof *decoder->contraction);
    if (pass) {
        *pass = (struct pass){.decoder = decoder,
                              .statement = module->statement,
                              .count = (uint32_t)module->statements};
        pass->node = smc_calloc(module->statements + 1, sizeof *pass->node);
        pass->reads = smc_calloc(module->registers + 1, sizeof *pass->reads);
        pass->writer = smc_calloc(module->registers + 1, sizeof *pass->writer);
    }
    bool done = pass && pass->node && pass->reads && pass->writer && decoder->contraction;
    if (done)
        find_all(pass);
    if (pass) {
        free(pass->node);
        free(pass->reads);
        free(pass->writer);
    }
    return done;
}

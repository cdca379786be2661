/* Instructions in the notation of nvdisasm. */
#include "machine_text.h"

#include <stdlib.h>

/* What is being written: the name with its modifiers, then operands with commas. */
struct line {
    const struct smc_sass_instruction *in;
    struct smc_text *text;
    bool has_operands;
    bool known;
};

static bool bit(const struct line *line, unsigned at)
{
    return smc_bit(line->in, at);
}

static void name(struct line *line, const char *name)
{
    smc_text_printf(line->text, "%s", name);
}

static void name_if(struct line *line, bool holds, const char *modifier)
{
    if (holds)
        name(line, modifier);
}

static void separate(struct line *line)
{
    smc_text_printf(line->text, "%s", line->has_operands ? ", " : " ");
    line->has_operands = true;
}

static void write_register(struct line *line, unsigned number, bool uniform)
{
    if (number == (uniform ? SMC_ZERO_UNIFORM : SMC_ZERO_REGISTER))
        smc_text_printf(line->text, "%s", uniform ? "URZ" : "RZ");
    else
        smc_text_printf(line->text, "%s%u", uniform ? "UR" : "R", number);
}

static void operand(struct line *line, const struct smc_sass_operand *operand, const char *minus)
{
    separate(line);
    smc_text_printf(line->text, "%s%s", operand->negated ? minus : "",
                    operand->absolute ? "|" : "");
    switch (operand->kind) {
    case SMC_OPERAND_REGISTER:
    case SMC_OPERAND_UNIFORM:
        write_register(line, operand->number, operand->kind == SMC_OPERAND_UNIFORM);
        break;
    case SMC_OPERAND_IMMEDIATE:
        smc_text_printf(line->text, "0x%x", operand->value);
        break;
    default:
        smc_text_printf(line->text, "c[0x%x][0x%x]", operand->number, operand->value);
        break;
    }
    if (operand->absolute)
        smc_text_printf(line->text, "|");
}

static void predicate_number(struct line *line, unsigned number, bool negated, bool uniform)
{
    separate(line);
    smc_text_printf(line->text, "%s%sP", negated ? "!" : "", uniform ? "U" : "");
    if (number == SMC_TRUE_PREDICATE)
        smc_text_printf(line->text, "T");
    else
        smc_text_printf(line->text, "%u", number);
}

static void predicate(struct line *line, int which)
{
    const struct smc_predicate *p = &line->in->predicate[which];
    predicate_number(line, p->number, p->negated, p->uniform);
}

static void result_predicate(struct line *line, int which)
{
    predicate_number(line, line->in->to_predicate[which], false, line->in->uniform);
}

/* Only if there is one. */
static void optional_results(struct line *line)
{
    for (int i = 0; i < 2; i++)
        if (line->in->to_predicate[i] != SMC_TRUE_PREDICATE)
            result_predicate(line, i);
}

static void number(struct line *line, uint64_t value)
{
    separate(line);
    smc_text_printf(line->text, "0x%llx", (unsigned long long)value);
}

static void sources(struct line *line, int count, const char *minus)
{
    for (int i = 0; i < count; i++)
        operand(line, &line->in->from[i], minus);
}

/* --- Integers --------------------------------------------------------------------------------- */

static void write_add(struct line *line)
{
    bool x = bit(line, 74);
    name_if(line, x, ".X");
    operand(line, &line->in->to, "");
    optional_results(line);
    sources(line, 3, x ? "~" : "-");
    if (x) {
        predicate(line, 0);
        predicate(line, 1);
    }
}

static void write_lea(struct line *line)
{
    bool high = bit(line, 80), x = bit(line, 74), sign = bit(line, 73);
    name_if(line, high, ".HI");
    name_if(line, x, ".X");
    name_if(line, sign, ".SX32");
    operand(line, &line->in->to, "");
    optional_results(line);
    sources(line, high && !sign ? 3 : 2, x ? "~" : "-");
    number(line, smc_bits(line->in, 75, 5));
    if (x)
        predicate(line, 0);
}

static void write_logic(struct line *line)
{
    name(line, ".LUT");
    name_if(line, bit(line, 80), ".PAND");
    optional_results(line);
    operand(line, &line->in->to, "");
    sources(line, 3, "-");
    number(line, smc_bits(line->in, 72, 8));
    predicate(line, 0);
}

static void write_multiply(struct line *line)
{
    enum smc_operation operation = line->in->operation;
    bool x = bit(line, 74);
    name_if(line, operation == SMC_OP_IMAD_WIDE || operation == SMC_OP_UIMAD_WIDE, ".WIDE");
    name_if(line, operation == SMC_OP_IMAD_HI, ".HI");
    name_if(line, !bit(line, 73), ".U32");
    name_if(line, x, ".X");
    operand(line, &line->in->to, "");
    optional_results(line);
    sources(line, 3, x ? "~" : "-");
    if (x)
        predicate(line, 0);
}

static void write_shift(struct line *line)
{
    static const char *const types[4] = {".S64", ".U64", ".S32", ".U32"};
    name(line, bit(line, 76) ? ".R" : ".L");
    name_if(line, bit(line, 75), ".W");
    name(line, types[smc_bits(line->in, 73, 2)]);
    name_if(line, bit(line, 80), ".HI");
    operand(line, &line->in->to, "");
    sources(line, 3, "-");
}

static void write_compare(struct line *line)
{
    static const char *const how[8] = {".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T"};
    static const char *const joins[4] = {".AND", ".OR", ".XOR", ".INVALID3"};
    bool ex = bit(line, 72);
    name(line, how[smc_bits(line->in, 76, 3)]);
    name_if(line, !bit(line, 73), ".U32");
    name(line, joins[smc_bits(line->in, 74, 2)]);
    name_if(line, ex, ".EX");
    result_predicate(line, 0);
    result_predicate(line, 1);
    sources(line, 2, "-");
    predicate(line, 0);
    if (ex)
        predicate(line, 2);
}

static void write_predicate_logic(struct line *line)
{
    name(line, ".LUT");
    result_predicate(line, 0);
    result_predicate(line, 1);
    for (int i = 0; i < 3; i++)
        predicate(line, i);
    number(line, smc_bits(line->in, 64, 3) | smc_bits(line->in, 72, 5) << 3);
    number(line, smc_bits(line->in, 16, 8));
}

static void write_select(struct line *line)
{
    bool is_float = line->in->operation == SMC_OP_FSEL;
    line->known = !is_float || line->in->from[1].kind != SMC_OPERAND_IMMEDIATE;
    name_if(line, is_float && bit(line, 80), ".FTZ");
    operand(line, &line->in->to, "");
    sources(line, 2, "-");
    predicate(line, 0);
}

static void write_minimum(struct line *line)
{
    bool adds = line->in->operation == SMC_OP_VIADDMNMX;
    bool old = line->in->operation == SMC_OP_IMNMX;
    line->known = old || (!bit(line, 73) && !bit(line, 76));
    name_if(line, !bit(line, old ? 73 : 72), ".U32");
    operand(line, &line->in->to, "");
    sources(line, adds ? 3 : 2, "-");
    predicate(line, 0);
}

/* --- Moves ------------------------------------------------------------------------------------ */

static void write_move(struct line *line)
{
    operand(line, &line->in->to, "");
    operand(line, &line->in->from[1], "-");
    if (line->in->operation == SMC_OP_MOV && smc_bits(line->in, 72, 4) != 0xf)
        number(line, smc_bits(line->in, 72, 4));
}

static const char *special_name(unsigned number)
{
    switch (number) {
    case 0x00:
        return "SR_LANEID";
    case 0x21:
        return "SR_TID.X";
    case 0x22:
        return "SR_TID.Y";
    case 0x23:
        return "SR_TID.Z";
    case 0x25:
        return "SR_CTAID.X";
    case 0x26:
        return "SR_CTAID.Y";
    case 0x27:
        return "SR_CTAID.Z";
    case 0x88:
        return "SR_CgaCtaId";
    case 0xff:
        return "SRZ";
    default:
        return NULL;
    }
}

static void write_special(struct line *line)
{
    const char *special = special_name((unsigned)smc_bits(line->in, 72, 8));
    line->known = special != NULL;
    name_if(line, line->in->operation == SMC_OP_CS2R && !bit(line, 80), ".32");
    operand(line, &line->in->to, "");
    separate(line);
    name_if(line, special != NULL, special);
}

static void write_predicates(struct line *line)
{
    static const char *const bytes[4] = {"", ".B1", ".B2", ".B3"};
    name(line, bytes[smc_bits(line->in, 76, 2)]);
    if (line->in->operation == SMC_OP_P2R)
        operand(line, &line->in->to, "");
    separate(line);
    name(line, "PR");
    sources(line, 2, "-");
}

static const char *width_name(const struct smc_sass_instruction *in)
{
    static const char *const widths[8] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128", NULL};
    return widths[smc_bits(in, 73, 3)];
}

static void write_width(struct line *line)
{
    const char *width = width_name(line->in);
    line->known &= width != NULL;
    name_if(line, width != NULL, width);
}

static void write_constant(struct line *line)
{
    const struct smc_sass_operand *from = &line->in->from[0], *at = &line->in->from[1];
    line->known = smc_bits(line->in, 78, 2) == 0 && !bit(line, 91);
    write_width(line);
    operand(line, &line->in->to, "");
    separate(line);
    smc_text_printf(line->text, "c[0x%x][", at->number);
    if (from->kind == SMC_OPERAND_REGISTER && from->number != SMC_ZERO_REGISTER)
        smc_text_printf(line->text, at->value ? "R%u+0x%x]" : "R%u]", from->number, at->value);
    else if (at->value == 0 && line->in->operation == SMC_OP_LDC)
        smc_text_printf(line->text, "RZ]");
    else
        smc_text_printf(line->text, "0x%x]", at->value);
}

static void write_shuffle(struct line *line)
{
    static const char *const how[4] = {".IDX", ".UP", ".DOWN", ".BFLY"};
    name(line, how[smc_bits(line->in, 58, 2)]);
    result_predicate(line, 0);
    operand(line, &line->in->to, "");
    sources(line, 3, "-");
}

/* --- Floating point --------------------------------------------------------------------------- */

static void write_float(struct line *line, int count)
{
    bool is_double = line->in->pipe == SMC_PIPE_FP64;
    line->known = smc_bits(line->in, 76, 4) == 0 && !(is_double && bit(line, 80));
    for (int i = 0; i < 3; i++)
        line->known &= line->in->from[i].kind != SMC_OPERAND_IMMEDIATE;
    name_if(line, bit(line, 80), ".FTZ");
    operand(line, &line->in->to, "");
    sources(line, count, "-");
}

/* --- Memory ----------------------------------------------------------------------------------- */

static void offset(struct line *line, int32_t value, bool alone)
{
    if (value == 0 && !alone)
        return;
    smc_text_printf(line->text, "%s%s0x%x", alone ? "" : "+", value < 0 ? "-" : "",
                    (unsigned)abs(value));
}

static void address(struct line *line)
{
    const struct smc_sass_instruction *in = line->in;
    static const char *const scales[4] = {"", ".X4", ".X8", ".X16"};
    bool shared = in->operation == SMC_OP_LDS || in->operation == SMC_OP_STS;
    const struct smc_sass_operand *added =
        in->from[1].kind == SMC_OPERAND_UNIFORM ? &in->from[1] : &in->from[2];
    smc_text_printf(line->text, "[");
    if (in->from[0].number == SMC_ZERO_REGISTER && (in->offset || !shared))
        line->known &= shared && added->kind != SMC_OPERAND_UNIFORM;
    if (in->from[0].number == SMC_ZERO_REGISTER && in->offset && shared) {
        offset(line, in->offset, true);
    } else if (in->from[0].number == SMC_ZERO_REGISTER && shared &&
               added->kind == SMC_OPERAND_UNIFORM) {
        write_register(line, added->number, true);
    } else {
        write_register(line, in->from[0].number, false);
        name_if(line, in->from[0].registers == 2, ".64");
        name(line, shared ? scales[smc_bits(in, 78, 2)] : "");
        if (added->kind == SMC_OPERAND_UNIFORM) {
            smc_text_printf(line->text, "+");
            write_register(line, added->number, true);
        }
        offset(line, in->offset, false);
    }
    smc_text_printf(line->text, "]");
}

static void described_address(struct line *line)
{
    bool load = line->in->operation == SMC_OP_LDG;
    separate(line);
    if (bit(line, 76)) {
        smc_text_printf(line->text, "desc[");
        write_register(line, (unsigned)smc_bits(line->in, load ? 32 : 64, 6), true);
        smc_text_printf(line->text, "]");
    } else {
        line->known &= !bit(line, 91);
    }
    address(line);
}

/* How caches treat the access is not written. */
static void write_global(struct line *line)
{
    bool load = line->in->operation == SMC_OP_LDG;
    line->known = smc_bits(line->in, 77, 4) == 0 && smc_bits(line->in, 84, 3) == 1 &&
                  bit(line, 72) && line->in->to_predicate[0] == SMC_TRUE_PREDICATE;
    if (load)
        line->known &= smc_bits(line->in, 64, 6) == 0;
    name(line, ".E");
    write_width(line);
    if (load)
        operand(line, &line->in->to, "");
    described_address(line);
    if (!load)
        operand(line, &line->in->from[1], "-");
}

static void write_shared(struct line *line)
{
    bool load = line->in->operation == SMC_OP_LDS;
    line->known = smc_bits(line->in, 72, 1) == 0 && smc_bits(line->in, 76, 2) == 0;
    write_width(line);
    if (load)
        operand(line, &line->in->to, "");
    separate(line);
    address(line);
    if (!load)
        operand(line, &line->in->from[1], "-");
}

static void write_copy(struct line *line)
{
    const struct smc_predicate *p = &line->in->predicate[0];
    line->known = smc_bits(line->in, 77, 4) == 0 && smc_bits(line->in, 82, 5) == 4 &&
                  smc_bits(line->in, 71, 2) == 0 && bit(line, 76);
    name(line, ".E");
    name_if(line, !bit(line, 81), ".BYPASS");
    write_width(line);
    separate(line);
    smc_text_printf(line->text, "[");
    write_register(line, line->in->copy_to.number, false);
    offset(line, line->in->copy_offset, false);
    smc_text_printf(line->text, "]");
    described_address(line);
    if (p->number != SMC_TRUE_PREDICATE || p->negated)
        predicate(line, 0);
}

/* --- Control ---------------------------------------------------------------------------------- */

static void optional_predicate(struct line *line)
{
    const struct smc_predicate *p = &line->in->predicate[0];
    if (p->number != SMC_TRUE_PREDICATE || p->negated)
        predicate(line, 0);
}

static void write_control(struct line *line)
{
    enum smc_operation operation = line->in->operation;
    bool jumps = operation == SMC_OP_BRA;
    if (jumps)
        line->known = smc_bits(line->in, 32, 2) == 0 && smc_bits(line->in, 85, 2) == 0;
    if (operation == SMC_OP_CALL)
        line->known = false;
    if (operation == SMC_OP_EXIT)
        line->known = smc_bits(line->in, 84, 3) == 0;
    optional_predicate(line);
    if (operation == SMC_OP_BSSY || operation == SMC_OP_BSYNC || operation == SMC_OP_BREAK) {
        separate(line);
        smc_text_printf(line->text, "B%u", (unsigned)smc_bits(line->in, 16, 4));
    }
    if (jumps || operation == SMC_OP_BSSY) {
        separate(line);
        smc_text_printf(line->text, "%s0x%llx", line->in->target < 0 ? "-" : "",
                        (unsigned long long)llabs((long long)line->in->target));
    }
}

static void write_rest(struct line *line)
{
    switch (line->in->operation) {
    case SMC_OP_IABS:
        operand(line, &line->in->to, "");
        operand(line, &line->in->from[1], "-");
        return;
    case SMC_OP_PRMT:
    case SMC_OP_UPRMT:
        line->known = smc_bits(line->in, 72, 3) == 0;
        operand(line, &line->in->to, "");
        sources(line, 3, "-");
        return;
    case SMC_OP_VIADD:
        line->known = smc_bits(line->in, 72, 4) == 0;
        operand(line, &line->in->to, "");
        sources(line, 2, "-");
        return;
    case SMC_OP_R2UR:
    case SMC_OP_R2UR_OLD:
        line->known = line->in->to_predicate[0] == SMC_TRUE_PREDICATE && !bit(line, 84);
        operand(line, &line->in->to, "");
        sources(line, 1, "-");
        return;
    case SMC_OP_NOP:
    case SMC_OP_LDGDEPBAR:
        return;
    default:
        line->known = false;
        return;
    }
}

static void write_operation(struct line *line)
{
    switch (line->in->operation) {
    case SMC_OP_IADD3:
    case SMC_OP_UIADD3:
        write_add(line);
        return;
    case SMC_OP_LEA:
    case SMC_OP_ULEA:
        write_lea(line);
        return;
    case SMC_OP_LOP3:
    case SMC_OP_ULOP3:
        write_logic(line);
        return;
    case SMC_OP_IMAD:
    case SMC_OP_IMAD_WIDE:
    case SMC_OP_IMAD_HI:
    case SMC_OP_UIMAD:
    case SMC_OP_UIMAD_WIDE:
        write_multiply(line);
        return;
    case SMC_OP_SHF:
    case SMC_OP_USHF:
        write_shift(line);
        return;
    case SMC_OP_ISETP:
    case SMC_OP_UISETP:
        write_compare(line);
        return;
    case SMC_OP_PLOP3:
    case SMC_OP_UPLOP3:
        write_predicate_logic(line);
        return;
    case SMC_OP_SEL:
    case SMC_OP_USEL:
    case SMC_OP_FSEL:
        write_select(line);
        return;
    case SMC_OP_IMNMX:
    case SMC_OP_VIMNMX:
    case SMC_OP_VIADDMNMX:
        write_minimum(line);
        return;
    case SMC_OP_MOV:
    case SMC_OP_UMOV:
        write_move(line);
        return;
    case SMC_OP_CS2R:
    case SMC_OP_S2R:
    case SMC_OP_S2UR:
        write_special(line);
        return;
    case SMC_OP_P2R:
    case SMC_OP_R2P:
        write_predicates(line);
        return;
    case SMC_OP_LDC:
    case SMC_OP_ULDC:
        write_constant(line);
        return;
    case SMC_OP_SHFL:
        write_shuffle(line);
        return;
    case SMC_OP_FADD:
    case SMC_OP_DADD:
    case SMC_OP_DMUL:
        write_float(line, 2);
        return;
    case SMC_OP_FFMA:
    case SMC_OP_DFMA:
        write_float(line, 3);
        return;
    case SMC_OP_LDG:
    case SMC_OP_STG:
        write_global(line);
        return;
    case SMC_OP_LDS:
    case SMC_OP_STS:
        write_shared(line);
        return;
    case SMC_OP_LDGSTS:
        write_copy(line);
        return;
    case SMC_OP_BRA:
    case SMC_OP_BSSY:
    case SMC_OP_BSYNC:
    case SMC_OP_BREAK:
    case SMC_OP_EXIT:
        write_control(line);
        return;
    default:
        write_rest(line);
        return;
    }
}

bool smc_instruction_write(const struct smc_sass_instruction *in, struct smc_text *text)
{
    struct smc_text whole = {0};
    struct line line = {.in = in, .text = &whole, .known = true};
    const struct smc_predicate *guard = &in->guard;
    if (guard->number != SMC_TRUE_PREDICATE || guard->negated) {
        smc_text_printf(text, "@%s%sP", guard->negated ? "!" : "", guard->uniform ? "U" : "");
        if (guard->number == SMC_TRUE_PREDICATE)
            smc_text_printf(text, "T ");
        else
            smc_text_printf(text, "%u ", guard->number);
    }
    /* The form of ERRBAR names its scope. */
    bool of_cluster = in->operation == SMC_OP_ERRBAR && smc_bits(in, 9, 3) == 2;
    smc_text_printf(text, "%s%s", of_cluster ? "CGA" : "", smc_operation_name(in->operation));
    if (in->operation == SMC_OP_UNKNOWN) {
        smc_text_printf(text, " 0x%llx", (unsigned long long)(in->low & 0xfff));
        return false;
    }
    write_operation(&line);
    if (line.known)
        smc_text_printf(text, "%s", smc_text_string(&whole));
    smc_text_free(&whole);
    return line.known;
}

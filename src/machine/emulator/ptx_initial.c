/* The initial values of a PTX module's variables: numbers, and addresses of variables, which are
   written when all variables have their places. */
#include <string.h>

#include "machine/emulator/ptx_reader.h"
#include "machine/narrow.h"

enum { MAX_INITIAL_DEPTH = 64 };
static const uint64_t max_initial_bytes = UINT64_C(1) << 28;

static bool ptx_initial_read_value(struct reader *reader, enum smc_ptx_type type, uint64_t *bits)
{
    bool is_single = false, negative = accept(reader, "-");
    struct smc_span text = reader->token.text;
    if (reader->token.kind != SMC_TOKEN_NUMBER)
        return complain(reader, "the initial value '%.*s' is not supported",
                        (int)(text.bytes < 40 ? text.bytes : 40), text.at);
    if (smc_ptx_type_info[type].class == SMC_CLASS_FLOAT &&
        smc_ptx_float_of(text, bits, &is_single)) {
        if (type == SMC_PTX_F32 && !is_single) {
            const double value = smc_double_of_bits(*bits);
            *bits = smc_bits_of_float((float)(negative ? -value : value));
        } else if (negative) {
            *bits ^= UINT64_C(1) << (is_single ? 31 : 63);
        }
    } else if (!smc_ptx_number_of(text, bits)) {
        return complain(reader, "the initial value '%.*s' is not a number",
                        (int)(text.bytes < 40 ? text.bytes : 40), text.at);
    } else if (negative) {
        *bits = -*bits;
    }
    advance(reader);
    return true;
}

/* name, name+8, generic(name), generic(name)+8, generic(name+8): the address of a variable or a
   function. It is written when the variables have their places. */
static bool ptx_initial_read_reference(struct reader *reader, struct smc_ptx_reference *reference)
{
    uint64_t offset = 0;
    reference->line = reader->token.line;
    reference->is_generic = accept(reader, "generic");
    if ((reference->is_generic && !expect(reader, "(")) || !read_name(reader, &reference->name) ||
        !read_offset(reader, &reference->offset) ||
        (reference->is_generic && !expect(reader, ")")) || !read_offset(reader, &offset))
        return false;
    reference->offset += offset;
    return true;
}

static bool is_mask(uint64_t mask, uint32_t *shift)
{
    for (*shift = 0; *shift < 64; *shift += 8)
        if (mask == UINT64_C(0xff) << *shift)
            return true;
    return false;
}

/* An address, or one byte of it: 0xFF00(generic(name)). */
static bool fill_reference(struct reader *reader, struct smc_ptx_symbol *symbol, uint64_t place)
{
    struct smc_ptx_reference *reference = smc_arena_take(&reader->module->arena, sizeof *reference);
    uint64_t mask;
    if (!reference)
        return out_of_memory(reader);
    *reference = (struct smc_ptx_reference){
        .place = place, .bytes = smc_ptx_type_info[symbol->type].bytes, .next = symbol->reference};
    symbol->reference = reference;
    if (reader->token.kind != SMC_TOKEN_NUMBER)
        return ptx_initial_read_reference(reader, reference);
    return smc_ptx_number_of(reader->token.text, &mask) && is_mask(mask, &reference->shift) &&
           (advance(reader), expect(reader, "(")) &&
           ptx_initial_read_reference(reader, reference) && expect(reader, ")");
}

static bool at_reference(const struct reader *reader)
{
    struct smc_lexer ahead = reader->lexer;
    uint64_t mask;
    uint32_t shift;
    return reader->token.kind == SMC_TOKEN_WORD ||
           (reader->token.kind == SMC_TOKEN_NUMBER &&
            smc_span_is(smc_lexer_next(&ahead).text, "(") &&
            smc_ptx_number_of(reader->token.text, &mask) && is_mask(mask, &shift));
}

static bool ptx_initial_fill(struct reader *reader, struct smc_ptx_symbol *symbol, uint8_t *initial,
                             uint64_t *place)
{
    uint64_t bits, bytes = smc_ptx_type_info[symbol->type].bytes;
    if (!accept(reader, "{")) {
        bool is_reference = at_reference(reader);
        if (bytes > sizeof bits || *place + bytes > symbol->bytes)
            return complain(reader, "too many initial values");
        if (is_reference ? !fill_reference(reader, symbol, *place)
                         : !ptx_initial_read_value(reader, symbol->type, &bits))
            return false;
        if (!is_reference)
            memcpy(initial + *place, &bits, bytes);
        *place += bytes;
        return true;
    }
    if (++reader->depth > MAX_INITIAL_DEPTH)
        return complain(reader, "initial values are nested too deeply");
    while (!accept(reader, "}")) {
        if (!ptx_initial_fill(reader, symbol, initial, place))
            return false;
        if (!accept(reader, ",") && !at_token(reader, "}"))
            return complain(reader, "',' or '}' expected");
    }
    reader->depth--;
    return true;
}

bool smc_ptx_read_initial(struct reader *reader, struct smc_ptx_symbol *symbol)
{
    uint64_t place = 0;
    if (symbol->bytes > max_initial_bytes)
        return complain(reader, "the variable is too large");
    symbol->initial = smc_arena_take(&reader->module->arena, symbol->bytes + 1);
    return symbol->initial && ptx_initial_fill(reader, symbol, symbol->initial, &place);
}

/* --- What they refer to ----------------------------------------------------------------------- */

struct smc_ptx_symbol *smc_ptx_referenced(const struct smc_ptx_module *module,
                                          const struct smc_ptx_reference *reference)
{
    for (size_t i = 0; i < module->symbols; i++) {
        struct smc_ptx_symbol *symbol = module->symbol[i];
        if (symbol->space != SMC_SPACE_REGISTER && symbol->space != SMC_SPACE_PARAM &&
            smc_span_equal(symbol->name, reference->name))
            return symbol;
    }
    return NULL;
}

void smc_ptx_use_referenced(const struct smc_ptx_module *module)
{
    for (bool grows = true; grows;) {
        grows = false;
        for (size_t i = 0; i < module->symbols; i++) {
            const struct smc_ptx_symbol *symbol = module->symbol[i];
            const struct smc_ptx_reference *reference = symbol->is_used ? symbol->reference : NULL;
            for (; reference; reference = reference->next) {
                struct smc_ptx_symbol *other = smc_ptx_referenced(module, reference);
                if (!other || other->is_used)
                    continue;
                other->is_used = grows = true;
                other->used_line = symbol->used_line;
            }
        }
    }
}

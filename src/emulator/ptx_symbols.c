/* Declarations: registers, parameters, and variables with what they begin with. */
#include <string.h>

#include "emulator/ptx_parts.h"

enum { MAX_DEPTH = 64 };
static const uint64_t max_registers = 1 << 20;
static const uint64_t max_variable_bytes = UINT64_C(1) << 32;
static const uint64_t max_initial_bytes = UINT64_C(1) << 28;

static bool out_of_memory(struct smc_ptx_reader *reader)
{
    (void)reader; /* without a complaint: that means memory */
    return false;
}

static struct smc_ptx_symbol *add_symbol(struct smc_ptx_reader *reader,
                                         const struct smc_ptx_symbol *symbol)
{
    struct smc_ptx_module *module = reader->module;
    module->symbol = smc_arena_grow(&module->arena, module->symbol, module->symbols,
                                    &module->symbol_room, sizeof *module->symbol);
    struct smc_ptx_symbol *added = smc_arena_take(&module->arena, sizeof *added);
    if (!module->symbol || !added)
        return NULL;
    *added = *symbol;
    added->scope = reader->scope;
    added->in_kernel = reader->scope != 0;
    return module->symbol[module->symbols++] = added;
}

static bool read_type(struct smc_ptx_reader *reader, enum smc_ptx_type *type)
{
    struct smc_span name = reader->token.text;
    bool dotted = reader->token.kind == SMC_TOKEN_WORD && name.bytes > 1 && *name.at == '.';
    *type = SMC_PTX_TYPE_COUNT;
    if (dotted)
        *type = smc_ptx_type_find((struct smc_span){name.at + 1, name.bytes - 1});
    if (*type == SMC_PTX_TYPE_COUNT)
        return smc_ptx_complain(reader, "the type '%.*s' is not supported",
                                (int)(name.bytes < 40 ? name.bytes : 40), name.at);
    smc_ptx_advance(reader);
    return true;
}

static bool read_name(struct smc_ptx_reader *reader, struct smc_span *name)
{
    *name = reader->token.text;
    if (reader->token.kind != SMC_TOKEN_WORD)
        return smc_ptx_complain(reader, "a name expected");
    smc_ptx_advance(reader);
    return true;
}

/* Gives `count` registers their numbers. */
static bool number_registers(struct smc_ptx_reader *reader, struct smc_ptx_symbol *symbol,
                             uint64_t count)
{
    struct smc_ptx_module *module = reader->module;
    if (count > max_registers || module->registers + count > max_registers)
        return smc_ptx_complain(reader, "too many registers");
    symbol->first = (uint32_t)module->registers;
    for (uint64_t i = 0; i < count; i++) {
        module->register_type =
            smc_arena_grow(&module->arena, module->register_type, module->registers,
                           &module->register_room, sizeof *module->register_type);
        if (!module->register_type)
            return out_of_memory(reader);
        module->register_type[module->registers++] = symbol->type;
    }
    return true;
}

/* .reg .b32 %r<22>, %x; */
static bool declare_registers(struct smc_ptx_reader *reader)
{
    struct smc_ptx_symbol symbol = {.space = SMC_SPACE_REGISTER};
    if (!read_type(reader, &symbol.type))
        return false;
    if (symbol.type == SMC_PTX_B128)
        return smc_ptx_complain(reader, "registers of 128 bits are not supported");
    do {
        uint64_t count = 1;
        if (!read_name(reader, &symbol.name))
            return false;
        symbol.registers = 0;
        if (smc_ptx_accept(reader, "<")) {
            if (!smc_ptx_integer(reader, &count) || !smc_ptx_expect(reader, ">"))
                return false;
            symbol.registers = count <= max_registers ? (uint32_t)count : 0;
        }
        if (!number_registers(reader, &symbol, count) || !add_symbol(reader, &symbol))
            return false;
    } while (smc_ptx_accept(reader, ","));
    return smc_ptx_expect(reader, ";");
}

/* Reads ".align 16 .b8 name[4][8]" into the symbol. */
static bool read_variable(struct smc_ptx_reader *reader, struct smc_ptx_symbol *symbol)
{
    uint64_t align = 0, extent;
    if (smc_ptx_accept(reader, ".align") && !smc_ptx_integer(reader, &align))
        return false;
    if (!read_type(reader, &symbol->type))
        return false;
    symbol->bytes = smc_ptx_type_info[symbol->type].bytes;
    if (smc_ptx_accept(reader, ".ptr")) { /* a promise about what a parameter points at */
        while (smc_ptx_accept(reader, ".global") || smc_ptx_accept(reader, ".shared") ||
               smc_ptx_accept(reader, ".const") || smc_ptx_accept(reader, ".local"))
            ;
        if (smc_ptx_accept(reader, ".align") && !smc_ptx_integer(reader, &extent))
            return false;
    }
    symbol->align = align ? (uint32_t)align : (uint32_t)(symbol->bytes ? symbol->bytes : 1);
    if (align > 65536 || symbol->align & (symbol->align - 1))
        return smc_ptx_complain(reader, "an alignment that is no power of two up to 65536");
    if (!read_name(reader, &symbol->name))
        return false;
    while (smc_ptx_accept(reader, "[")) {
        extent = 0;
        if (!smc_ptx_at(reader, "]") && !smc_ptx_integer(reader, &extent))
            return false;
        if (__builtin_mul_overflow(symbol->bytes, extent, &symbol->bytes) ||
            symbol->bytes > max_variable_bytes)
            return smc_ptx_complain(reader, "the variable is too large");
        if (!smc_ptx_expect(reader, "]"))
            return false;
    }
    return true;
}

static bool read_value(struct smc_ptx_reader *reader, enum smc_ptx_type type, uint64_t *bits)
{
    bool is_single = false, negative = smc_ptx_accept(reader, "-");
    struct smc_span text = reader->token.text;
    if (reader->token.kind != SMC_TOKEN_NUMBER)
        return smc_ptx_complain(reader, "an address as initial value is not supported");
    if (smc_ptx_type_info[type].class == SMC_CLASS_FLOAT &&
        smc_ptx_float_of(text, bits, &is_single)) {
        if (type == SMC_PTX_F32 && !is_single) {
            double wide;
            memcpy(&wide, bits, sizeof wide);
            float narrow = (float)(negative ? -wide : wide);
            *bits = 0;
            memcpy(bits, &narrow, sizeof narrow);
        }
    } else if (!smc_ptx_number_of(text, bits)) {
        return smc_ptx_complain(reader, "the initial value '%.*s' is not a number",
                                (int)(text.bytes < 40 ? text.bytes : 40), text.at);
    } else if (negative) {
        *bits = -*bits;
    }
    smc_ptx_advance(reader);
    return true;
}

static bool fill(struct smc_ptx_reader *reader, const struct smc_ptx_symbol *symbol,
                 uint8_t *initial, uint64_t *place)
{
    uint64_t bits, bytes = smc_ptx_type_info[symbol->type].bytes;
    if (!smc_ptx_accept(reader, "{")) {
        if (!read_value(reader, symbol->type, &bits))
            return false;
        if (bytes > sizeof bits || *place + bytes > symbol->bytes)
            return smc_ptx_complain(reader, "too many initial values");
        memcpy(initial + *place, &bits, bytes);
        *place += bytes;
        return true;
    }
    if (++reader->depth > MAX_DEPTH)
        return smc_ptx_complain(reader, "initial values are nested too deeply");
    while (!smc_ptx_accept(reader, "}")) {
        if (!fill(reader, symbol, initial, place))
            return false;
        if (!smc_ptx_accept(reader, ",") && !smc_ptx_at(reader, "}"))
            return smc_ptx_complain(reader, "',' or '}' expected");
    }
    reader->depth--;
    return true;
}

bool smc_ptx_declare(struct smc_ptx_reader *reader, enum smc_ptx_space space, bool is_extern)
{
    if (space == SMC_SPACE_REGISTER)
        return declare_registers(reader);
    struct smc_ptx_symbol symbol = {.space = space, .is_extern = is_extern};
    if (!read_variable(reader, &symbol))
        return false;
    if (smc_ptx_accept(reader, "=")) {
        if (symbol.bytes > max_initial_bytes)
            return smc_ptx_complain(reader, "the variable is too large");
        uint8_t *initial = smc_arena_take(&reader->module->arena, symbol.bytes + 1);
        uint64_t place = 0;
        if (!initial || !fill(reader, &symbol, initial, &place))
            return false;
        symbol.initial = initial;
    }
    return add_symbol(reader, &symbol) && smc_ptx_expect(reader, ";");
}

bool smc_ptx_declare_parameter(struct smc_ptx_reader *reader)
{
    struct smc_ptx_module *module = reader->module;
    struct smc_ptx_symbol symbol = {.space = SMC_SPACE_PARAM};
    if (!read_variable(reader, &symbol))
        return false;
    if (symbol.bytes > 32764)
        return smc_ptx_complain(reader, "the parameter is too large");
    struct smc_ptx_symbol *added = add_symbol(reader, &symbol);
    module->parameter = smc_arena_grow(&module->arena, module->parameter, module->parameters,
                                       &module->parameter_room, sizeof *module->parameter);
    if (!added || !module->parameter)
        return false;
    module->parameter[module->parameters++] = added;
    return true;
}

static bool encloses(const struct smc_ptx_module *module, uint32_t outer, uint32_t inner)
{
    while (inner != outer && inner != 0)
        inner = module->scope_parent[inner];
    return inner == outer;
}

/* %r21 of %r<22>: the number behind the name. */
static bool is_member(const struct smc_ptx_symbol *symbol, struct smc_span name)
{
    uint64_t number;
    if (!symbol->registers || name.bytes <= symbol->name.bytes ||
        memcmp(name.at, symbol->name.at, symbol->name.bytes) != 0)
        return false;
    struct smc_span digits = {name.at + symbol->name.bytes, name.bytes - symbol->name.bytes};
    if (digits.bytes > 1 && *digits.at == '0')
        return false;
    return smc_ptx_number_of(digits, &number) && number < symbol->registers;
}

struct smc_ptx_symbol *smc_ptx_find_symbol(const struct smc_ptx_reader *reader,
                                           struct smc_span name)
{
    const struct smc_ptx_module *module = reader->module;
    for (size_t i = module->symbols; i > 0; i--) {
        struct smc_ptx_symbol *symbol = module->symbol[i - 1];
        bool named =
            symbol->registers ? is_member(symbol, name) : smc_span_equal(symbol->name, name);
        if (named && encloses(module, symbol->scope, reader->scope))
            return symbol;
    }
    return NULL;
}

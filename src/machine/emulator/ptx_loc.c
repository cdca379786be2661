/* The line table of a PTX module: the places that .loc names, and the names of the functions that
   were inlined there. */
#include "machine/emulator/ptx_reader.h"

static bool is_same_place(const struct smc_ptx_loc *a, const struct smc_ptx_loc *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

static bool is_same(const struct smc_ptx_loc *a, const struct smc_ptx_loc *b)
{
    return is_same_place(a, b) && a->caller == b->caller && a->name_offset == b->name_offset &&
           smc_span_equal(a->name, b->name);
}

static uint32_t *bucket_of(struct smc_ptx_module *module, const struct smc_ptx_loc *loc)
{
    uint32_t hash = (loc->file * 31 + loc->line) * 131 + loc->column;
    return &module->loc_bucket[(hash ^ hash >> 8) % SMC_LOC_BUCKETS];
}

/* The number of the place, which becomes the latest one. 0: out of memory. */
static uint32_t ptx_loc_note(struct smc_ptx_module *module, const struct smc_ptx_loc *loc)
{
    uint32_t *bucket = bucket_of(module, loc), *link = bucket;
    while (*link && !is_same(&module->loc[*link - 1], loc))
        link = &module->loc[*link - 1].older;
    uint32_t number = *link;
    if (number) {
        *link = module->loc[number - 1].older;
    } else {
        module->loc = smc_arena_grow(&module->arena, module->loc, module->locs, &module->loc_room,
                                     sizeof *module->loc);
        if (!module->loc)
            return 0;
        module->loc[module->locs++] = *loc;
        number = (uint32_t)module->locs;
    }
    module->loc[number - 1].older = *bucket;
    return *bucket = number;
}

/* Where a function was inlined: the last .loc with this place, which may itself be in a function
   that was inlined. */
static uint32_t find_caller(struct smc_ptx_module *module, const struct smc_ptx_loc *place)
{
    for (uint32_t n = *bucket_of(module, place); n; n = module->loc[n - 1].older)
        if (is_same_place(&module->loc[n - 1], place))
            return n;
    return ptx_loc_note(module, place);
}

static bool ptx_loc_read_place(struct reader *reader, struct smc_ptx_loc *loc)
{
    uint64_t place[3];
    for (int i = 0; i < 3; i++)
        if (!read_integer(reader, &place[i]))
            return false;
    loc->file = (uint32_t)place[0];
    loc->line = (uint32_t)place[1];
    loc->column = (uint32_t)place[2];
    return true;
}

/* Makes the place that of what follows. Line 0 is code that belongs to no line, such as what two
   lines share; where it was inlined is known all the same. False: out of memory. */
static bool ptx_loc_begin(struct reader *reader, const struct smc_ptx_loc *place)
{
    struct smc_ptx_module *module = reader->module;
    uint32_t number = place->line ? ptx_loc_note(module, place) : place->caller;
    if (place->line && !number)
        return out_of_memory(reader);
    while (number && module->loc[number - 1].line == 0)
        number = module->loc[number - 1].caller;
    reader->loc = number;
    reader->file = number ? module->loc[number - 1].file : 0;
    reader->line = number ? module->loc[number - 1].line : 0;
    return true;
}

/* ".loc 1 22 5, function_name ..., inlined_at 1 30 2", after ".loc". */
bool smc_ptx_read_loc(struct reader *reader)
{
    struct smc_ptx_loc loc = {.name = {"", 0}};
    if (!ptx_loc_read_place(reader, &loc))
        return false;
    while (accept(reader, ",")) {
        if (accept(reader, "function_name")) {
            if (!read_name(reader, &loc.name) || !read_offset(reader, &loc.name_offset))
                return false;
        } else if (accept(reader, "inlined_at")) {
            struct smc_ptx_loc place = {.name = {"", 0}};
            if (!ptx_loc_read_place(reader, &place))
                return false;
            loc.caller = find_caller(reader->module, &place);
            if (!loc.caller)
                return out_of_memory(reader);
        } else {
            return complain(reader, "function_name or inlined_at expected");
        }
    }
    return ptx_loc_begin(reader, &loc);
}

void smc_ptx_inlined_name(const struct smc_ptx_module *module, const struct smc_ptx_loc *loc,
                          struct smc_text *name)
{
    struct smc_lexer lexer = {module->strings.at, module->strings.at + module->strings.bytes, 1};
    struct smc_token token = {.kind = SMC_TOKEN_END};
    if (!module->strings.at || loc->name.bytes == 0)
        return;
    do
        token = smc_lexer_next(&lexer);
    while (token.kind != SMC_TOKEN_END &&
           !(token.kind == SMC_TOKEN_WORD && smc_span_equal(token.text, loc->name)));
    uint64_t value, skipped = 0;
    while (token.kind != SMC_TOKEN_END && !smc_span_is(token.text, "}")) {
        token = smc_lexer_next(&lexer);
        if (token.kind != SMC_TOKEN_NUMBER || !smc_ptx_number_of(token.text, &value))
            continue;
        if (skipped++ < loc->name_offset)
            continue;
        if (value == 0)
            return;
        smc_text_append_bytes(name, (const char[]){(char)value}, 1);
    }
}

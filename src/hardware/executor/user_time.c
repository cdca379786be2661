/* The predicted time of a user's kernel: its machine code with the arguments that were typed. */
#include "config.h"

#include "hardware/executor/user_time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/catalog.h"

_Static_assert((int)SMC_MAX_USER_ARGUMENTS <= (int)SMC_TIME_MOST_ARGUMENTS,
               "a user's kernel has no more arguments than the model of time accepts");

/* --- Contents --------------------------------------------------------------------------------- */

/* Of a file, pieces are kept. */
enum { PIECE_BYTES = 2048, PIECES = 8192 };

struct piece {
    bool used;
    uint64_t number;
    size_t length;
    unsigned char byte[PIECE_BYTES];
};

/* What an argument's memory holds before the launch, made where it is asked for. */
struct source {
    const struct smc_user_argument *argument;
    struct smc_user_argument own; /* of a member, and its text */
    char *typed;
    uint64_t start;      /* of its random values */
    unsigned char *made; /* memory with members, or that is read a lot */
    uint64_t read;       /* bytes */
    FILE *file;
    struct piece *piece;
};

static bool read_piece(struct source *source, uint64_t number, struct piece *piece)
{
    piece->used = false;
    if (fseeko(source->file, (off_t)(number * PIECE_BYTES), SEEK_SET) != 0)
        return false;
    piece->length = fread(piece->byte, 1, PIECE_BYTES, source->file);
    piece->number = number;
    piece->used = !ferror(source->file);
    if (!piece->used)
        smc_memory_status(errno, SMC_USAGE); /* remembers that memory ran out */
    return piece->used;
}

static bool read_argument_file(struct source *source, uint64_t offset, size_t bytes,
                               unsigned char *to)
{
    while (bytes > 0) {
        uint64_t number = offset / PIECE_BYTES;
        struct piece *piece = &source->piece[number % PIECES];
        size_t at = (size_t)(offset % PIECE_BYTES);
        if ((!piece->used || piece->number != number) && !read_piece(source, number, piece))
            return false;
        if (at >= piece->length)
            return false;
        size_t part = piece->length - at < bytes ? piece->length - at : bytes;
        memcpy(to, piece->byte + at, part);
        to += part;
        offset += part;
        bytes -= part;
    }
    return true;
}

static bool has_file_contents(const struct smc_user_argument *argument)
{
    return argument->filling == SMC_USER_FILE || argument->form == SMC_USER_BYTES;
}

/* Makes all of the memory once as much as it has was read. */
static void make_all(struct source *source)
{
    enum { MOST_BYTES = 16 << 20 };
    const struct smc_user_argument *argument = source->argument;
    const uint64_t bytes = argument->elements * smc_user_types[argument->type].bytes;
    if (source->read < bytes || bytes > MOST_BYTES)
        return;
    source->made = smc_malloc(bytes);
    if (source->made)
        smc_user_make_elements(argument, source->start, 0, argument->elements, source->made);
}

/* Up to 512 bytes of memory, which need not be whole elements. */
static bool read_contents(void *context, uint64_t offset, size_t bytes, void *to)
{
    enum { MOST = 512 + 16 };
    struct source *source = context;
    const size_t width = smc_user_types[source->argument->type].bytes;
    unsigned char made[MOST];
    if (source->made) {
        memcpy(to, source->made + offset, bytes);
        return true;
    }
    if (has_file_contents(source->argument))
        return source->file && source->piece && read_argument_file(source, offset, bytes, to);
    uint64_t first = offset / width, last = (offset + bytes - 1) / width;
    source->read += bytes;
    make_all(source);
    if ((last - first + 1) * width > MOST)
        return false;
    smc_user_make_elements(source->argument, source->start, first, last - first + 1, made);
    memcpy(to, made + offset % width, bytes);
    return true;
}

/* `name` as in struct smc_user_memory. */
static void open_source(const struct smc_user_request *request,
                        const struct smc_user_argument *argument, const char *name,
                        struct source *source)
{
    /* Where nothing is run, there are no settings. */
    uint64_t seed = request->settings ? request->settings->seed : SMC_RUN_SEED;
    source->argument = argument;
    source->start = smc_random_start(name, seed);
    if (!has_file_contents(argument))
        return;
    source->file = fopen(source->argument->path, "rbe");
    if (!source->file)
        smc_memory_status(errno, SMC_USAGE);
    source->piece = smc_calloc(PIECES, sizeof *source->piece);
}

static void close_source(const struct source *source)
{
    if (source->file)
        fclose(source->file);
    free(source->piece);
    free(source->made);
    free(source->typed);
}

/* --- Arguments -------------------------------------------------------------------------------- */

/* Memory of an argument, by the argument's position and the part of it, from 1; of members of
   variables, position 0. */
struct placed {
    size_t position, part;
    uint64_t address;
    size_t width; /* of an element */
};

/* An address that was typed, until all memory has one. */
struct hole {
    unsigned char *at;
    size_t position, part;
    int64_t offset; /* in elements */
};

struct placing {
    const struct smc_user_run *run;
    struct smc_time_arguments *arguments;
    struct source *source; /* SMC_TIME_MOST_MEMORIES */
    struct placed placed[SMC_TIME_MOST_MEMORIES];
    size_t count; /* of the two */
    struct hole *hole;
    size_t holes, hole_room;
    size_t position;      /* of the argument */
    unsigned char *bytes; /* whose members are visited */
};

static enum smc_status place_members(struct placing *placing, unsigned char *bytes,
                                     const struct smc_user_argument *argument,
                                     struct smc_error *error);

/* A member's text ends with the visit, so it is kept and read again. */
static enum smc_status keep_member(struct source *source, const struct smc_user_argument *member,
                                   struct smc_error *error)
{
    source->typed = smc_strdup(member->typed);
    return source->typed ? smc_user_argument_parse(source->typed, &source->own, error)
                         : smc_out_of_memory(error);
}

static enum smc_status place_memory(struct placing *placing,
                                    const struct smc_user_argument *argument, bool is_member,
                                    uint64_t *address, struct smc_error *error)
{
    char name[32];
    if (placing->count == SMC_TIME_MOST_MEMORIES)
        return smc_fail(error, SMC_USAGE, "more than %d arrays among the arguments",
                        SMC_TIME_MOST_MEMORIES);
    struct placed *placed = &placing->placed[placing->count];
    struct source *source = &placing->source[placing->count++];
    if (is_member)
        SMC_TRY(keep_member(source, argument, error));
    argument = is_member ? &source->own : argument;
    if (argument->form == SMC_USER_TEXTURE) { /* what is fetched is not followed */
        *address = smc_time_add_texture(placing->arguments, &argument->texture);
        *placed = (struct placed){.position = placing->position};
        return SMC_OK;
    }
    *address = smc_time_add_array(placing->arguments, smc_user_argument_bytes(argument));
    *placed = (struct placed){placing->position, 1, *address, smc_user_types[argument->type].bytes};
    for (size_t i = 0; i + 1 < placing->count; i++)
        placed->part += placing->placed[i].position == placing->position;
    if (is_member && placing->position == 0)
        snprintf(name, sizeof name, "variable.%zu", placed->part);
    else if (is_member)
        snprintf(name, sizeof name, "arg %zu.%zu", placing->position, placed->part);
    else
        snprintf(name, sizeof name, "arg %zu", placing->position);
    open_source(&placing->run->request, argument, name, source);
    smc_time_set_contents(placing->arguments, read_contents, source);
    if (argument->form != SMC_USER_LIST)
        return SMC_OK;
    source->made = smc_calloc(1, smc_user_argument_bytes(argument));
    return source->made ? place_members(placing, source->made, argument, error)
                        : smc_out_of_memory(error);
}

static enum smc_status place_address(struct placing *placing,
                                     const struct smc_user_argument *address, unsigned char *at,
                                     struct smc_error *error)
{
    if (!smc_make_room(&placing->hole, placing->holes, &placing->hole_room, sizeof *placing->hole))
        return smc_out_of_memory(error);
    placing->hole[placing->holes++] =
        (struct hole){at, address->target, address->part, address->offset};
    return SMC_OK;
}

static enum smc_status place_member(void *context, const struct smc_user_argument *member,
                                    uint64_t place, struct smc_error *error)
{
    struct placing *placing = context;
    unsigned char *at = placing->bytes + place;
    uint64_t address = 0;
    if (member->form == SMC_USER_ADDRESS)
        return place_address(placing, member, at, error);
    const bool is_map = member->form == SMC_USER_TENSOR_MAP;
    if (!smc_user_is_pointer(member) && !is_map) {
        memcpy(at, &member->bits, smc_user_types[member->type].bytes);
        return SMC_OK;
    }
    enum smc_status status = place_memory(placing, member, true, &address, error);
    if (is_map)
        smc_user_tensor_map(member, address, at);
    else
        memcpy(at, &address, sizeof address);
    return status;
}

static enum smc_status place_members(struct placing *placing, unsigned char *bytes,
                                     const struct smc_user_argument *argument,
                                     struct smc_error *error)
{
    unsigned char *before = placing->bytes;
    uint64_t all;
    uint32_t align;
    placing->bytes = bytes;
    enum smc_status status =
        smc_user_members(argument->typed, place_member, placing, &all, &align, error);
    placing->bytes = before;
    return status;
}

/* A structure or an address, by value. */
static enum smc_status place_value(struct placing *placing,
                                   const struct smc_user_argument *argument,
                                   struct smc_error *error)
{
    static const unsigned char none[SMC_TIME_PARAMETER_BYTES];
    struct smc_time_arguments *arguments = placing->arguments;
    const size_t count = arguments->parameter_count, align = argument->align ? argument->align : 8;
    uint64_t bytes = placing->run->param_bytes[placing->position - 1];
    if (bytes < argument->bytes) /* a kernel that was not compiled has no sizes */
        bytes = argument->bytes;
    if (argument->form == SMC_USER_ADDRESS)
        bytes = sizeof(uint64_t);
    if (bytes <= sizeof none)
        smc_time_add_bytes(arguments, none, (size_t)bytes, align);
    if (arguments->parameter_count == count)
        return smc_fail(error, SMC_USAGE, "the parameters have more than %zu bytes", sizeof none);
    unsigned char *at = arguments->parameters + arguments->parameter_at[count];
    if (argument->form == SMC_USER_ADDRESS)
        return place_address(placing, argument, at, error);
    if (argument->form == SMC_USER_STRUCT)
        return place_members(placing, at, argument, error);
    struct source source = {0};
    open_source(&placing->run->request, argument, "", &source);
    bool is_read = source.file && fread(at, 1, (size_t)bytes, source.file) == bytes;
    close_source(&source);
    return is_read ? SMC_OK : smc_fail(error, SMC_USAGE, "'%.64s' is not read", argument->typed);
}

static void add_tensor_map(const struct smc_user_argument *argument, uint64_t address,
                           struct smc_time_arguments *arguments)
{
    unsigned char bytes[SMC_TENSOR_MAP_BYTES];
    smc_user_tensor_map(argument, address, bytes);
    smc_time_add_bytes(arguments, bytes, sizeof bytes, SMC_TENSOR_MAP_ALIGN);
}

static enum smc_status place_argument(struct placing *placing, struct smc_error *error)
{
    const struct smc_user_argument *argument =
        &placing->run->request.argument[placing->position - 1];
    uint64_t address = 0;
    if (argument->form == SMC_USER_STRUCT || argument->form == SMC_USER_BYTES ||
        argument->form == SMC_USER_ADDRESS)
        return place_value(placing, argument, error);
    if (!argument->is_buffer) {
        smc_time_add_parameter(placing->arguments, argument->bits,
                               (size_t)smc_user_argument_bytes(argument));
        return SMC_OK;
    }
    enum smc_status status = place_memory(placing, argument, false, &address, error);
    if (argument->form == SMC_USER_TENSOR_MAP)
        add_tensor_map(argument, address, placing->arguments);
    else
        smc_time_add_parameter(placing->arguments, address, sizeof address);
    return status;
}

static void fill_holes(const struct placing *placing)
{
    for (size_t i = 0; i < placing->holes; i++) {
        const struct hole *hole = &placing->hole[i];
        for (size_t k = 0; k < placing->count; k++) {
            const struct placed *placed = &placing->placed[k];
            if (placed->position != hole->position || placed->part != hole->part)
                continue;
            uint64_t address = placed->address + (uint64_t)hole->offset * placed->width;
            memcpy(hole->at, &address, sizeof address);
        }
    }
}

/* The bytes of a variable that is set to a structure, a list or an address. */
static enum smc_status place_in_variable(struct placing *placing,
                                         const struct smc_user_argument *value, uint64_t bytes,
                                         struct source *source, struct smc_error *error)
{
    const uint64_t all = smc_user_argument_bytes(value) + value->bytes + sizeof(uint64_t);
    source->made = smc_calloc(1, (size_t)(bytes > all ? bytes : all));
    if (!source->made)
        return smc_out_of_memory(error);
    return value->form == SMC_USER_ADDRESS ? place_address(placing, value, source->made, error)
                                           : place_members(placing, source->made, value, error);
}

/* Variables that are set. Of those in other forms than these the contents are unknown. */
static enum smc_status place_set_variables(struct placing *placing, struct source *sources,
                                           struct smc_error *error)
{
    const struct smc_user_run *run = placing->run;
    struct smc_time_arguments *arguments = placing->arguments;
    enum smc_status status = SMC_OK;
    placing->position = 0;
    for (size_t i = 0; i < run->request.variable_count && status == SMC_OK; i++) {
        const struct smc_user_variable *variable = &run->request.variable[i];
        const struct smc_user_argument *value = &variable->value;
        char name[32];
        if (!variable->is_set)
            continue;
        struct smc_time_variable *to = &arguments->variable[arguments->variable_count++];
        *to =
            (struct smc_time_variable){.name = run->symbol[i].name, .bytes = run->symbol[i].bytes};
        const bool has_members = value->form == SMC_USER_STRUCT || value->form == SMC_USER_LIST ||
                                 value->form == SMC_USER_ADDRESS;
        if (!has_members && value->form != SMC_USER_PLAIN && value->form != SMC_USER_BYTES)
            continue;
        snprintf(name, sizeof name, "%.31s", variable->name);
        open_source(&run->request, value, name, &sources[i]);
        to->contents = read_contents;
        to->context = &sources[i];
        if (has_members)
            status = place_in_variable(placing, value, to->bytes, &sources[i], error);
    }
    return status;
}

/* SMC_USAGE: why there is no prediction with these arguments. `source`: SMC_TIME_MOST_MEMORIES of
   the arguments, and those of the variables. */
static enum smc_status user_time_add_arguments(const struct smc_user_run *run,
                                               struct source *source,
                                               struct smc_time_arguments *arguments,
                                               struct smc_error *error)
{
    struct placing placing = {.run = run, .arguments = arguments, .source = source};
    enum smc_status status = SMC_OK;
    while (placing.position < run->request.argument_count && status == SMC_OK) {
        placing.position++;
        status = place_argument(&placing, error);
    }
    if (status == SMC_OK)
        status = place_set_variables(&placing, source + SMC_TIME_MOST_MEMORIES, error);
    fill_holes(&placing);
    free(placing.hole);
    return status;
}

enum smc_status smc_user_find_time(struct smc_user_run *run, struct smc_error *error)
{
    struct smc_time_arguments arguments = {0};
    struct smc_error reason = {""};
    const size_t sources = SMC_TIME_MOST_MEMORIES + run->request.variable_count;
    struct source *source = smc_calloc(sources, sizeof *source);
    if (!source)
        return smc_out_of_memory(error);
    enum smc_status status = user_time_add_arguments(run, source, &arguments, &reason);
    run->answer.query.ceilings = run->request.ceilings;
    run->answer.query.cold = run->request.settings && run->request.settings->cold;
    if (status == SMC_USAGE) {
        smc_time_unknown(&run->answer.time, reason.message);
        status = SMC_OK;
    } else if (status == SMC_OK) {
        status = smc_query_predict_time(&run->answer, &run->compiled.binary, run->row.kernel->name,
                                        &arguments, error);
    } else {
        smc_fail(error, status, "%s", reason.message);
    }
    for (size_t i = 0; i < sources; i++)
        close_source(&source[i]);
    free(source);
    return status;
}

/* The predicted time of a user's kernel: its machine code with the arguments that were typed. */
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
enum { PIECE_BYTES = 2048, PIECES = 256 };

struct piece {
    bool used;
    uint64_t number;
    size_t length;
    unsigned char byte[PIECE_BYTES];
};

/* What an argument's memory holds before the launch, made where it is asked for. */
struct source {
    const struct smc_user_argument *argument;
    uint64_t start; /* of its random values */
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

/* A few bytes of memory, which need not be whole elements. */
static bool read_contents(void *context, uint64_t offset, size_t bytes, void *to)
{
    enum { MOST = 64 };
    struct source *source = context;
    const size_t width = smc_user_types[source->argument->type].bytes;
    unsigned char made[MOST];
    if (has_file_contents(source->argument))
        return source->file && source->piece && read_argument_file(source, offset, bytes, to);
    uint64_t first = offset / width, last = (offset + bytes - 1) / width;
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
    *source = (struct source){.argument = argument, .start = smc_random_start(name, seed)};
    if (!has_file_contents(argument))
        return;
    source->file = fopen(source->argument->path, "rbe");
    if (!source->file)
        smc_memory_status(errno, SMC_USAGE);
    source->piece = smc_calloc(PIECES, sizeof *source->piece);
}

static void close_sources(struct source *source, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (source[i].file)
            fclose(source[i].file);
        free(source[i].piece);
    }
    free(source);
}

/* --- Arguments -------------------------------------------------------------------------------- */

static void add_tensor_map(const struct smc_user_argument *argument, uint64_t address,
                           struct smc_time_arguments *arguments)
{
    enum { ALIGN = 64 };
    unsigned char bytes[SMC_TENSOR_MAP_BYTES];
    smc_user_tensor_map(argument, address, bytes);
    smc_time_add_bytes(arguments, bytes, sizeof bytes, ALIGN);
}

static void user_time_add_arguments(const struct smc_user_request *request, struct source *source,
                                    struct smc_time_arguments *arguments)
{
    for (size_t i = 0; i < request->argument_count; i++) {
        const struct smc_user_argument *argument = &request->argument[i];
        uint64_t bytes = smc_user_argument_bytes(argument);
        if (!argument->is_buffer) {
            smc_time_add_parameter(arguments, argument->bits, (size_t)bytes);
            continue;
        }
        char name[32];
        uint64_t address = smc_time_add_array(arguments, bytes);
        snprintf(name, sizeof name, "arg %zu", i + 1);
        if (argument->form == SMC_USER_TENSOR_MAP)
            add_tensor_map(argument, address, arguments);
        else
            smc_time_add_parameter(arguments, address, sizeof address);
        open_source(request, argument, name, &source[i]);
        smc_time_set_contents(arguments, read_contents, &source[i]);
    }
}

/* Variables that are set to numbers, to elements of one type or to the bytes of a file; of others
   the contents are unknown. */
static void user_time_add_variables(const struct smc_user_run *run, struct source *source,
                                    struct smc_time_arguments *arguments)
{
    const struct smc_user_request *request = &run->request;
    for (size_t i = 0; i < request->variable_count; i++) {
        const struct smc_user_variable *variable = &request->variable[i];
        const enum smc_user_form form = variable->value.form;
        char name[32];
        if (!variable->is_set)
            continue;
        struct smc_time_variable *to = &arguments->variable[arguments->variable_count++];
        *to =
            (struct smc_time_variable){.name = run->symbol[i].name, .bytes = run->symbol[i].bytes};
        if (form != SMC_USER_PLAIN && form != SMC_USER_BYTES)
            continue;
        snprintf(name, sizeof name, "%.31s", variable->name);
        open_source(request, &variable->value, name, &source[i]);
        to->contents = read_contents;
        to->context = &source[i];
    }
}

enum smc_status smc_user_find_time(struct smc_user_run *run, struct smc_error *error)
{
    struct smc_time_arguments arguments = {0};
    const size_t count = run->request.argument_count;
    for (size_t i = 0; i < count; i++)
        if (run->request.argument[i].form != SMC_USER_PLAIN &&
            run->request.argument[i].form != SMC_USER_TENSOR_MAP) {
            smc_time_unknown(&run->answer.time,
                             "structures, addresses and textures among the arguments");
            return SMC_OK;
        }
    const size_t sources = count + run->request.variable_count;
    struct source *source = smc_calloc(sources + 1, sizeof *source);
    if (!source)
        return smc_out_of_memory(error);
    user_time_add_arguments(&run->request, source, &arguments);
    user_time_add_variables(run, source + count, &arguments);
    run->answer.query.ceilings = run->request.ceilings;
    run->answer.query.cold = run->request.settings && run->request.settings->cold;
    enum smc_status status = smc_query_predict_time(&run->answer, &run->compiled.binary,
                                                    run->row.kernel->name, &arguments, error);
    close_sources(source, sources);
    return status;
}

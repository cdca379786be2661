/* Where a barrier removes the races of a user's kernel: places are tried by running the kernel with
   them on the emulator. A place must be reached by all threads of the block, whatever the data: it
   is in no branch, and in a loop only if that counts from a constant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "executor/user.h"
#include "source/cpp_tokens.h"

enum { MOST_PLACES = 6, MOST_BARRIERS = 2, MOST_RUN_MS = 1500, MOST_ALL_MS = 4000 };

/* --- Places ----------------------------------------------------------------------------------- */

/* "(int k = 0; k < n; k++)": every thread of the block goes through it as often, unless the bound
   depends on the thread, which the run would show. */
static bool counts_from_constant(const struct smc_tokens *tokens, uint32_t open)
{
    const uint32_t close = tokens->item[open].match;
    uint32_t i = open + 1;
    while (i < close && !smc_token_is(tokens, i, "=") && !smc_token_is(tokens, i, ";"))
        i++;
    if (i >= close || !smc_token_is(tokens, i, "=") ||
        tokens->item[i + 1].kind != SMC_TOKEN_NUMBER || !smc_token_is(tokens, i + 2, ";"))
        return false;
    for (; i < close; i++)
        if (smc_token_is(tokens, i, "threadIdx"))
            return false;
    return true;
}

/* Whether all threads reach what is in the braces. `ends`: they are a function's. */
static bool is_for_all(const struct smc_tokens *tokens, uint32_t brace, bool *ends)
{
    *ends = false;
    if (brace == 0 || smc_token_is(tokens, brace - 1, "else") ||
        smc_token_is(tokens, brace - 1, "do"))
        return false;
    if (!smc_token_is(tokens, brace - 1, ")"))
        return true; /* a block, a namespace */
    const uint32_t open = tokens->item[brace - 1].match;
    if (open == SMC_NO_TOKEN || open == 0)
        return false;
    if (smc_token_is(tokens, open - 1, "for"))
        return counts_from_constant(tokens, open);
    static const char *const branches[] = {"if", "while", "switch", "constexpr", "catch"};
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++)
        if (smc_token_is(tokens, open - 1, branches[i]))
            return false;
    *ends = true;
    return true;
}

/* The next token of code; beyond the last one: tokens->count. */
static uint32_t after(const struct smc_tokens *tokens, uint32_t i)
{
    do
        i++;
    while (i < tokens->count && tokens->item[i].kind >= SMC_TOKEN_DIRECTIVE);
    return i;
}

/* Whether a statement ends on the line, and all threads go on from there. */
static bool is_good_place(const struct smc_tokens *tokens, uint32_t line)
{
    uint32_t last = SMC_NO_TOKEN;
    for (uint32_t i = 0; i < tokens->count && tokens->item[i].line <= line; i++)
        if (tokens->item[i].kind < SMC_TOKEN_DIRECTIVE)
            last = i;
    if (last == SMC_NO_TOKEN || tokens->item[last].line != line ||
        !(smc_token_is(tokens, last, ";") || smc_token_is(tokens, last, "}")))
        return false;
    const uint32_t next = after(tokens, last);
    if (next < tokens->count && smc_token_is(tokens, next, "else"))
        return false;
    for (uint32_t i = last + 1; i-- > 0;) {
        const struct smc_token *token = &tokens->item[i];
        bool ends;
        if (!smc_token_is(tokens, i, "{") || token->match == SMC_NO_TOKEN || token->match <= last)
            continue;
        if (!is_for_all(tokens, i, &ends))
            return false;
        if (ends)
            return true;
    }
    return false;
}

static bool is_race_within_block(const struct smc_finding *finding)
{
    return finding->has_other && !finding->between_blocks;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The line of an access in the kernel itself; 0: it is elsewhere. */
static uint32_t line_of(const struct smc_user_run *run, const struct smc_run_stack *stack)
{
    const char *file = run->result.emulated.names + stack->frame[0].file;
    bool is_here = stack->frames == 1 && stack->is_complete &&
                   strcmp(last_part(file), last_part(run->request.file)) == 0;
    return is_here ? stack->frame[0].line : 0;
}

static size_t find_places(const struct smc_user_run *run, const struct smc_tokens *tokens,
                          uint32_t place[MOST_PLACES])
{
    const struct smc_emulated_run *emulated = &run->result.emulated;
    size_t count = 0;
    for (size_t i = 0; i < 2 * emulated->finding_count && count < MOST_PLACES; i++) {
        const struct smc_run_finding *found = &emulated->finding[i / 2];
        if (!is_race_within_block(&found->finding))
            continue;
        uint32_t line = line_of(run, i % 2 ? &found->stack : &found->other_stack);
        bool known = line == 0 || !is_good_place(tokens, line);
        for (size_t k = 0; k < count && !known; k++)
            known = place[k] == line;
        if (!known)
            place[count++] = line;
    }
    return count;
}

/* --- Trials ----------------------------------------------------------------------------------- */

/* The source with __syncthreads() at the beginning of the line after each place, so that all lines
   keep their numbers. */
static void insert_barriers(const char *source, const uint32_t after[MOST_BARRIERS],
                            struct smc_text *out)
{
    uint32_t line = 1;
    for (const char *end; *source; source = end, line++) {
        const size_t length = strcspn(source, "\n");
        end = source + length + (source[length] == '\n');
        if (line > 1 && (line - 1 == after[0] || line - 1 == after[1]))
            smc_text_append(out, "__syncthreads(); ");
        smc_text_append_bytes(out, source, (size_t)(end - source));
    }
}

static bool has_finding(const struct smc_user_run *run, const struct smc_run_finding *found)
{
    const struct smc_emulated_run *emulated = &run->result.emulated;
    for (size_t i = 0; i < emulated->finding_count; i++) {
        const struct smc_run_finding *other = &emulated->finding[i];
        if (other->finding.kind == found->finding.kind &&
            other->stack.frame[0].line == found->stack.frame[0].line)
            return true;
    }
    return false;
}

static bool is_mended(const struct smc_user_run *before, const struct smc_user_run *after)
{
    const struct smc_emulated_run *emulated = &after->result.emulated;
    if (!after->result.emulation.made || !emulated->finish.succeeded)
        return false;
    for (size_t i = 0; i < emulated->finding_count; i++)
        if (is_race_within_block(&emulated->finding[i].finding) ||
            !has_finding(before, &emulated->finding[i]))
            return false;
    return true;
}

/* Compiles and emulates the kernel with the barriers. */
static enum smc_status try_places(const struct smc_user_run *run, const uint32_t after[2],
                                  bool *is_good, struct smc_error *error)
{
    struct smc_text source = {0}, warnings = {0};
    struct smc_error ignored = {""};
    struct smc_user_request *request = smc_malloc(sizeof *request); /* too large for the stack */
    struct smc_user_run *trial = smc_calloc(1, sizeof *trial);
    struct smc_run_settings settings = *run->request.settings;
    *is_good = false;
    if (!request || !trial) {
        free(request);
        free(trial);
        return smc_out_of_memory(error);
    }
    settings.place = SMC_ON_EMULATOR;
    settings.annotation = NULL;
    settings.progress = NULL;
    settings.timeout_ms = MOST_ALL_MS;
    insert_barriers(smc_text_string(&run->text), after, &source);
    *request = run->request;
    request->source = smc_text_string(&source);
    request->settings = &settings;
    request->no_cache = true;
    request->builds = NULL;
    enum smc_status status = smc_user_prepare(request, trial, &warnings, &ignored);
    if (status == SMC_OK && trial->answer.outcome == SMC_LAUNCHES)
        status = smc_user_launch(trial, &warnings, &ignored);
    *is_good = status == SMC_OK && is_mended(run, trial);
    smc_user_free(trial);
    smc_text_free(&source);
    smc_text_free(&warnings);
    free(request);
    free(trial);
    return SMC_OK;
}

/* One barrier if that suffices, else two. */
static enum smc_status try_all(struct smc_user_run *run, const uint32_t *place, size_t count,
                               struct smc_error *error)
{
    const double begin_ms = smc_clock_ms();
    for (size_t pairs = 0; pairs < 2; pairs++)
        for (size_t i = 0; i < count; i++)
            for (size_t k = pairs ? i + 1 : 0; k < (pairs ? count : 1); k++) {
                const uint32_t after[MOST_BARRIERS] = {place[i], pairs ? place[k] : 0};
                bool is_good;
                const bool stops = run->request.settings->stop && run->request.settings->stop();
                if (stops || smc_clock_ms() - begin_ms > MOST_ALL_MS)
                    return SMC_OK;
                enum smc_status status = try_places(run, after, &is_good, error);
                if (status != SMC_OK)
                    return status;
                if (is_good) {
                    bool is_ordered = after[1] == 0 || after[0] < after[1];
                    run->barrier_after[0] = after[!is_ordered];
                    run->barrier_after[1] = after[is_ordered];
                    return SMC_OK;
                }
            }
    return SMC_OK;
}

enum smc_status smc_user_advise_barriers(struct smc_user_run *run, struct smc_error *error)
{
    struct smc_tokens tokens = {0};
    uint32_t place[MOST_PLACES];
    const struct smc_emulated_run *emulated = &run->result.emulated;
    const struct smc_inspect_kernel *kernel = run->row.kernel;
    if (!run->result.emulation.made || !emulated->finish.succeeded ||
        emulated->elapsed_ms > MOST_RUN_MS || kernel->source == SMC_INSPECT_PTX)
        return SMC_OK;
    const struct smc_text *text = &run->text;
    if (!smc_tokens_read(smc_text_string(text), text->length, &tokens)) {
        smc_tokens_free(&tokens);
        return smc_out_of_memory(error);
    }
    size_t count = find_places(run, &tokens, place);
    smc_tokens_free(&tokens);
    return try_all(run, place, count, error);
}

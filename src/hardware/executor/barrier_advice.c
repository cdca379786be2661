/* Where a barrier removes the races of a user's kernel: places are tried by running the kernel with
   them on the emulator. A place must be reached by all threads of the block, whatever the data: it
   is in no branch, and in a loop only if that counts from a constant or from the block's index. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "code/cpp_tokens.h"
#include "hardware/user.h"

enum { MOST_PLACES = 6 };

/* Thread instructions of the run and of all trials together, a second and four on one core: a limit
   of work and not of time, so that a slow machine gives the same advice. */
static const double most_run = 1e9, most_trials = 4e9;

/* Lines of the source, in their order. */
struct places {
    size_t count;
    uint32_t line[MOST_PLACES];
};

/* --- Places ----------------------------------------------------------------------------------- */

/* Whether a name is the same for all threads of the block: of the grid, or by convention that of a
   constant. */
static bool is_of_block(const struct smc_tokens *tokens, uint32_t i)
{
    static const char *const names[] = {"blockIdx", "blockDim", "gridDim", "x", "y", "z"};
    const struct smc_cpp_token *token = &tokens->item[i];
    if (SMC_TOKEN_IS_ANY(tokens, i, names))
        return true;
    for (uint32_t k = token->begin; k < token->end; k++)
        if (islower((unsigned char)tokens->text[k]))
            return false;
    return true;
}

/* "(int k = 0; k < n; k++)", "(int k = blockIdx.x * SIZE; ...)": every thread of the block goes
   through it as often, unless the bound depends on the thread, which the run would show. */
static bool counts_from_constant(const struct smc_tokens *tokens, uint32_t open)
{
    const uint32_t close = tokens->item[open].match;
    uint32_t i = open + 1;
    while (i < close && !smc_token_is(tokens, i, "=") && !smc_token_is(tokens, i, ";"))
        i++;
    if (i >= close || !smc_token_is(tokens, i, "="))
        return false;
    for (; i < close && !smc_token_is(tokens, i, ";"); i++)
        if (tokens->item[i].kind == SMC_TOKEN_WORD && !is_of_block(tokens, i))
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
    *ends = !SMC_TOKEN_IS_ANY(tokens, open - 1, branches);
    return *ends;
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
        const struct smc_cpp_token *token = &tokens->item[i];
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

/* The line after which a barrier may stand: the access's own, or the end of the loop or branch
   around it. 0: there is none. */
static uint32_t find_good_place(const struct smc_tokens *tokens, uint32_t line)
{
    uint32_t end = 0; /* the closing brace that was reached */
    while (!is_good_place(tokens, line)) {
        uint32_t around = SMC_NO_TOKEN; /* the innermost brace around the line, beyond `end` */
        for (uint32_t i = 0; i < tokens->count && tokens->item[i].line <= line; i++)
            if (smc_token_is(tokens, i, "{") && tokens->item[i].match != SMC_NO_TOKEN &&
                tokens->item[i].match > end && tokens->item[tokens->item[i].match].line >= line)
                around = i;
        if (around == SMC_NO_TOKEN)
            return 0;
        end = tokens->item[around].match;
        if (tokens->item[end].line == line && !is_good_place(tokens, line))
            continue; /* the brace is on the same line */
        line = tokens->item[end].line;
    }
    return line;
}

static bool is_race_within_block(const struct smc_finding *finding)
{
    return smc_finding_is_race(finding) && !finding->between_blocks;
}

/* The line of an access in the kernel itself; 0: it is elsewhere. */
static uint32_t advice_line_of(const struct smc_user_run *run, const struct smc_run_stack *stack)
{
    const char *file = run->result.emulated.names + stack->frame[0].file;
    bool is_here = stack->frames == 1 && stack->is_complete &&
                   strcmp(smc_last_part(file), smc_last_part(run->request.file)) == 0;
    return is_here ? stack->frame[0].line : 0;
}

static void barrier_advice_add_place(struct places *places, uint32_t line)
{
    size_t i = places->count;
    for (size_t k = 0; k < places->count; k++)
        if (places->line[k] == line)
            return;
    for (; i > 0 && places->line[i - 1] > line; i--)
        places->line[i] = places->line[i - 1];
    places->line[i] = line;
    places->count++;
}

/* After the accesses of the races. */
static void advice_find_places(const struct smc_user_run *run, const struct smc_tokens *tokens,
                               struct places *places)
{
    const struct smc_emulated_run *emulated = &run->result.emulated;
    for (size_t i = 0; i < 2 * emulated->finding_count && places->count < MOST_PLACES; i++) {
        const struct smc_run_finding *found = &emulated->finding[i / 2];
        if (!is_race_within_block(&found->finding))
            continue;
        uint32_t line = advice_line_of(run, i % 2 ? &found->stack : &found->other_stack);
        if (line > 0)
            line = find_good_place(tokens, line);
        if (line > 0)
            barrier_advice_add_place(places, line);
    }
}

/* --- Trials ----------------------------------------------------------------------------------- */

enum verdict { MENDED, STILL_RACES, OTHER_FAULT };

/* The source with __syncthreads() at the beginning of the line after each place, so that all lines
   keep their numbers. */
static void insert_barriers(const char *source, const struct places *places, struct smc_text *out)
{
    uint32_t line = 1;
    size_t next = 0;
    for (const char *end; *source; source = end, line++) {
        const size_t length = strcspn(source, "\n");
        end = source + length + (source[length] == '\n');
        if (next < places->count && line == places->line[next] + 1) {
            smc_text_append(out, "__syncthreads(); ");
            next++;
        }
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

static enum verdict barrier_advice_judge(const struct smc_user_run *before,
                                         const struct smc_user_run *after)
{
    const struct smc_emulated_run *emulated = &after->result.emulated;
    enum verdict verdict = MENDED;
    if (!after->result.emulation.made || !emulated->finish.succeeded)
        return OTHER_FAULT;
    for (size_t i = 0; i < emulated->finding_count; i++)
        if (is_race_within_block(&emulated->finding[i].finding))
            verdict = STILL_RACES;
        else if (!has_finding(before, &emulated->finding[i]))
            return OTHER_FAULT;
    return verdict;
}

/* Compiles and emulates the kernel with the barriers. */
static enum smc_status try_places(const struct smc_user_run *run, const struct places *places,
                                  enum verdict *verdict, struct smc_error *error)
{
    smc_auto_text source = {0}, warnings = {0};
    struct smc_error ignored = {""};
    smc_auto_free struct smc_user_request *request =
        smc_malloc(sizeof *request); /* too large for the stack */
    smc_auto_free struct smc_user_run *trial = smc_calloc(1, sizeof *trial);
    struct smc_run_settings settings = *run->request.settings;
    *verdict = OTHER_FAULT;
    if (!request || !trial)
        return smc_out_of_memory(error);
    settings.place = SMC_ON_EMULATOR;
    settings.annotation = NULL;
    settings.progress = NULL;
    insert_barriers(smc_text_string(&run->text), places, &source);
    *request = run->request;
    request->source = smc_text_string(&source);
    request->settings = &settings;
    request->no_cache = true;
    request->without_time = true;
    request->builds = NULL;
    enum smc_status status = smc_user_prepare(request, trial, &warnings, &ignored);
    if (status == SMC_OK && trial->answer.outcome == SMC_LAUNCHES)
        status = smc_user_launch(trial, &warnings, &ignored);
    if (status == SMC_OK)
        *verdict = barrier_advice_judge(run, trial);
    smc_user_free(trial);
    return SMC_OK;
}

/* Whether another trial, which executes about as much as the run, is within the limit. */
static bool may_try(const struct smc_user_run *run, uint32_t trials)
{
    const bool stops = run->request.settings->stop && run->request.settings->stop();
    return !stops && (trials + 1) * run->result.emulated.thread_instructions <= most_trials;
}

/* One barrier if that suffices, else two: `mended` gets their places, or none. Where races remain
   with a barrier at every place, fewer do not help. */
static enum smc_status try_all(const struct smc_user_run *run, const struct places *all,
                               struct places *mended, struct smc_error *error)
{
    enum verdict verdict = OTHER_FAULT;
    enum smc_status status = SMC_OK;
    uint32_t trials = 0;
    if (all->count > 1 && may_try(run, trials++))
        status = try_places(run, all, &verdict, error);
    if (status != SMC_OK || verdict == STILL_RACES)
        return status;
    for (size_t count = 1; count <= 2; count++)
        for (size_t i = 0; i < all->count; i++)
            for (size_t k = count == 2 ? i + 1 : 0; k < (count == 2 ? all->count : 1); k++) {
                const struct places some = {count, {all->line[i], all->line[k]}};
                if (!may_try(run, trials++))
                    return SMC_OK;
                status = try_places(run, &some, &verdict, error);
                if (status == SMC_OK && verdict == MENDED)
                    *mended = some;
                if (status != SMC_OK || verdict == MENDED)
                    return status;
            }
    return SMC_OK;
}

enum smc_status smc_user_advise_barriers(struct smc_user_run *run, struct smc_error *error)
{
    SMC_AUTO(smc_tokens_free) struct smc_tokens tokens = {0};
    struct places places = {0}, mended = {0};
    const struct smc_emulated_run *emulated = &run->result.emulated;
    const struct smc_inspect_kernel *kernel = run->row.kernel;
    if (!run->result.emulation.made || !emulated->finish.succeeded ||
        emulated->thread_instructions > most_run || kernel->source == SMC_INSPECT_PTX)
        return SMC_OK;
    const struct smc_text *text = &run->text;
    if (!smc_tokens_read(smc_text_string(text), text->length, &tokens))
        return smc_out_of_memory(error);
    advice_find_places(run, &tokens, &places);
    const enum smc_status status = try_all(run, &places, &mended, error);
    for (size_t i = 0; i < mended.count; i++)
        run->barrier_after[i] = mended.line[i];
    return status;
}

/* Findings: stored once for each kind and place, merged in block order, and described. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "machine/emulator/emulator_state.h"

static const struct {
    const char *name, *text;
} kinds[] = {
#define FINDING(id, name, text) [SMC_FINDING_##id] = {name, text},
#include "machine/findings.def"
};

const char *smc_finding_name(enum smc_finding_kind kind)
{
    return kinds[kind].name;
}

static bool is_note(const struct smc_finding *finding, enum smc_strictness strictness)
{
    if (finding->kind == SMC_FINDING_SKIPPED_BARRIER)
        return strictness != SMC_STRICT_CUDA;
    if (finding->kind == SMC_FINDING_UNACQUIRED)
        return strictness == SMC_STRICT_USUAL;
    return strictness == SMC_STRICT_PTX &&
           (finding->kind == SMC_FINDING_SPLIT_BARRIER || finding->is_volatile);
}

bool smc_finding_is_race(const struct smc_finding *finding)
{
    return finding->kind == SMC_FINDING_RACE_WRITE_WRITE ||
           finding->kind == SMC_FINDING_RACE_READ_WRITE ||
           finding->kind == SMC_FINDING_RACE_WRITE_READ;
}

struct smc_finding smc_finding_at(const struct smc_worker *worker, enum smc_finding_kind kind,
                                  uint32_t instruction, uint32_t thread)
{
    struct smc_finding finding = {.kind = kind, .instruction = instruction, .times = 1};
    memcpy(finding.block, worker->block_index, sizeof finding.block);
    smc_index_to_place(thread, worker->launch->request->block, finding.thread);
    smc_finding_set_calls(worker, &finding, thread);
    return finding;
}

void smc_finding_hint(struct smc_finding *finding)
{
    static const char waits[] = "behind the loop that waits: __threadfence(), or wait by a load "
                                "with memory_order_acquire";
    static const char *const hints[SMC_FINDING_KINDS] = {
        [SMC_FINDING_PROXY_FENCE] = "after writing, each thread executes fence.proxy.async "
                                    "(cuda::ptx::fence_proxy_async), then the barrier",
        [SMC_FINDING_STALE_READ] = waits,
        [SMC_FINDING_UNACQUIRED] = waits,
        [SMC_FINDING_PENDING_READ] = "first wait for the copy (cp.async.wait_group, its mbarrier "
                                     "object), then synchronize",
        [SMC_FINDING_UNFINISHED_COPY] = "the thread that began it waits with "
                                        "cp.async.bulk.wait_group.read 0 "
                                        "(cuda::ptx::cp_async_bulk_wait_group_read)",
        [SMC_FINDING_EARLY_PHASE] = "mbarrier.init counts too few arrivals, or the thread has not "
                                    "waited for the phase before",
        [SMC_FINDING_NOT_STARTED] = "cluster.sync() (barrier.cluster) must come before the first "
                                    "access",
    };
    const char *hint = hints[finding->kind];
    if (finding->kind == SMC_FINDING_PENDING_READ && finding->is_shared)
        hint = "first wait for it (cp.async.bulk.wait_group.read, wgmma.wait_group), then "
               "synchronize";
    snprintf(finding->note, sizeof finding->note, "%s", hint ? hint : "");
}

void smc_finding_set_other(const struct smc_worker *worker, struct smc_finding *finding,
                           uint32_t thread)
{
    smc_index_to_place(thread, worker->launch->request->block, finding->other_thread);
}

/* The identifier that begins with its length at `at`, as in 4tile; none: 0 bytes. */
static struct smc_span identifier_at(struct smc_span name, size_t at)
{
    uint64_t length = 0;
    while (at < name.bytes && name.at[at] >= '0' && name.at[at] <= '9' && length < name.bytes)
        length = length * 10 + (uint64_t)(name.at[at++] - '0');
    return length <= name.bytes - at ? (struct smc_span){name.at + at, length}
                                     : (struct smc_span){name.at, 0};
}

/* The name of a function's variable contains the function, that of others their namespaces:
   _ZZ6kernelE4tile becomes tile, and so does _ZN5outer4tileE. */
static struct smc_span plain_name(struct smc_span name)
{
    const bool is_local = name.bytes > 3 && memcmp(name.at, "_ZZ", 3) == 0;
    const bool is_nested = name.bytes > 3 && memcmp(name.at, "_ZN", 3) == 0;
    const char *const end = name.at + name.bytes;
    for (size_t i = 0; is_local && i < name.bytes; i++) {
        const struct smc_span last = identifier_at(name, i + 1);
        if (name.at[i] == 'E' && last.bytes > 0 && last.at + last.bytes == end)
            return last;
    }
    for (size_t i = 3; is_nested && i < name.bytes;) {
        const struct smc_span part = identifier_at(name, i);
        if (part.bytes > 0 && part.at + part.bytes == end - 1 && end[-1] == 'E')
            return part;
        i = part.bytes > 0 ? (size_t)(part.at + part.bytes - name.at) : name.bytes;
    }
    return name;
}

static void set_array(struct smc_finding *finding, struct smc_span name, uint64_t begin,
                      uint64_t bytes)
{
    finding->array_offset = finding->address - begin;
    finding->array_bytes = bytes;
    finding->beyond = finding->array_offset >= bytes;
    snprintf(finding->array, sizeof finding->array, "%.*s",
             (int)(name.bytes < 90 ? name.bytes : 90), name.at);
}

/* The variable in shared or local memory that holds the address, or the last one if the address is
   beyond all. */
static const struct smc_ptx_symbol *symbol_at(const struct smc_program *program,
                                              enum smc_ptx_space space, uint64_t address)
{
    const struct smc_ptx_module *module = &program->module;
    const struct smc_ptx_symbol *best = NULL;
    for (size_t i = 0; i < module->symbols; i++) {
        const struct smc_ptx_symbol *symbol = module->symbol[i];
        if (symbol->space == space && symbol->address <= address &&
            (symbol->in_kernel || symbol->is_used) && (!best || symbol->address >= best->address))
            best = symbol;
    }
    return best;
}

bool smc_program_shared_array(const struct smc_program *program, uint64_t address, char *name,
                              size_t room, uint64_t *first_byte, uint64_t *bytes)
{
    const struct smc_ptx_symbol *symbol = symbol_at(program, SMC_SPACE_SHARED, address);
    if (!symbol)
        return false;
    struct smc_span plain = plain_name(symbol->name);
    snprintf(name, room, "%.*s", (int)plain.bytes, plain.at);
    *first_byte = symbol->address;
    *bytes = symbol->is_extern ? 0 : symbol->bytes;
    return true;
}

static void name_shared(const struct smc_worker *worker, struct smc_finding *finding)
{
    const struct smc_ptx_symbol *best =
        symbol_at(worker->launch->program, SMC_SPACE_SHARED, finding->address);
    if (best)
        set_array(finding, plain_name(best->name), best->address,
                  best->is_extern ? worker->launch->reserved_smem_at - best->address : best->bytes);
}

/* The array that holds the address, or the nearer neighbor if the address is in a gap. */
static void name_global(const struct smc_worker *worker, struct smc_finding *finding)
{
    const struct smc_launch_state *launch = worker->launch;
    const struct smc_allocation *best = NULL;
    uint64_t best_distance = UINT64_MAX, address = finding->address;
    const struct smc_allocation *of_heap = NULL;
    if (launch->heap && smc_heap_spans(launch->heap, address))
        of_heap = smc_heap_find(launch->heap, address);
    for (size_t i = 0; i < launch->allocations + (of_heap != NULL); i++) {
        const struct smc_allocation *allocation =
            i < launch->allocations ? &launch->allocation[i] : of_heap;
        uint64_t end = allocation->address + allocation->bytes;
        uint64_t distance = address < allocation->address ? allocation->address - address
                            : address >= end              ? address - end
                                                          : 0;
        if (distance < best_distance) {
            best = allocation;
            best_distance = distance;
        }
    }
    if (best && best_distance < UINT64_C(1) << 40)
        set_array(finding, (struct smc_span){best->name, best->name_bytes}, best->address,
                  best->bytes);
}

void smc_finding_set_address(const struct smc_worker *worker, struct smc_finding *finding,
                             enum smc_ptx_space space, uint64_t address, uint32_t bytes)
{
    finding->has_address = true;
    finding->is_shared = space == SMC_SPACE_SHARED;
    finding->address = address;
    finding->width_bytes = bytes;
    if (space == SMC_SPACE_SHARED)
        name_shared(worker, finding);
    else if (space == SMC_SPACE_GLOBAL)
        name_global(worker, finding);
}

static bool same_calls(const struct smc_finding *a, const struct smc_finding *b)
{
    return a->calls == b->calls && memcmp(a->call, b->call, a->calls * sizeof *a->call) == 0;
}

/* What a note says about a texture or surface is of one lane, and the rank of a block is that of
   one of several. */
static bool same_note(const struct smc_finding *a, const struct smc_finding *b)
{
    static const char behind_rank[] = " of the cluster";
    if (a->kind == SMC_FINDING_BLOCK_ENDED) {
        const char *x = strstr(a->note, behind_rank), *y = strstr(b->note, behind_rank);
        return x && y && strcmp(x, y) == 0;
    }
    return a->kind == SMC_FINDING_OUT_OF_BOUNDS || a->kind == SMC_FINDING_MISALIGNED ||
           a->kind == SMC_FINDING_BAD_TEXTURE ||
           (a->kind == SMC_FINDING_ABSENT_LANES && a->note[0] && b->note[0]) ||
           strcmp(a->note, b->note) == 0;
}

/* Of warp-synchronous code each step races with all before it: one place each is enough. */
static bool same_other(const struct smc_program *program, const struct smc_finding *a,
                       const struct smc_finding *b)
{
    return (a->is_volatile && b->is_volatile) ||
           smc_same_lines(program, a->other_instruction, b->other_instruction);
}

/* Lines count, not instructions, so that the iterations of an unrolled loop are one place. */
static bool same_place(const struct smc_program *program, const struct smc_finding *a,
                       const struct smc_finding *b)
{
    return a->kind == b->kind && a->has_other == b->has_other &&
           a->between_blocks == b->between_blocks && strcmp(a->array, b->array) == 0 &&
           same_note(a, b) && same_calls(a, b) &&
           smc_same_lines(program, a->instruction, b->instruction) && same_other(program, a, b);
}

/* Which finding of a full list makes way for the first one of another kind, so that many races do
   not hide what ends a launch: the last one of the most frequent kind. `count`: none. */
static size_t left_out(const struct smc_finding *list, size_t count, enum smc_finding_kind kind)
{
    unsigned of_kind[SMC_FINDING_KINDS] = {0};
    size_t out = count;
    for (size_t i = 0; i < count; i++)
        of_kind[list[i].kind]++;
    for (size_t i = count; i-- > 0;)
        if (of_kind[list[i].kind] > (out < count ? of_kind[list[out].kind] : 1))
            out = i;
    return of_kind[kind] > 0 ? count : out;
}

void smc_find(struct smc_worker *worker, const struct smc_finding *finding)
{
    const bool notes = is_note(finding, worker->launch->request->strictness);
    worker->findings_total += !notes;
    for (uint32_t i = 0; i < worker->findings; i++)
        if (same_place(worker->launch->program, &worker->finding[i], finding)) {
            worker->finding[i].times++;
            return;
        }
    if (worker->findings == SMC_KEPT_FINDINGS) {
        const size_t out = left_out(worker->finding, SMC_KEPT_FINDINGS, finding->kind);
        if (out == SMC_KEPT_FINDINGS)
            return;
        const size_t after = --worker->findings - out;
        memmove(&worker->finding[out], &worker->finding[out + 1], after * sizeof *finding);
        memmove(&worker->finding_block[out], &worker->finding_block[out + 1],
                after * sizeof *worker->finding_block);
    }
    worker->finding_block[worker->findings] = worker->block;
    worker->finding[worker->findings] = *finding;
    worker->finding[worker->findings++].is_note = notes;
}

void smc_end_launch(struct smc_worker *worker)
{
    uint_fast64_t last = atomic_load(&worker->launch->last_block);
    while (worker->block < last &&
           !atomic_compare_exchange_weak(&worker->launch->last_block, &last, worker->block))
        ;
}

static void findings_keep(const struct smc_program *program, const struct smc_finding *finding,
                          struct smc_emulation *emulation)
{
    size_t i = 0;
    while (i < emulation->finding_count && !same_place(program, &emulation->finding[i], finding))
        i++;
    if (i < emulation->finding_count) {
        emulation->finding[i].times += finding->times;
        return;
    }
    if (i == SMC_MAX_FINDINGS) {
        i = left_out(emulation->finding, SMC_MAX_FINDINGS, finding->kind);
        if (i == SMC_MAX_FINDINGS)
            return;
        emulation->finding_count--;
        memmove(&emulation->finding[i], &emulation->finding[i + 1],
                (emulation->finding_count - i) * sizeof *finding);
    }
    emulation->finding[emulation->finding_count++] = *finding;
}

void smc_finding_add(const struct smc_program *program, const struct smc_finding *finding,
                     struct smc_emulation *emulation)
{
    emulation->findings_total += finding->times;
    findings_keep(program, finding, emulation);
}

/* Each worker's findings are in the order of its blocks, so the next one is that of the lowest
   block. */
void smc_findings_merge(const struct smc_worker *worker, size_t count, uint64_t last_block,
                        struct smc_emulation *emulation)
{
    uint32_t next[64] = {0};
    for (size_t w = 0; w < count; w++)
        emulation->findings_total += worker[w].findings_total;
    for (;;) {
        size_t best = count;
        for (size_t w = 0; w < count; w++)
            if (next[w] < worker[w].findings &&
                (best == count ||
                 worker[w].finding_block[next[w]] < worker[best].finding_block[next[best]]))
                best = w;
        if (best == count || worker[best].finding_block[next[best]] > last_block)
            break;
        findings_keep(worker->launch->program, &worker[best].finding[next[best]++], emulation);
    }
    if (last_block == UINT64_MAX)
        return;
    emulation->findings_total = 0; /* the launch ended: without those of later blocks */
    for (size_t i = 0; i < emulation->finding_count; i++)
        if (!emulation->finding[i].is_note)
            emulation->findings_total += emulation->finding[i].times;
}

/* --- Names of mbarrier objects from the source ------------------------------------------------ */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Replaces what is within quotes by blanks. */
static void blank_quotes(char *text)
{
    bool is_quoted = false;
    for (; *text; text++) {
        const bool is_quote = *text == '"';
        if (is_quoted && *text == '\\' && text[1])
            *text++ = ' ';
        if (is_quoted || is_quote)
            *text = ' ';
        is_quoted ^= is_quote;
    }
}

/* The element that a line initializes: of `&s.full[i]` or `full[i]` it is full[number], with a
   number for an index that itself; of `&done`, done. False: there is none. */
static bool element_in(char *text, const struct smc_finding *finding, char *name, size_t room)
{
    blank_quotes(text);
    for (const char *at = text; *at; at++) {
        const char *end = at;
        const bool begins = is_word(*at) && (at == text || !is_word(at[-1]));
        const bool is_address = at > text && at[-1] == '&';
        while (begins && (is_word(*end) || *end == '.' || (*end == '-' && end[1] == '>') ||
                          (*end == '>' && end[-1] == '-')))
            end++;
        const char *last = end;
        while (last > at && is_word(last[-1]))
            last--;
        if (last == end || (*last >= '0' && *last <= '9'))
            continue;
        const int bytes = (int)(end - last);
        if (*end == '[' && end[1] >= '0' && end[1] <= '9')
            snprintf(name, room, "%.*s[%u]", bytes, last, (unsigned)strtoul(end + 1, NULL, 10));
        else if (*end == '[')
            snprintf(name, room, "%.*s[%u]", bytes, last, finding->origin_number);
        else if (is_address && finding->origin_count == 1)
            snprintf(name, room, "%.*s", bytes, last);
        else
            continue;
        return true;
    }
    return false;
}

void smc_finding_name_object(const struct smc_program *program, struct smc_finding *finding,
                             smc_source_line *read, void *context)
{
    const struct smc_finding origin = {.instruction = finding->origin_instruction};
    struct smc_stack stack;
    char text[512];
    if (!finding->is_object || finding->object[0] || !finding->has_origin)
        return;
    smc_finding_stack(program, &origin, false, &stack);
    for (size_t i = 0; i < stack.frames; i++)
        if (stack.frame[i].file &&
            read(context, stack.frame[i].file, stack.frame[i].line, text, sizeof text) &&
            element_in(text, finding, finding->object, sizeof finding->object))
            return;
}

/* --- In words --------------------------------------------------------------------------------- */

struct finding_line {
    char *text;
    size_t room, used;
};

__attribute__((format(printf, 2, 3))) static void say(struct finding_line *line, const char *format,
                                                      ...)
{
    va_list args;
    if (line->used + 1 >= line->room)
        return;
    va_start(args, format);
    int wrote = vsnprintf(line->text + line->used, line->room - line->used, format, args);
    va_end(args);
    line->used += wrote > 0 ? (size_t)wrote : 0;
}

static void say_place(const struct smc_program *program, uint32_t index, const char *file,
                      struct finding_line *line)
{
    const struct smc_instruction *instruction = smc_program_instruction(program, index);
    if (instruction->line == 0) {
        say(line, "PTX line %u", instruction->ptx_line);
        return;
    }
    const char *name = file ? file : smc_program_file(program, instruction->file);
    const char *slash = name && !file ? strrchr(name, '/') : NULL;
    say(line, "%s:%u", slash ? slash + 1 : name ? name : "line", instruction->line);
}

static void say_thread(const uint32_t thread[3], struct finding_line *line)
{
    say(line, "thread (%u,%u,%u)", thread[0], thread[1], thread[2]);
}

static const char *ordinal(uint32_t number)
{
    const uint32_t last = number % 10;
    return number / 10 % 10 == 1 ? "th"
           : last == 1           ? "st"
           : last == 2           ? "nd"
           : last == 3           ? "rd"
                                 : "th";
}

/* "mbarrier object full[0]", or "mbarrier object raw + 57344, the 1st of 3 initialized at
   ws.cu:42". */
static void say_object(const struct smc_program *program, const struct smc_finding *finding,
                       const char *file, struct finding_line *line)
{
    say(line, "; mbarrier object ");
    if (finding->object[0])
        say(line, "%s", finding->object);
    else if (finding->array[0])
        say(line, "%s + %" PRIu64, finding->array, finding->array_offset);
    else
        say(line, "at 0x%" PRIx64, finding->address);
    if (!finding->has_origin)
        return;
    if (!finding->object[0] && finding->origin_count > 1)
        say(line, ", the %u%s of %u initialized at ", finding->origin_number + 1,
            ordinal(finding->origin_number + 1), finding->origin_count);
    else
        say(line, ", initialized at ");
    say_place(program, finding->origin_instruction, file, line);
}

static void say_address(const struct smc_finding *finding, struct finding_line *line)
{
    if (finding->width_bytes)
        say(line, "; %u byte%s at ", finding->width_bytes, smc_text_plural(finding->width_bytes));
    else
        say(line, "; ");
    if (finding->array[0] && (int64_t)finding->array_offset < 0)
        say(line, "%s - %" PRId64, finding->array, -(int64_t)finding->array_offset);
    else if (finding->array[0])
        say(line, "%s + %" PRIu64, finding->array, finding->array_offset);
    else
        say(line, "address 0x%" PRIx64, finding->address);
    if (finding->array[0] && finding->beyond)
        say(line, ", which has %" PRIu64 " byte%s", finding->array_bytes,
            smc_text_plural(finding->array_bytes));
    if (finding->is_shared)
        say(line, " (shared memory)");
}

void smc_finding_describe(const struct smc_program *program, const struct smc_finding *finding,
                          const char *file, char *text, size_t room)
{
    struct finding_line line = {text, room, 0};
    text[0] = '\0';
    say_place(program, finding->instruction, file, &line);
    say(&line, ": %s; block (%u,%u,%u), ", kinds[finding->kind].text, finding->block[0],
        finding->block[1], finding->block[2]);
    if (finding->is_warpgroup)
        say(&line, "warpgroup of ");
    say_thread(finding->thread, &line);
    if (finding->has_other) {
        say(&line, " against ");
        if (finding->between_blocks)
            say(&line, "block (%u,%u,%u), ", finding->other_block[0], finding->other_block[1],
                finding->other_block[2]);
        say_thread(finding->other_thread, &line);
        say(&line, " at ");
        say_place(program, finding->other_instruction, file, &line);
    }
    if (finding->is_object)
        say_object(program, finding, file, &line);
    else if (finding->has_address)
        say_address(finding, &line);
    if (finding->kind == SMC_FINDING_NOT_IN_MASK || finding->kind == SMC_FINDING_ABSENT_LANES)
        say(&line, "; %u of %u lanes", finding->waiting, finding->expected);
    if ((finding->kind == SMC_FINDING_DEADLOCK && !finding->is_object && finding->expected) ||
        finding->kind == SMC_FINDING_DIVERGENT_BARRIER)
        say(&line, "; %u of %u threads are there", finding->waiting, finding->expected);
    if (finding->note[0])
        say(&line, "; %s", finding->note);
    if (finding->times > 1)
        say(&line, "; %" PRIu64 " times", finding->times);
}

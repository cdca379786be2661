/* The user's file that is open in the explorer: its kernels as a list, and what changed. */
#include "show/tui/open_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/tui/tui_fields.h"
#include "show/words/words.h"

static void forget_list(struct smc_open_file *file)
{
    free(file->listed);
    free(file->trace.launches);
    smc_text_free(&file->trace.notes);
    smc_trace_answer_free(&file->answer);
    file->listed = NULL;
    file->trace = (struct smc_trace){0};
    file->answer = (struct smc_trace_answer){0};
    file->listed_count = 0;
}

void smc_open_file_begin(struct smc_open_file *file, const struct smc_open_question *question)
{
    const uint32_t saves = file->question.saves;
    forget_list(file);
    for (size_t i = 0; i < file->count; i++) {
        file->kernel[i]->is_gone = true;
        file->kernel[i]->was_there = false;
        file->kernel[i]->symbol[0] = '\0'; /* that of the new file is another kernel */
    }
    file->question = *question;
    file->question.launch_count = 0;
    file->question.saves = saves + 1; /* the worker may know the file as it was before */
    file->is_read = file->accesses.known = false;
    file->is_stale = true;
    file->failure[0] = '\0';
    snprintf(file->shown, sizeof file->shown, "%s", question->file);
    smc_utf8_make_safe(file->shown);
}

void smc_open_file_close(struct smc_open_file *file)
{
    forget_list(file);
    for (size_t i = 0; i < file->count; i++)
        free(file->kernel[i]);
    free(file->kernel);
    *file = (struct smc_open_file){0};
}

bool smc_open_file_is_due(const struct smc_open_file *file, const struct smc_device *device)
{
    return file->question.file[0] &&
           (file->is_stale || file->changed_launches != file->question.changed_launches ||
            !smc_field_is_device(&file->device, device));
}

void smc_open_file_changed(struct smc_open_file *file)
{
    file->is_stale = true;
    file->question.saves++;
}

/* What was asked is answered; what changed meanwhile is not. */
static void note_answered(struct smc_open_file *file, const struct smc_open_question *asked,
                          const struct smc_device *device)
{
    file->device = *device;
    file->saves = asked->saves;
    file->changed_launches = asked->changed_launches;
    file->is_stale = file->saves != file->question.saves;
}

/* --- The kernels ------------------------------------------------------------------------------ */

static struct smc_open_kernel *find_kernel(const struct smc_open_file *file, const char *symbol)
{
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->kernel[i]->symbol, symbol) == 0)
            return file->kernel[i];
    return NULL;
}

static bool figures_differ(const struct smc_open_figures *a, const struct smc_open_figures *b)
{
    return a->regs_per_thread != b->regs_per_thread ||
           a->static_smem_bytes != b->static_smem_bytes || a->blocks_per_sm != b->blocks_per_sm ||
           a->spilled_bytes != b->spilled_bytes ||
           (a->conflicts_known && b->conflicts_known && a->conflicts != b->conflicts);
}

/* The names within a copy of a kernel. */
static void point_names(struct smc_open_kernel *kernel)
{
    kernel->file_kernel.name = kernel->name;
    kernel->file_kernel.short_name = kernel->short_name;
    kernel->file_kernel.file = kernel->file;
}

/* What an answer is compared with. */
enum comparison {
    WITH_NOTHING,  /* figures for another device are not a change of the file */
    WITH_FILE,     /* as it was before it was saved */
    WITH_LAUNCHES, /* the earlier figures are for other launches: changes stay marked */
};

/* The marks of the last change of the file, without the figures that depend on the launch. */
static void keep_marks(const struct smc_open_kernel *old, struct smc_open_kernel *kernel)
{
    kernel->is_new = old->is_new;
    kernel->before = old->before;
    kernel->before.blocks_per_sm = kernel->now.blocks_per_sm;
    kernel->before.conflicts_known = false;
    kernel->is_changed = old->is_changed && figures_differ(&kernel->before, &kernel->now);
}

static struct smc_open_kernel *take_kernel(struct smc_open_file *file,
                                           const struct smc_open_kernel *read,
                                           enum comparison comparison)
{
    struct smc_open_kernel *kernel = find_kernel(file, read->symbol);
    const bool is_new = !kernel || !kernel->was_there;
    if (!kernel) {
        if (!smc_make_room(&file->kernel, file->count, &file->capacity, sizeof *file->kernel) ||
            !(kernel = smc_malloc(sizeof *kernel)))
            return NULL;
        file->kernel[file->count++] = kernel;
    }
    struct smc_open_kernel old = {0};
    if (!is_new)
        old = *kernel;
    *kernel = *read;
    snprintf(kernel->file, sizeof kernel->file, "%s", file->shown);
    point_names(kernel);
    kernel->is_new = is_new && file->is_read && comparison == WITH_FILE;
    kernel->before = old.now;
    kernel->is_changed = !is_new && comparison == WITH_FILE && figures_differ(&old.now, &read->now);
    if (!is_new && comparison == WITH_LAUNCHES)
        keep_marks(&old, kernel);
    return kernel;
}

const struct smc_open_kernel *smc_open_kernel_of(const struct smc_open_file *file,
                                                 const struct smc_query *query)
{
    for (size_t i = 0; i < file->count; i++)
        if (&file->kernel[i]->file_kernel == query->file_kernel && !file->kernel[i]->is_gone)
            return file->kernel[i];
    return NULL;
}

const struct smc_open_kernel *smc_open_kernel_at(const struct smc_open_file *file, size_t row)
{
    return file->kernel[file->listed[row]];
}

/* --- The list --------------------------------------------------------------------------------- */

/* The index of a kernel's launch; the count if the user has given it none. */
static size_t find_given_launch(const struct smc_open_question *question, const char *symbol)
{
    size_t i = 0;
    while (i < question->launch_count && strcmp(question->launch[i].kernel, symbol) != 0)
        i++;
    return i;
}

static void list_grid(int64_t blocks, uint32_t y, uint32_t z, struct smc_trace_launch *launch)
{
    if (blocks == SMC_NOT_GIVEN)
        return;
    launch->grid[1] = y ? y : 1;
    launch->grid[2] = z ? z : 1;
    launch->grid[0] = (uint32_t)(blocks / launch->grid[1] / launch->grid[2]);
}

static void list_launch(const struct smc_open_question *question,
                        const struct smc_open_kernel *kernel, struct smc_trace_launch *launch)
{
    const size_t at = find_given_launch(question, kernel->symbol);
    smc_trace_launch_init(launch);
    launch->name = launch->shown = (char *)kernel->name;
    launch->launches = 1;
    launch->regs_per_thread = (int32_t)kernel->launch.regs_per_thread;
    launch->static_smem_bytes = kernel->launch.static_smem_bytes;
    launch->dynamic_smem_bytes = kernel->launch.dynamic_smem_bytes;
    launch->block[0] = kernel->launch.threads_per_block;
    launch->block[1] = launch->block[2] = 1;
    if (kernel->block[0] > 0)
        memcpy(launch->block, kernel->block, sizeof launch->block);
    const struct smc_open_launch *given = &question->launch[at];
    if (at < question->launch_count)
        list_grid(given->grid_blocks, given->grid_y, given->grid_z, launch);
    else
        list_grid(question->grid_blocks, question->grid_y, question->grid_z, launch);
}

static void list_row(const struct smc_open_file *file, const struct smc_open_kernel *kernel,
                     const struct smc_trace_launch *launch, struct smc_trace_row *row)
{
    *row = (struct smc_trace_row){
        .launch = launch,
        .device = &file->device,
        .ran_there = true,
        .sm_count = file->device.sm_count,
        .request = kernel->launch,
        .occupancy = kernel->occupancy,
        .occupancy_percent = kernel->occupancy_percent,
        .next_steps = kernel->next_steps,
        .resident_percent = -1,
        .mean_ns = -1,
    };
    row->bound = smc_trace_bound_of(row);
}

static bool list_kernels(struct smc_open_file *file, const char *notes)
{
    const size_t count = file->listed_count;
    struct smc_trace_answer *answer = &file->answer;
    file->trace = (struct smc_trace){.file = file->shown, .launches_unknown = true};
    file->trace.launches = smc_calloc(count + 1, sizeof *file->trace.launches);
    file->trace.launch_count = count;
    smc_text_append(&file->trace.notes, notes);
    *answer = (struct smc_trace_answer){
        .trace = &file->trace,
        .rows = smc_calloc(count + 1, sizeof *answer->rows),
        .kernels = smc_calloc(count + 1, sizeof *answer->kernels),
        .row_count = count,
        .kernel_count = count,
        .launches = count,
        .occupancy_percent = -1,
        .resident_percent = -1,
    };
    if (!file->trace.launches || !answer->rows || !answer->kernels)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct smc_open_kernel *kernel = smc_open_kernel_at(file, i);
        list_launch(&file->question, kernel, &file->trace.launches[i]);
        list_row(file, kernel, &file->trace.launches[i], &answer->rows[i]);
        answer->kernels[i] = (struct smc_trace_kernel){
            .shown = kernel->name,
            .first = i,
            .count = 1,
            .launches = 1,
            .occupancy_percent = kernel->occupancy_percent,
            .resident_percent = -1,
        };
    }
    return true;
}

static size_t index_of(const struct smc_open_file *file, const struct smc_open_kernel *kernel)
{
    size_t i = 0;
    while (file->kernel[i] != kernel)
        i++;
    return i;
}

bool smc_open_file_take(struct smc_open_file *file, const struct smc_open_question *asked,
                        const struct smc_device *device, const struct smc_open_kernel *kernels,
                        size_t count, const char *notes)
{
    const enum comparison comparison = !smc_field_is_device(&file->device, device) ? WITH_NOTHING
                                       : file->saves != asked->saves               ? WITH_FILE
                                                                                   : WITH_LAUNCHES;
    forget_list(file);
    note_answered(file, asked, device);
    file->failure[0] = '\0';
    file->accesses.is_due |= comparison != WITH_LAUNCHES;
    for (size_t i = 0; i < file->count; i++) {
        file->kernel[i]->was_there = !file->kernel[i]->is_gone;
        file->kernel[i]->is_gone = true;
    }
    if (!(file->listed = smc_calloc(count + 1, sizeof *file->listed)))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct smc_open_kernel *kernel = take_kernel(file, &kernels[i], comparison);
        if (!kernel)
            return false;
        file->listed[file->listed_count++] = index_of(file, kernel);
    }
    file->is_read = true;
    return list_kernels(file, notes);
}

void smc_open_file_fail(struct smc_open_file *file, const struct smc_open_question *asked,
                        const struct smc_device *device, const char *why)
{
    note_answered(file, asked, device);
    snprintf(file->failure, sizeof file->failure, "%s", why);
}

/* --- The launches of single kernels --- */

/* As the list has it. */
static void write_listed(const struct smc_open_file *file, const struct smc_open_kernel *kernel,
                         struct smc_open_launch *out)
{
    struct smc_trace_launch launch = {0};
    for (size_t i = 0; i < file->trace.launch_count; i++)
        if (file->trace.launches[i].name == kernel->name)
            launch = file->trace.launches[i];
    *out = (struct smc_open_launch){.threads_per_block = kernel->launch.threads_per_block,
                                    .grid_blocks = SMC_NOT_GIVEN,
                                    .dynamic_smem_bytes = kernel->launch.dynamic_smem_bytes};
    memcpy(out->block, kernel->block, sizeof out->block);
    if (launch.grid[0] > 0)
        out->grid_blocks = (int64_t)launch.grid[0] * launch.grid[1] * launch.grid[2];
    out->grid_y = launch.grid[1];
    out->grid_z = launch.grid[2];
}

static void write_asked(const struct smc_query *query, struct smc_open_launch *out)
{
    const uint32_t *block = query->block, least = query->grid_blocks != SMC_NOT_GIVEN;
    *out = (struct smc_open_launch){
        .threads_per_block = query->threads_per_block,
        .grid_blocks = query->grid_blocks,
        .grid_y = least && query->grid_y ? query->grid_y : least,
        .grid_z = least && query->grid_z ? query->grid_z : least,
        .dynamic_smem_bytes = query->dynamic_smem_bytes,
    };
    if ((int64_t)block[0] * block[1] * block[2] == query->threads_per_block)
        memcpy(out->block, block, sizeof out->block);
}

static bool is_same_launch(const struct smc_open_launch *a, const struct smc_open_launch *b)
{
    return a->threads_per_block == b->threads_per_block &&
           memcmp(a->block, b->block, sizeof a->block) == 0 && a->grid_blocks == b->grid_blocks &&
           a->grid_y == b->grid_y && a->grid_z == b->grid_z &&
           a->dynamic_smem_bytes == b->dynamic_smem_bytes;
}

void smc_open_file_keep_launch(struct smc_open_file *file, const struct smc_query *query)
{
    struct smc_open_question *question = &file->question;
    const struct smc_open_kernel *kernel = smc_open_kernel_of(file, query);
    struct smc_open_launch asked, before;
    if (!kernel)
        return;
    size_t at = find_given_launch(question, kernel->symbol);
    write_asked(query, &asked);
    if (at < question->launch_count) {
        before = question->launch[at];
    } else {
        write_listed(file, kernel, &before);
        if (asked.dynamic_smem_bytes == SMC_NOT_GIVEN)
            before.dynamic_smem_bytes = SMC_NOT_GIVEN;
    }
    if (is_same_launch(&asked, &before))
        return;
    if (at == SMC_MOST_OPEN_LAUNCHES) { /* the oldest one goes */
        at = --question->launch_count;
        memmove(question->launch, question->launch + 1, at * sizeof question->launch[0]);
    }
    question->launch_count += at == question->launch_count;
    question->launch[at] = asked;
    snprintf(question->launch[at].kernel, sizeof question->launch[at].kernel, "%s", kernel->symbol);
    question->changed_launches++;
}

void smc_open_file_follow(const struct smc_open_file *file, struct smc_query *query)
{
    const struct smc_open_kernel *kernel = smc_open_kernel_of(file, query);
    if (!kernel || find_given_launch(&file->question, kernel->symbol) < file->question.launch_count)
        return;
    query->threads_per_block = kernel->launch.threads_per_block;
    memcpy(query->block, kernel->block, sizeof query->block);
}

/* --- Changes ---------------------------------------------------------------------------------- */

static void append_number(uint64_t before, uint64_t now, const char *what, struct smc_text *out)
{
    if (before != now)
        smc_text_printf(out, "%s%" PRIu64 " -> %" PRIu64 " %s", out->length ? ", " : "", before,
                        now, what);
}

static void append_change(const struct smc_open_kernel *kernel, struct smc_text *out)
{
    const struct smc_open_figures *before = &kernel->before, *now = &kernel->now;
    append_number(before->regs_per_thread, now->regs_per_thread, "registers", out);
    append_number(before->static_smem_bytes, now->static_smem_bytes, "B static", out);
    append_number(before->spilled_bytes, now->spilled_bytes, "B spilled", out);
    if (before->conflicts_known && now->conflicts_known)
        append_number(before->conflicts, now->conflicts, "bank conflicts", out);
    append_number(before->blocks_per_sm, now->blocks_per_sm, "blocks per SM", out);
}

void smc_open_kernel_append_change(const struct smc_open_kernel *kernel, struct smc_text *out)
{
    smc_auto_text words = {0};
    if (kernel->is_new)
        smc_text_append(out, "new");
    if (kernel->is_changed)
        append_change(kernel, &words);
    smc_text_append(out, smc_text_string(&words));
}

void smc_open_file_append_changes(const struct smc_open_file *file, struct smc_text *out)
{
    size_t changed = 0;
    for (size_t i = 0; i < file->listed_count; i++) {
        const struct smc_open_kernel *kernel = smc_open_kernel_at(file, i);
        smc_auto_text words = {0};
        smc_open_kernel_append_change(kernel, &words);
        if (words.length)
            smc_text_printf(out, "%s%s: %s", changed++ ? "; " : "", kernel->short_name,
                            smc_text_string(&words));
    }
    for (size_t i = 0; i < file->count; i++)
        if (file->kernel[i]->is_gone && file->kernel[i]->was_there)
            smc_text_printf(out, "%s%s is gone", changed++ ? "; " : "",
                            file->kernel[i]->short_name);
    if (changed == 0)
        smc_text_printf(out, "no figure of its %zu kernel%s changed", file->listed_count,
                        smc_text_plural(file->listed_count));
}

uint64_t smc_open_conflicts(const struct smc_open_accesses *accesses)
{
    uint64_t conflicts = 0;
    for (size_t i = 0; i < accesses->count; i++)
        conflicts += accesses->item[i].total.wavefronts - accesses->item[i].total.least;
    return conflicts;
}

bool smc_open_accesses_fit(const struct smc_open_accesses *accesses, const char *kernel,
                           const struct smc_query *query)
{
    return accesses->known && strcmp(accesses->kernel, kernel) == 0 &&
           accesses->threads_per_block == query->threads_per_block &&
           memcmp(accesses->block, query->block, sizeof accesses->block) == 0;
}

/* --- Questions -------------------------------------------------------------------------------- */

void smc_open_file_ask(const struct smc_open_file *file, const struct smc_query *query,
                       struct smc_open_question *question)
{
    const struct smc_open_kernel *kernel = smc_open_kernel_of(file, query);
    *question = file->question;
    snprintf(question->kernel, sizeof question->kernel, "%s", kernel ? kernel->symbol : "");
}

static void open_file_append_arguments(const char *lines, struct smc_text *out)
{
    while (*lines) {
        char argument[SMC_OPEN_ARGUMENTS_CHARS];
        const size_t length = strcspn(lines, "\n");
        snprintf(argument, sizeof argument, "%.*s", (int)length, lines);
        smc_text_append(out, " -a ");
        smc_words_quote(argument, out);
        lines += length + (lines[length] == '\n');
    }
}

void smc_open_file_append_launch(const struct smc_open_file *file, const struct smc_query *query,
                                 struct smc_text *out)
{
    smc_words_quote(file->question.file, out);
    smc_text_append(out, " --entry ");
    smc_words_quote(query->file_kernel->short_name, out);
    char shape[48];
    smc_field_write_shape(query, SMC_FIELD_THREADS, shape);
    smc_text_printf(out, " --block %s", shape);
    smc_field_write_shape(query, SMC_FIELD_GRID, shape);
    if (query->grid_blocks != SMC_NOT_GIVEN)
        smc_text_printf(out, " --grid %s", shape);
    if (file->question.options[0]) {
        smc_text_append(out, " --compiler-options ");
        smc_words_quote(file->question.options, out);
    }
    open_file_append_arguments(file->question.arguments, out);
}

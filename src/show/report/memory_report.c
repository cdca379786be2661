/* The memory of one kernel, by its kinds: who sees it, until when, and how many bytes. */
#include "show/report/writers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { KIND = 12, SEEN = 13, UNTIL = 14, BYTES_COLUMN = KIND + SEEN + UNTIL };

static const char not_known[] = "not known";

/* A row; the bytes are wrapped. Frees them. */
static void append_kind(const char *kind, const char *seen, const char *until,
                        struct smc_text *bytes, struct smc_text *out)
{
    char left[BYTES_COLUMN + 1];
    snprintf(left, sizeof left, "%-*s%-*s%s", KIND, kind, SEEN, seen, until);
    smc_layout_paragraph(out, left, BYTES_COLUMN,
                         bytes->length > 0 ? smc_text_string(bytes) : not_known,
                         out->style->columns);
    smc_text_free(bytes);
}

static void memory_append_head(struct smc_text *out)
{
    struct smc_text bytes = {0};
    smc_text_append(&bytes, "bytes");
    smc_text_append(out, "\n");
    append_kind("memory", "seen by", "until", &bytes, out);
}

/* Registers, local and shared memory; `has_regs` and so on: they are known. */
static void append_of_block(const struct smc_launch *launch, bool has_regs, bool has_stack,
                            uint32_t stack_bytes, bool has_dynamic, struct smc_text *out)
{
    struct smc_text bytes = {0};
    if (has_regs)
        smc_text_printf(&bytes, "%u per thread: %u registers", 4 * launch->regs_per_thread,
                        launch->regs_per_thread);
    append_kind("registers", "its thread", "thread ends", &bytes, out);
    if (has_stack)
        smc_text_printf(&bytes, "%u per thread", stack_bytes);
    append_kind("local", "its thread", "thread ends", &bytes, out);
    smc_text_printf(&bytes, "%u per block: %u static, ",
                    launch->static_smem_bytes + launch->dynamic_smem_bytes,
                    launch->static_smem_bytes);
    if (has_dynamic) {
        smc_text_printf(&bytes, "%u dynamic", launch->dynamic_smem_bytes);
    } else {
        smc_text_cut(&bytes, 0);
        smc_text_printf(&bytes, "%u static per block, and dynamic ones that the launch gives",
                        launch->static_smem_bytes);
    }
    append_kind("shared", "its block", "block ends", &bytes, out);
}

/* The parameters and the module's variables. */
static void append_of_module(const struct smc_inspect_kernel *kernel, struct smc_text *out)
{
    const struct smc_ptx_memory *memory = &kernel->memory;
    struct smc_text bytes = {0}, variables[2] = {{0}, {0}};
    struct smc_ptx_variable variable;
    const char *ptx = kernel->ptx ? kernel->ptx->text : "";
    if (memory->is_known) {
        smc_text_printf(&bytes, "%" PRIu64, memory->parameter_bytes);
        smc_text_printf(&variables[0], "%" PRIu64, memory->global_bytes);
        smc_text_printf(&variables[1], "%" PRIu64, memory->constant_bytes);
    }
    for (bool first[2] = {true, true}; smc_ptx_next_variable(&ptx, &variable);) {
        struct smc_text *list = &variables[variable.is_constant];
        smc_auto_free char *name = smc_strndup(variable.name, variable.name_length);
        smc_auto_free char *shown = name ? smc_demangle(name) : NULL;
        smc_text_append(list, first[variable.is_constant] ? ": " : ", ");
        first[variable.is_constant] = false;
        if (variable.bytes > 0)
            smc_text_printf(list, "%" PRIu64 " ", variable.bytes);
        smc_text_append(list, shown ? shown : "");
        smc_text_append(list, variable.bytes > 0 ? "" : " of unknown size");
    }
    append_kind("parameters", "all threads", "launch ends", &bytes, out);
    append_kind("constant", "all, host", "program ends", &variables[1], out);
    append_kind("global", "all, host", "program ends", &variables[0], out);
}

void smc_text_memory_of_row(const struct smc_inspect_row *row, struct smc_text *out)
{
    const struct smc_inspect_kernel *kernel = row->kernel;
    if (kernel->resources.refused)
        return;
    memory_append_head(out);
    append_of_block(&row->launch, smc_inspect_regs_known(row), kernel->has_stack,
                    kernel->resources.stack_bytes, !row->dynamic_smem_unknown, out);
    append_of_module(kernel, out);
}

void smc_text_memory_of_run(const struct smc_user_run *run, struct smc_text *out)
{
    const struct smc_user_request *request = &run->request;
    struct smc_text bytes = {0};
    uint64_t total = 0;
    smc_text_memory_of_row(&run->row, out);
    for (size_t i = 0; i < request->argument_count; i++)
        if (request->argument[i].is_buffer)
            total += smc_user_argument_bytes(&request->argument[i]);
    smc_text_printf(&bytes, "%" PRIu64, total);
    for (size_t i = 0, shown = 0; i < request->argument_count; i++)
        if (request->argument[i].is_buffer)
            smc_text_printf(&bytes, "%s%" PRIu64 " arg" SMC_TIE "%zu", shown++ ? ", " : ": ",
                            smc_user_argument_bytes(&request->argument[i]), i + 1);
    append_kind("global", "all, host", "freed", &bytes, out);
}

void smc_text_memory_of_answer(const struct smc_answer *answer, struct smc_text *out)
{
    const struct smc_plan *plan = &answer->plan;
    const bool is_compiled = answer->resources.source != SMC_RESOURCES_GIVEN;
    struct smc_text bytes = {0};
    if (!answer->query.kernel || answer->query.kernel->is_probe || answer->resources.refused)
        return;
    memory_append_head(out);
    append_of_block(&answer->launch, smc_words_regs_known(answer), is_compiled,
                    answer->resources.stack_bytes, true, out);
    smc_text_printf(&bytes, "%" PRIu64, smc_plan_parameter_bytes(plan));
    append_kind("parameters", "all threads", "launch ends", &bytes, out);
    smc_text_printf(&bytes, "%" PRIu64, smc_plan_array_bytes(plan));
    for (size_t i = 0; i < plan->buffer_count; i++)
        smc_text_printf(&bytes, "%s%" PRIu64 " %s", i ? ", " : ": ",
                        plan->buffer[i].elements * smc_dtype_bytes(plan->buffer[i].dtype),
                        plan->buffer[i].name);
    append_kind("global", "all, host", "freed", &bytes, out);
}

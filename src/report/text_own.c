/* A person's own kernel: its launch and limits, the counts, its memory, what was found. */
#include <inttypes.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words_own.h"
#include "report/words_run.h"

static void append_extent(const uint32_t size[3], struct smc_text *line)
{
    smc_text_printf(line, "%u", size[0]);
    if (size[1] > 1 || size[2] > 1)
        smc_text_printf(line, " x %u", size[1]);
    if (size[2] > 1)
        smc_text_printf(line, " x %u", size[2]);
}

static void append_head(const struct smc_own_run *run, const struct smc_report_style *style,
                        struct smc_text *out)
{
    const struct smc_own_request *request = &run->request;
    const struct smc_own_on_gpu *gpu = &run->result.gpu;
    struct smc_text kernel = {0}, device = {0};
    smc_text_printf(&kernel, "%s of %s: grid ", run->row.kernel->shown, request->file);
    append_extent(request->grid, &kernel);
    smc_text_append(&kernel, ", block ");
    append_extent(request->block, &kernel);
    if (kernel.data)
        smc_text_make_safe(kernel.data);
    smc_text_line(out, style, "kernel", &kernel);
    smc_words_run_device(&request->device, &device);
    if (gpu->driver[0])
        smc_text_printf(&device, "; driver for CUDA %s, runtime %s", gpu->driver, gpu->runtime);
    smc_text_line(out, style, "device", &device);
    smc_text_machine_line(run->result.host_name, gpu->gpu_uuid, style, out);
    smc_text_block_line(&run->row.answer, style, out);
    smc_text_free(&kernel);
    smc_text_free(&device);
}

static void append_traffic(const struct smc_own_run *run, size_t index, struct smc_text *line)
{
    static const char *const names[SMC_EMULATED_KINDS] = {"loads", "stores", "atomics"};
    for (int kind = 0; kind < SMC_EMULATED_KINDS; kind++) {
        const struct smc_emulated_traffic *seen = &run->result.emulated.buffer[index].kind[kind];
        if (seen->requests > 0)
            smc_text_printf(line,
                            "; %s: %" PRIu64 SMC_TIE "requests, %" PRIu64 SMC_TIE
                            "sectors, %" PRIu64 SMC_TIE "B",
                            names[kind], seen->requests, seen->sectors, seen->bytes);
    }
}

static void append_agreement(const struct smc_agreement *agreement, struct smc_text *line)
{
    if (!agreement->compared)
        return;
    if (agreement->differing == 0)
        smc_text_append(line, "; the GPU's is the same");
    else
        smc_text_printf(line, "; %" PRIu64 " differ%s on the GPU, from element %" PRIu64 " on",
                        agreement->differing, agreement->differing == 1 ? "s" : "",
                        agreement->first);
    if (agreement->by_order > 0)
        smc_text_printf(line, "; %s by no more than the order of atomics",
                        agreement->by_order == agreement->differing ? "all" : "some");
}

static void append_memory(const struct smc_own_run *run, const struct smc_report_style *style,
                          struct smc_text *out)
{
    if (run->memory_count > 0)
        smc_text_append(out, "\nmemory, and what it holds afterwards\n");
    for (size_t i = 0; i < run->memory_count; i++) {
        const struct smc_own_memory *memory = &run->memory[i];
        const struct smc_own_argument *argument = memory->argument;
        const struct smc_own_digest *digest = smc_words_own_digest(memory);
        struct smc_text line = {0};
        smc_text_printf(&line, "%" PRIu64 " x %s", argument->elements,
                        smc_own_types[argument->type].name);
        append_traffic(run, i, &line);
        if (digest) {
            smc_text_append(&line, "; ");
            smc_words_own_values(memory, &line);
            smc_text_printf(&line, "; %" PRIu64 SMC_TIE "changed; CRC-32" SMC_TIE "%08" PRIx32,
                            digest->changed, digest->crc32);
            append_agreement(&memory->agreement, &line);
        }
        smc_text_line(out, style, memory->name, &line);
        smc_text_free(&line);
    }
}

void smc_text_own(const struct smc_own_run *run, const struct smc_confirmation *confirmation,
                  const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_emulated_run *counts = &run->result.emulated.counts;
    struct smc_text verdict = {0};
    smc_words_own_verdict(run, &verdict);
    smc_layout_begin(out, style, confirmation->differing ? SMC_BAD : SMC_GOOD);
    smc_layout_paragraph(out, "", 0, smc_text_string(&verdict), style->columns);
    smc_layout_end(out, style);
    smc_text_append_char(out, '\n', 1);
    if (counts->finding_count > 0) {
        for (size_t i = 0; i < counts->finding_count; i++)
            smc_layout_paragraph(out, "", 4, counts->finding[i].text, style->columns);
        smc_text_append_char(out, '\n', 1);
    }
    append_head(run, style, out);
    smc_text_append_char(out, '\n', 1);
    smc_text_limits(&run->row.answer, style, out);
    smc_text_append_char(out, '\n', 1);
    smc_text_rows(confirmation, false, style, out);
    append_memory(run, style, out);
    smc_text_annotation(counts->annotation, style, out);
    smc_text_free(&verdict);
}

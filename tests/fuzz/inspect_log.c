/* Fuzzes logs and PTX through to every report. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "answers/inspect.h"
#include "code/inputs.h"
#include "show/report/report.h"

static void report(const struct smc_inspect_kernels *kernels, const struct smc_device *device)
{
    const struct smc_inspect_request request = {
        .devices = device,
        .device_count = device ? 1 : 0,
        .threads_per_block = SMC_NOT_GIVEN,
        .settings = SMC_LAUNCH_INIT,
    };
    static const struct smc_writer *const writers[] = {&smc_writer_text, &smc_writer_json,
                                                       &smc_writer_csv};
    const struct smc_report_style style = {.columns = 80};
    struct smc_inspect_rows rows = {0};
    struct smc_inspect_promises promises = {0};
    struct smc_error error;
    smc_inspect_answer(kernels, &request, &rows, &error);
    smc_inspect_lint(kernels, &request, &promises, &error);
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        struct smc_text out = {.style = &style};
        size_t next = 0;
        do
            next = writers[i]->inspection(&rows, next, &out);
        while (next < rows.count);
        writers[i]->promises(&promises, &out);
        if (out.failed || (out.data && (strchr(out.data, '\033') || strchr(out.data, '\r'))))
            abort();
        smc_text_free(&out);
    }
    smc_inspect_rows_free(&rows);
    smc_inspect_promises_free(&promises);
}

int fuzz_inspect_log(const uint8_t *data, size_t size)
{
    const struct smc_inspect_kernel kind = {.file = "x", .source = SMC_INSPECT_PTXAS_LOG};
    struct smc_capability capability;
    struct smc_device device;
    struct smc_text text = {0};
    struct smc_inspect_kernels kernels = {0};
    struct smc_nvrtc_output output = {0};
    smc_text_append_bytes(&text, (const char *)data, size);
    smc_input_kind("x", &text);
    smc_input_make_text(&text);
    smc_text_append_bytes(&output.log, (const char *)data, size);
    smc_input_make_text(&output.log);
    output.ptx = text;
    struct smc_text faults = {0};
    if (smc_read_nvrtc_output(&output, &kind, &kernels, &faults, NULL) != SMC_OK)
        abort();
    if (faults.data && (strchr(faults.data, '\033') || strchr(faults.data, '\r')))
        abort();
    smc_text_free(&faults);
    report(&kernels, NULL);
    if (smc_capability_find(90, &capability)) {
        smc_device_of_capability(&capability, &device);
        report(&kernels, &device);
    }
    smc_user_kernels_free(&kernels);
    smc_nvrtc_output_free(&output);
    return 0;
}

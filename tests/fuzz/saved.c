/* Fuzzes files of saved figures through to every report of a comparison. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "answers/diff.h"
#include "code/inputs.h"
#include "show/report/diff_report.h"
#include "show/report/report.h"

static void check(const struct smc_text *out)
{
    if (out->failed || (out->data && strchr(out->data, '\033')))
        abort();
}

static void report(const struct smc_inspect_kernels *before,
                   const struct smc_inspect_kernels *after)
{
    const struct smc_inspect_request request = {
        .threads_per_block = SMC_NOT_GIVEN,
        .settings = SMC_LAUNCH_INIT,
    };
    static const struct smc_writer *const writers[] = {&smc_writer_text, &smc_writer_json,
                                                       &smc_writer_csv};
    const struct smc_report_style style = {.columns = 80};
    struct smc_diff diff = {0};
    struct smc_text out = {.style = &style};
    struct smc_error error;
    smc_diff_compare(before, after, &request, &diff, &error);
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        writers[i]->diff(&diff, &out);
        check(&out);
        smc_text_free(&out);
    }
    smc_markdown_diff(&diff, &out);
    check(&out);
    smc_text_free(&out);
    smc_diff_free(&diff);
}

/* The bytes up to a binary zero are the old build, the rest the new one. */
int fuzz_saved(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t first = zero ? (size_t)(zero - data) : size;
    struct smc_inspect_kernels before = {0}, after = {0};
    struct smc_text old = {0}, new = {0}, saved = {0};
    const struct smc_inspect_request request = {.threads_per_block = SMC_NOT_GIVEN};
    struct smc_error error;
    smc_text_append_bytes(&old, (const char *)data, first);
    smc_text_append_bytes(&new, (const char *)data + first, size - first);
    for (size_t i = 0; i < new.length; i++)
        new.data[i] = new.data[i] ? new.data[i] : ' ';
    if (smc_saved_read("old", &old, &before, &error) == SMC_OK) {
        smc_saved_read("new", zero ? &new : &old, &after, &error);
        if (smc_saved_write(&before, &request, NULL, &saved, &error) != SMC_OK)
            abort();
        report(&before, &after);
    }
    smc_text_free(&saved);
    smc_text_free(&old);
    smc_text_free(&new);
    smc_user_kernels_free(&before);
    smc_user_kernels_free(&after);
    return 0;
}

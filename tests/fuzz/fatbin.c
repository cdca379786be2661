/* Fuzzes containers of machine code: the file as it is, as the content of a part of each
   compression, and as a member of an archive. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "code/machine_code.h"
#include "code/readers/embedded.h"
#include "code/user_kernels.h"

static enum smc_status take_ptx(void *context, const struct smc_embedded_ptx *ptx,
                                struct smc_error *error)
{
    (void)error;
    smc_text_printf(context, "%u-%u\n", ptx->first_cc, ptx->last_cc);
    smc_text_append_bytes(context, ptx->text, strnlen(ptx->text, ptx->bytes));
    return SMC_OK;
}

/* What was read, as a text that must not depend on the threads. */
static void describe(const uint8_t *data, size_t size, uint32_t threads, struct smc_text *out)
{
    static const struct smc_inspect_kernel kind = {.file = "x", .source = SMC_INSPECT_EMBEDDED};
    const struct smc_embedded_request request = {.file = data,
                                                 .bytes = size,
                                                 .kind = &kind,
                                                 .threads = threads,
                                                 .take_ptx = take_ptx,
                                                 .ptx_context = out};
    struct smc_inspect_kernels kernels = {0};
    struct smc_embedded_count count;
    struct smc_inspect_notes notes = {0};
    struct smc_error error;
    enum smc_status status = smc_embedded_read(&request, &kernels, &count, &notes, &error);
    if (status == SMC_USAGE && strncmp(error.message, "x: ", 3) == 0)
        smc_text_append(out, error.message); /* it would decompress to too much */
    else if (status != SMC_OK)
        abort();
    for (size_t i = 0; i < kernels.count; i++)
        smc_text_printf(out, "%s %u %u\n", kernels.item[i].shown, kernels.item[i].cc,
                        kernels.item[i].resources.regs_per_thread);
    smc_text_append(out, smc_text_string(&notes.faults));
    smc_user_kernels_free(&kernels);
    smc_inspect_notes_free(&notes);
}

static void read_file(const uint8_t *data, size_t size)
{
    struct smc_text one = {0}, three = {0};
    describe(data, size, 1, &one);
    describe(data, size, 3, &three);
    if (strcmp(smc_text_string(&one), smc_text_string(&three)) != 0)
        abort();
    smc_text_free(&one);
    smc_text_free(&three);
}

static void read_part(const uint8_t *data, size_t size, uint64_t flags, uint32_t code_bytes)
{
    const struct {
        char archive[8], member[60];
        unsigned char container[8];
        uint64_t bytes;
        uint16_t kind, version;
        uint32_t part_head_bytes;
        uint64_t part_bytes;
        uint32_t compressed_bytes, options;
        uint32_t unused, cc, name[2];
        uint64_t flags, reserved, code_bytes;
    } __attribute__((packed)) head = {
        .archive = "!<arch>\n",
        .member = "fuzz.o/         0           0     0     100644  999999999 `\n",
        .container = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0},
        .bytes = size + 64,
        .kind = 2,
        .version = 0x101,
        .part_head_bytes = 64,
        .part_bytes = size,
        .compressed_bytes = (uint32_t)size,
        .cc = 90,
        .flags = flags,
        .code_bytes = code_bytes,
    };
    uint8_t *file = malloc(size + sizeof head);
    if (!file)
        return;
    memcpy(file, &head, sizeof head);
    if (size)
        memcpy(file + sizeof head, data, size);
    read_file(file, size + sizeof head);
    free(file);
}

int fuzz_fatbin(const uint8_t *data, size_t size)
{
    uint32_t code_bytes = 0;
    read_file(data, size);
    if (size < sizeof code_bytes)
        return 0;
    memcpy(&code_bytes, data, sizeof code_bytes);
    data += sizeof code_bytes;
    size -= sizeof code_bytes;
    read_part(data, size, 0, 0);
    read_part(data, size, 0x2000, code_bytes);
    read_part(data, size, 0x8000, code_bytes);
    return 0;
}

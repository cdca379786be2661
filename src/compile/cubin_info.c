/* The attributes of machine code, in .nv.info and .nv.info.KERNEL: each a byte of form, a byte of
   kind, and a value of 16 bits, which for the sized form counts the bytes that follow. */
#include <string.h>

#include "compile/cubin_parts.h"

enum form { FORM_NONE = 1, FORM_BYTE, FORM_SHORT, FORM_SIZED };

enum kind {
    MAX_THREADS = 0x05,
    PARAMETER_BANK = 0x0a, /* symbol, 16 bits of offset, 16 of size */
    REQUIRED_THREADS = 0x10,
    FRAME_SIZE = 0x11,
    LEAST_STACK = 0x12,
    PARAMETER = 0x17, /* index, 16 bits of number, 16 of offset, size above 18 bits */
    PARAMETER_BYTES = 0x19,
    REGISTER_COUNT = 0x2f,
    CLUSTER_SIZE = 0x3d,
    BARRIER_COUNT = 0x4c,
};

enum { MOST_BARRIERS = 16, PARAMETER_SIZE_SHIFT = 18 };

/* How the kinds that are read here are laid down. */
static const struct {
    uint8_t kind, form;
    uint16_t bytes;
} layouts[] = {
    {MAX_THREADS, FORM_SIZED, 12},      {PARAMETER_BANK, FORM_SIZED, 8},
    {REQUIRED_THREADS, FORM_SIZED, 12}, {FRAME_SIZE, FORM_SIZED, 8},
    {LEAST_STACK, FORM_SIZED, 8},       {PARAMETER, FORM_SIZED, 12},
    {PARAMETER_BYTES, FORM_SHORT, 0},   {REGISTER_COUNT, FORM_SIZED, 8},
    {CLUSTER_SIZE, FORM_SIZED, 12},     {BARRIER_COUNT, FORM_BYTE, 0},
};

struct attribute {
    uint8_t form, kind;
    uint16_t value;
    uint32_t word[3]; /* of what follows */
};

static bool is_laid_down_well(const struct attribute *attribute)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].kind == attribute->kind)
            return layouts[i].form == attribute->form &&
                   (attribute->form != FORM_SIZED || layouts[i].bytes == attribute->value);
    return attribute->form >= FORM_NONE && attribute->form <= FORM_SIZED;
}

/* Moves past the attribute; false where it does not end within the section. */
static bool next_attribute(const char **at, const char *end, struct attribute *attribute)
{
    const size_t head = 2 * sizeof(uint8_t) + sizeof(uint16_t);
    *attribute = (struct attribute){0};
    if ((size_t)(end - *at) < head)
        return false;
    memcpy(&attribute->form, *at, 1);
    memcpy(&attribute->kind, *at + 1, 1);
    memcpy(&attribute->value, *at + 2, sizeof attribute->value);
    *at += head;
    if (attribute->form != FORM_SIZED)
        return true;
    size_t bytes = attribute->value;
    if ((size_t)(end - *at) < bytes)
        return false;
    memcpy(attribute->word, *at, bytes < sizeof attribute->word ? bytes : sizeof attribute->word);
    *at += bytes;
    return true;
}

/* The first word numbers a symbol; those of functions that are no kernels do not count. */
static bool take_count(const struct smc_cubin_reading *reading, const struct attribute *attribute)
{
    struct smc_cubin_kernel *kernel;
    uint32_t value = attribute->word[1];
    if (!smc_cubin_kernel_of(reading, attribute->word[0], &kernel))
        return false;
    if (!kernel)
        return true;
    struct smc_cubin_claims *claims = smc_cubin_claims_of(reading, kernel);
    if (attribute->kind == REGISTER_COUNT) {
        kernel->regs_per_thread = value;
    } else if (attribute->kind == FRAME_SIZE) {
        claims->has_frame = true;
        kernel->stack_bytes = value;
    } else {
        claims->has_least_stack = true;
        claims->least_stack = value;
    }
    return true;
}

static bool take_extent(const struct attribute *attribute, uint32_t *count)
{
    uint64_t n = 1;
    for (int i = 0; i < 3; i++) {
        n *= attribute->word[i];
        if (n == 0 || n > UINT32_MAX)
            return false;
    }
    *count = (uint32_t)n;
    return true;
}

static void take_parameter(const struct attribute *attribute, struct smc_cubin_claims *claims)
{
    uint32_t offset = attribute->word[1] >> 16;
    uint32_t end = offset + (attribute->word[2] >> PARAMETER_SIZE_SHIFT);
    claims->parameters_end = end > claims->parameters_end ? end : claims->parameters_end;
}

/* What concerns the kernel alone in whose section it stands. */
static bool take_own(const struct attribute *attribute, struct smc_cubin_kernel *kernel,
                     struct smc_cubin_claims *claims)
{
    switch ((enum kind)attribute->kind) {
    case MAX_THREADS:
    case REQUIRED_THREADS:
        return take_extent(attribute, &kernel->max_threads_per_block);
    case CLUSTER_SIZE:
        return take_extent(attribute, &kernel->blocks_per_cluster);
    case BARRIER_COUNT:
        kernel->barriers = attribute->value;
        return kernel->barriers <= MOST_BARRIERS;
    case PARAMETER:
        take_parameter(attribute, claims);
        return true;
    case PARAMETER_BYTES:
        claims->has_parameters = true;
        claims->parameter_bytes = attribute->value;
        return true;
    case PARAMETER_BANK:
        claims->has_bank = true;
        claims->bank_bytes = attribute->word[1] >> 16;
        claims->bank_end = (attribute->word[1] & 0xffff) + claims->bank_bytes;
        return true;
    default:
        return true;
    }
}

static bool take(const struct smc_cubin_reading *reading, const struct attribute *attribute,
                 struct smc_cubin_kernel *kernel)
{
    switch ((enum kind)attribute->kind) {
    case REGISTER_COUNT:
    case FRAME_SIZE:
    case LEAST_STACK:
        return take_count(reading, attribute);
    default:
        return !kernel || take_own(attribute, kernel, smc_cubin_claims_of(reading, kernel));
    }
}

enum smc_status smc_cubin_read_attributes(const struct smc_cubin_reading *reading,
                                          const struct smc_cubin_section *section,
                                          struct smc_cubin_kernel *kernel)
{
    const Elf_Data *data = elf_rawdata(section->content, NULL);
    const char *at = data ? data->d_buf : NULL, *const end = at ? at + data->d_size : NULL;
    struct attribute attribute;
    while (at < end) {
        bool whole = next_attribute(&at, end, &attribute);
        if (!whole || !is_laid_down_well(&attribute) || !take(reading, &attribute, kernel))
            return smc_fail(reading->error, SMC_USAGE,
                            "section %.200s holds an attribute that cannot be", section->name);
    }
    return SMC_OK;
}

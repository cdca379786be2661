/* Machine code: a damaged or truncated file is refused with the reason, and none of its contents is
   used. */
#include "config.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/compile/build_note.h"
#include "code/inputs.h"
#include "code/machine_code.h"
#include "code/user_kernels.h"
#include "unit.h"

#define DATA SMC_SOURCE_DIR "/tests/data/inspect/"

/* A file of machine code in its own memory, aligned as its tables require. */
struct image {
    char *bytes;
    size_t size;
};

static struct image load(const char *path)
{
    struct smc_text text = {0};
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(smc_input_read(path, &text, &error), SMC_OK);
    struct image image = {malloc(text.length), text.length};
    CU_ASSERT_PTR_NOT_NULL_FATAL(image.bytes);
    memcpy(image.bytes, text.data, text.length);
    smc_text_free(&text);
    return image;
}

static Elf64_Ehdr *header(struct image *image)
{
    return (Elf64_Ehdr *)image->bytes;
}

static Elf64_Shdr *section(struct image *image, const char *name)
{
    Elf64_Shdr *sections = (Elf64_Shdr *)(image->bytes + header(image)->e_shoff);
    const char *names = image->bytes + sections[header(image)->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < header(image)->e_shnum; i++)
        if (strcmp(names + sections[i].sh_name, name) == 0)
            return &sections[i];
    CU_FAIL_FATAL("no such section");
    return NULL;
}

static char *section_name(struct image *image, const char *name)
{
    return image->bytes + section(image, ".shstrtab")->sh_offset + section(image, name)->sh_name;
}

static Elf64_Sym *symbol(struct image *image, const char *name)
{
    Elf64_Shdr *table = section(image, ".symtab");
    Elf64_Sym *symbols = (Elf64_Sym *)(image->bytes + table->sh_offset);
    const char *names = image->bytes + section(image, ".strtab")->sh_offset;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
        if (strcmp(names + symbols[i].st_name, name) == 0)
            return &symbols[i];
    CU_FAIL_FATAL("no such symbol");
    return NULL;
}

/* The first attribute of a kind, with its data after the first four bytes. */
static uint32_t *attribute(struct image *image, const char *name, uint8_t kind)
{
    const Elf64_Shdr *info = section(image, name);
    char *at = image->bytes + info->sh_offset, *const end = at + info->sh_size;
    while (at < end && (uint8_t)at[1] != kind) {
        uint16_t bytes;
        memcpy(&bytes, at + 2, sizeof bytes);
        at += 4 + (at[0] == 4 ? bytes : 0);
    }
    CU_ASSERT_FATAL(at < end);
    return (uint32_t *)at;
}

static Elf64_Phdr *segment_of_memory(struct image *image)
{
    Elf64_Phdr *segment = (Elf64_Phdr *)(image->bytes + header(image)->e_phoff);
    while (segment->p_memsz == segment->p_filesz)
        segment++;
    return segment;
}

/* --- Damage ----------------------------------------------------------------------------------- */

static void type(struct image *i)
{
    header(i)->e_type = 7;
}
static void entry_size(struct image *i)
{
    header(i)->e_shentsize = 40;
}
static void sections_far(struct image *i)
{
    header(i)->e_shoff = i->size - 64;
}
static void segments_far(struct image *i)
{
    header(i)->e_phoff = UINT64_MAX - 8;
}
static void segment_far(struct image *i)
{
    segment_of_memory(i)->p_offset = i->size + 1;
}
static void name_far(struct image *i)
{
    section(i, ".text.bounded")->sh_name = 0xffffff;
}
static void section_far(struct image *i)
{
    section(i, ".nv.constant0.bounded")->sh_size = i->size;
}
static void less_shared(struct image *i)
{
    section(i, ".nv.shared.bounded")->sh_size = 0;
}
static void other_architecture(struct image *i)
{
    header(i)->e_flags ^= 0x0a00;
}
static void no_symbols(struct image *i)
{
    section(i, ".symtab")->sh_type = SHT_PROGBITS;
}
static void symbol_size(struct image *i)
{
    symbol(i, "bounded")->st_size += 128;
}
static void symbol_name(struct image *i)
{
    symbol(i, "bounded")->st_name = symbol(i, "spilling")->st_name;
}
static void symbol_section(struct image *i)
{
    symbol(i, "bounded")->st_shndx = 0x4000;
}
static void symbol_type(struct image *i)
{
    symbol(i, "bounded")->st_info = STT_OBJECT;
}
static void no_kernel(struct image *i)
{
    symbol(i, "bounded")->st_other = 0;
}
static void code_name(struct image *i)
{
    section_name(i, ".text.bounded")[1] = 'T';
}
static void info_name(struct image *i)
{
    section_name(i, ".nv.info.bounded")[4] = 'I';
}
static void shared_name(struct image *i)
{
    section_name(i, ".nv.shared.bounded")[4] = 'S';
}
static void shared_owner(struct image *i)
{
    section(i, ".nv.shared.bounded")->sh_info = section(i, ".nv.shared.spilling")->sh_info;
}
static void no_regs(struct image *i)
{
    attribute(i, ".nv.info", 0x2f)[2] = 0;
}
static void many_regs(struct image *i)
{
    attribute(i, ".nv.info", 0x2f)[2] = 256;
}
static void more_regs_in_code(struct image *i)
{
    section(i, ".text.bounded")->sh_info |= 200u << 24;
}
static void regs_of_none(struct image *i)
{
    attribute(i, ".nv.info", 0x2f)[1] = 1000;
}
static void deep_frame(struct image *i)
{
    attribute(i, ".nv.info", 0x11)[2] = 4096;
}
static void attribute_form(struct image *i)
{
    *(char *)attribute(i, ".nv.info.bounded", 0x37) = 9;
}
static void attribute_size(struct image *i)
{
    ((uint16_t *)attribute(i, ".nv.info.bounded", 0x05))[1] = 8;
}
static void attribute_far(struct image *i)
{
    ((uint16_t *)attribute(i, ".nv.info.bounded", 0x36))[1] = 4000;
}
static void barriers(struct image *i)
{
    ((uint16_t *)attribute(i, ".nv.info.bounded", 0x4c))[1] = 17;
}
static void no_threads(struct image *i)
{
    attribute(i, ".nv.info.bounded", 0x05)[2] = 0;
}
static void parameter(struct image *i)
{
    attribute(i, ".nv.info.bounded", 0x17)[3] += 4 << 18;
}
static void parameter_number(struct image *i)
{
    attribute(i, ".nv.info.spilling", 0x17)[2] -= 1;
}
static void parameter_missing(struct image *i)
{
    attribute(i, ".nv.info.spilling", 0x17)[2] += 1;
}
static void parameter_far(struct image *i)
{
    attribute(i, ".nv.info.spilling", 0x17)[2] |= 0xffff;
}
static void parameter_overlaps(struct image *i)
{
    attribute(i, ".nv.info.spilling", 0x17)[2] -= 4 << 16;
    attribute(i, ".nv.info.spilling", 0x17)[3] += 4 << 18;
}
static void parameter_empty(struct image *i)
{
    attribute(i, ".nv.info.spilling", 0x17)[3] &= (1 << 18) - 1;
}
static void parameter_bank(struct image *i)
{
    attribute(i, ".nv.info.bounded", 0x0a)[2] += 8;
}

#define CODE_PAST_END "extends beyond the end of the file"

static const struct damage {
    void (*damage)(struct image *);
    const char *message;
} damages[] = {
    {type, "its header names no type of machine code"},
    {entry_size, "its header has entries of a wrong size"},
    {sections_far, "its table of sections " CODE_PAST_END},
    {segments_far, "its table of segments " CODE_PAST_END},
    {segment_far, "segment 3 " CODE_PAST_END},
    {name_far, "section 18 has no name"},
    {section_far, "section .nv.constant0.bounded " CODE_PAST_END},
    {less_shared, "its segments and its sections differ in the memory they take"},
    {other_architecture, "it was compiled for sm_90 by its note, for sm_80 by its header"},
    {no_symbols, "it has no symbols"},
    {symbol_size, "the symbol of the kernel bounded does not fit its code"},
    {symbol_name, "the symbol of the kernel spilling does not fit its code"},
    {symbol_section, "symbol 14 is a function without a name or code"},
    {symbol_type, "section .text.bounded has no symbol"},
    {no_kernel, "section .nv.shared.bounded belongs to no code that there is"},
    {code_name, "the symbol of the kernel bounded does not fit its code"},
    {info_name, "section .nv.Info.bounded belongs to no code that there is"},
    {shared_name, "section .nv.Shared.bounded belongs to no code that there is"},
    {shared_owner, "section .nv.shared.bounded belongs to no code that there is"},
    {no_regs, "kernel bounded cannot have 0 registers"},
    {many_regs, "kernel bounded cannot have 256 registers"},
    {more_regs_in_code, "kernel bounded cannot have 10 registers"},
    {regs_of_none, "section .nv.info holds an attribute that cannot be"},
    {deep_frame, "kernel bounded cannot have a stack of 4096 bytes"},
    {attribute_form, "section .nv.info.bounded holds an attribute that cannot be"},
    {attribute_size, "section .nv.info.bounded holds an attribute that cannot be"},
    {attribute_far, "section .nv.info.bounded holds an attribute that cannot be"},
    {barriers, "section .nv.info.bounded holds an attribute that cannot be"},
    {no_threads, "section .nv.info.bounded holds an attribute that cannot be"},
    {parameter, "kernel bounded has parameters of different sizes"},
    {parameter_number, "section .nv.info.spilling holds an attribute that cannot be"},
    {parameter_missing, "kernel spilling has parameters of different sizes"},
    {parameter_far, "section .nv.info.spilling holds an attribute that cannot be"},
    {parameter_overlaps, "kernel spilling has parameters of different sizes"},
    {parameter_empty, "section .nv.info.spilling holds an attribute that cannot be"},
    {parameter_bank, "kernel bounded has parameters of different sizes"},
};

static void test_damage(void)
{
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct image image = load(DATA "own-sm90.cubin");
        struct smc_cubin cubin;
        struct smc_error error = {""};
        damages[i].damage(&image);
        enum smc_status status = smc_cubin_open(image.bytes, image.size, &cubin, &error);
        CU_ASSERT_EQUAL(status, SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(error.message, damages[i].message);
        if (strcmp(error.message, damages[i].message) != 0)
            printf("\n    damage %zu: %s", i, error.message);
        if (status == SMC_OK)
            smc_cubin_close(&cubin);
        free(image.bytes);
    }
}

static void test_cut(void)
{
    static const char *const files[] = {DATA "own-sm75.cubin", DATA "own-sm90-cuda12.cubin",
                                        DATA "own-sm120.cubin"};
    int believed = 0, unexplained = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct image whole = load(files[i]);
        for (size_t size = 0; size < whole.size; size += size < 128 ? 1 : 61) {
            struct smc_cubin cubin;
            struct smc_error error = {""};
            char *part = malloc(size ? size : 1); /* of exactly that size, for the sanitizer */
            CU_ASSERT_PTR_NOT_NULL_FATAL(part);
            memcpy(part, whole.bytes, size);
            if (smc_cubin_open(part, size, &cubin, &error) == SMC_OK) {
                believed++;
                smc_cubin_close(&cubin);
            }
            unexplained += !error.message[0];
            free(part);
        }
        free(whole.bytes);
    }
    CU_ASSERT_EQUAL(believed, 0);
    CU_ASSERT_EQUAL(unexplained, 0);
}

static bool has_the_same_kernels(const struct smc_cubin *a, const struct smc_cubin *b)
{
    if (a->cc != b->cc || a->suffix != b->suffix || a->kernel_count != b->kernel_count)
        return false;
    for (size_t i = 0; i < a->kernel_count; i++) {
        struct smc_cubin_kernel k = a->kernel[i], l = b->kernel[i];
        bool same_name = strcmp(k.name, l.name) == 0;
        k.name = l.name = NULL;
        bool same_parameters =
            k.parameter_count == l.parameter_count &&
            (k.parameter_count == 0 ||
             memcmp(k.parameter, l.parameter, k.parameter_count * sizeof *k.parameter) == 0);
        k.code = l.code = NULL; /* each within its own file */
        k.parameter = l.parameter = NULL;
        if (!same_name || !same_parameters || memcmp(&k, &l, sizeof k) != 0)
            return false;
    }
    return true;
}

/* A flipped bit is detected or changes no reported value, except in values that are stored only
   once: registers, the frame of a kernel that calls nothing, launch bounds. */
static void test_flipped_bits(void)
{
    struct image sound = load(DATA "own-sm90.cubin"), image = load(DATA "own-sm90.cubin");
    struct smc_cubin right, read;
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(smc_cubin_open(sound.bytes, sound.size, &right, &error), SMC_OK);
    unsigned refused = 0, changed = 0;
    for (size_t at = 0; at < image.size; at++) {
        image.bytes[at] ^= (char)(1 << at % 8);
        if (smc_cubin_open(image.bytes, image.size, &read, &error) == SMC_OK) {
            changed += !has_the_same_kernels(&right, &read);
            smc_cubin_close(&read);
        } else {
            refused++;
        }
        image.bytes[at] ^= (char)(1 << at % 8);
    }
    CU_ASSERT(refused > image.size / 20);
    CU_ASSERT(changed < image.size / 300);
    smc_cubin_close(&right);
    free(sound.bytes);
    free(image.bytes);
}

/* --- Sound code ------------------------------------------------------------------------------- */

static void check_suffix(struct image *image, char suffix)
{
    struct smc_cubin cubin;
    struct smc_error error = {""};
    CU_ASSERT_EQUAL_FATAL(smc_cubin_open(image->bytes, image->size, &cubin, &error), SMC_OK);
    CU_ASSERT_EQUAL(cubin.suffix, suffix);
    smc_cubin_close(&cubin);
}

/* Up to CUDA 12.8 a flag identifies it; later the compiler's note. */
static void test_suffixes(void)
{
    struct image cuda12 = load(DATA "own-sm90-cuda12.cubin"), cuda13 = load(DATA "own-sm120.cubin");
    static const char option[] = "-arch sm_120 ";
    char *note = memmem(cuda13.bytes, cuda13.size, option, sizeof option - 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(note);
    check_suffix(&cuda12, '\0');
    check_suffix(&cuda13, '\0');
    header(&cuda12)->e_flags |= 0x800;
    check_suffix(&cuda12, 'a');
    header(&cuda13)->e_flags |= 0x8;
    check_suffix(&cuda13, 'a');
    for (const char *suffix = "af"; *suffix; suffix++) {
        note[sizeof option - 2] = *suffix;
        check_suffix(&cuda13, *suffix);
    }
    section(&cuda13, ".note.nv.tkinfo")->sh_size = 0; /* libelf treats it as without contents */
    header(&cuda13)->e_flags &= ~0x8u;
    check_suffix(&cuda13, '\0');
    free(cuda12.bytes);
    free(cuda13.bytes);
}

/* What setmaxnreg sets is in its instruction; other code for sm_90 has no such operation. */
static void test_set_registers(void)
{
    static const unsigned char decrease[] = {0xc8, 0x79, 0, 0, 40},
                               increase[] = {0xc8, 0x79, 0, 0, 232};
    struct image image = load(DATA "own-sm90-cuda12.cubin");
    struct smc_cubin cubin;
    struct smc_error error = {""};
    for (int specific = 0; specific < 2; specific++) {
        header(&image)->e_flags |= specific ? 0x800 : 0;
        CU_ASSERT_EQUAL_FATAL(smc_cubin_open(image.bytes, image.size, &cubin, &error), SMC_OK);
        CU_ASSERT_EQUAL(cubin.kernel[0].most_set_regs, specific ? 232 : 0);
        CU_ASSERT_EQUAL(cubin.kernel[0].fewest_set_regs, specific ? 40 : 0);
        CU_ASSERT_TRUE_FATAL(cubin.kernel[0].code_bytes >= 64);
        char *code = image.bytes + ((const char *)cubin.kernel[0].code - image.bytes);
        smc_cubin_close(&cubin);
        memcpy(code + 16, increase, sizeof increase);
        memcpy(code + 32, decrease, sizeof decrease);
    }
    free(image.bytes);
}

static void test_barriers(void)
{
    struct image image = load(DATA "own-sm75.cubin");
    uint32_t count = 77;
    struct smc_error error = {""};
    enum smc_status status =
        smc_cubin_read_barriers(image.bytes, image.size, "bounded", &count, &error);
    CU_ASSERT_EQUAL(status, SMC_OK);
    CU_ASSERT_EQUAL(count, 1);
    status = smc_cubin_read_barriers(image.bytes, image.size, "nobody", &count, &error);
    CU_ASSERT_EQUAL(status, SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "no kernel nobody in its machine code");
    status = smc_cubin_read_barriers("", 0, "bounded", &count, &error);
    CU_ASSERT_EQUAL(status, SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "no machine code of a GPU");
    free(image.bytes);
}

static const struct smc_cubin_kernel *kernel_of(const struct smc_cubin *cubin, const char *name)
{
    for (size_t i = 0; i < cubin->kernel_count; i++)
        if (strcmp(cubin->kernel[i].name, name) == 0)
            return &cubin->kernel[i];
    CU_FAIL_FATAL("no such kernel");
    return NULL;
}

static void check_parameters(const char *file, uint32_t at)
{
    struct image image = load(file);
    struct smc_cubin cubin;
    struct smc_error error = {""};
    CU_ASSERT_EQUAL_FATAL(smc_cubin_open(image.bytes, image.size, &cubin, &error), SMC_OK);
    const struct smc_cubin_kernel *kernel = kernel_of(&cubin, "spilling"); /* float *, int */
    CU_ASSERT_EQUAL(kernel->parameters_at, at);
    CU_ASSERT_EQUAL(kernel->parameter_bytes, 12);
    CU_ASSERT_EQUAL_FATAL(kernel->parameter_count, 2);
    CU_ASSERT_EQUAL(kernel->parameter[0].offset, 0);
    CU_ASSERT_EQUAL(kernel->parameter[0].bytes, 8);
    CU_ASSERT_EQUAL(kernel->parameter[1].offset, 8);
    CU_ASSERT_EQUAL(kernel->parameter[1].bytes, 4);
    kernel = kernel_of(&cubin, "bounded"); /* float * */
    CU_ASSERT_EQUAL(kernel->parameter_bytes, 8);
    CU_ASSERT_EQUAL(kernel->parameter_count, 1);
    smc_cubin_close(&cubin);
    free(image.bytes);
}

static void test_parameters(void)
{
    check_parameters(DATA "own-sm75.cubin", 0x160);
    check_parameters(DATA "own-sm90.cubin", 0x210);
    check_parameters(DATA "own-sm120.cubin", 0x380);
}

/* Without parameters, constant bank 0 holds the shape of the launch as with some. */
static void test_no_parameters(void)
{
    struct image image = load(DATA "no-parameters-sm90.cubin");
    struct smc_cubin cubin;
    struct smc_error error = {""};
    CU_ASSERT_EQUAL_FATAL(smc_cubin_open(image.bytes, image.size, &cubin, &error), SMC_OK);
    const struct smc_cubin_kernel *kernel = kernel_of(&cubin, "no_parameters");
    CU_ASSERT_EQUAL(kernel->parameters_at, 0x210);
    CU_ASSERT_EQUAL(kernel->parameter_bytes, 0);
    CU_ASSERT_EQUAL(kernel->parameter_count, 0);
    smc_cubin_close(&cubin);
    free(image.bytes);
}

/* --- How it was compiled ---------------------------------------------------------------------- */

static void test_build_note(void)
{
    static const struct {
        const char *options, *read;
    } cases[] = {
        {"-arch sm_90 -m 64", ""},
        {"-v -lineinfo -arch sm_90 -O 1 -o a.cubin", "-O1"},
        {"-arch sm_90 -maxrregcount 32", "-maxrregcount=32"},
        {"-arch sm_90 -xy 7", "-xy=7"}, /* only a letter stands close to its value */
        {"-arch sm_90 -g -Ofc max a.ptx", "-g -Ofc=max"},
        {"-arch sm_90 -w tmp/a.ptx -e k", "-w -ek"},
    };
    static const char tool[] = "ptxas\0Cuda compilation tools, release 13.0, V13.0.88\0Build b";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_build_note build;
        char note[200];
        memcpy(note, tool, sizeof tool);
        size_t length = strlen(cases[i].options) + 1;
        memcpy(note + sizeof tool, cases[i].options, length);
        smc_build_note_read(note, sizeof tool + length, &build);
        CU_ASSERT_STRING_EQUAL(build.toolkit, "13.0.88");
        CU_ASSERT_STRING_EQUAL(build.options, cases[i].read);
    }
}

/* --- What the architecture has ---------------------------------------------------------------- */

static void test_more_than_there_is(void)
{
    struct image image = load(DATA "own-sm90.cubin");
    struct smc_inspect_kernel kind = {.file = "x", .source = SMC_INSPECT_CUBIN};
    struct smc_inspect_kernels kernels = {0};
    struct smc_error error = {""};
    kind.cc = 80;
    CU_ASSERT_EQUAL(smc_read_cubin(image.bytes, image.size, &kind, &kernels, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "it is for sm_90, where code for sm_80 should be");
    kind.cc = 0;
    const uint64_t more = 0x40000;
    section(&image, ".nv.shared.bounded")->sh_size += more;
    segment_of_memory(&image)->p_memsz += more;
    CU_ASSERT_EQUAL(smc_read_cubin(image.bytes, image.size, &kind, &kernels, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(
        error.message,
        "kernel bounded uses more registers, barriers or shared memory than sm_90 has");
    CU_ASSERT_EQUAL(kernels.count, 0);
    smc_user_kernels_free(&kernels);
    free(image.bytes);
}

/* --- Source lines ----------------------------------------------------------------------------- */

static void check_line(const struct smc_cubin *cubin, const char *kernel, uint64_t offset,
                       const char *wanted)
{
    smc_auto_text line = {0};
    CU_ASSERT_EQUAL(smc_cubin_append_line(cubin, kernel, offset, &line), *wanted != '\0');
    CU_ASSERT_STRING_EQUAL(smc_text_string(&line), wanted);
}

/* As `readelf --debug-dump=rawline` has them; where it names a header, the line of lines.cu that
   calls it. */
static void test_lines(void)
{
    struct image image = load(DATA "lines-sm90.cubin"), bare = load(DATA "own-sm90.cubin");
    struct smc_cubin cubin;
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(smc_cubin_open(image.bytes, image.size, &cubin, &error), SMC_OK);
    check_line(&cubin, "first", 0, "lines.cu:8");
    check_line(&cubin, "first", 0x50, "lines.cu:10");
    check_line(&cubin, "first", 0x60, "lines.cu:5"); /* inlined, of the same file */
    check_line(&cubin, "first", 0x70, "lines.cu:10");
    check_line(&cubin, "second", 0, "lines.cu:13");
    check_line(&cubin, "second", 0x20, "lines.cu:15"); /* inlined, of a header */
    check_line(&cubin, "second", 0xb0, "lines.cu:15");
    check_line(&cubin, "second", 0x310, "lines.cu:16");
    check_line(&cubin, "second", 0x340, "lines.cu:17");
    check_line(&cubin, "third", 0, "");
    smc_cubin_close(&cubin);
    CU_ASSERT_EQUAL_FATAL(smc_cubin_open(bare.bytes, bare.size, &cubin, &error), SMC_OK);
    check_line(&cubin, "bounded", 0, "");
    smc_cubin_close(&cubin);
    free(image.bytes);
    free(bare.bytes);
}

/* Tables of DWARF 3, with more opcodes. */
static void test_newer_lines(void)
{
    struct image image = load(DATA "lines-sm90-dwarf3.cubin");
    struct smc_cubin cubin;
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(smc_cubin_open(image.bytes, image.size, &cubin, &error), SMC_OK);
    check_line(&cubin, "first", 0, "lines.cu:8");
    check_line(&cubin, "first", 0x50, "lines.cu:10");
    check_line(&cubin, "first", 0x60, "lines.cu:5"); /* inlined */
    check_line(&cubin, "first", 0x80, "lines.cu:11");
    check_line(&cubin, "second", 0xa0, "lines.cu:15");
    check_line(&cubin, "second", 0x1c0, "lines.cu:17");
    check_line(&cubin, "second", 0x350, "lines.cu:18");
    smc_cubin_close(&cubin);
    free(image.bytes);
}

/* Whatever a damaged table has for lines, reading it ends within the file. */
static void test_damaged_lines(void)
{
    static const unsigned char values[] = {0, 1, 2, 0x7f, 0x80, 0x90, 0xff};
    struct image image = load(DATA "lines-sm90.cubin");
    struct smc_cubin cubin;
    struct smc_error error;
    unsigned char *table = (unsigned char *)image.bytes + section(&image, ".debug_line")->sh_offset;
    const size_t size = section(&image, ".debug_line")->sh_size;
    CU_ASSERT_EQUAL_FATAL(smc_cubin_open(image.bytes, image.size, &cubin, &error), SMC_OK);
    for (size_t i = 0; i < size; i++)
        for (size_t v = 0; v < sizeof values; v++) {
            const unsigned char whole = table[i];
            smc_auto_text line = {0};
            table[i] = values[v];
            const bool found = smc_cubin_append_line(&cubin, "second", 0x340, &line);
            CU_ASSERT(found == (strrchr(smc_text_string(&line), ':') != NULL));
            table[i] = whole;
        }
    check_line(&cubin, "second", 0x340, "lines.cu:17");
    smc_cubin_close(&cubin);
    free(image.bytes);
}

CU_TestInfo tests_cubin[] = {
    {"source lines", test_lines},
    {"source lines of DWARF 3", test_newer_lines},
    {"damaged source lines", test_damaged_lines},
    {"each damage is refused with its reason", test_damage},
    {"machine code cut anywhere is refused", test_cut},
    {"flipped bits are found, or change nothing that is told", test_flipped_bits},
    {"the letter of an architecture is kept", test_suffixes},
    {"registers that setmaxnreg sets", test_set_registers},
    {"barriers of one kernel", test_barriers},
    {"where parameters are", test_parameters},
    {"where parameters would be", test_no_parameters},
    {"the options of its compiler", test_build_note},
    {"what no kernel can have is refused", test_more_than_there_is},
    CU_TEST_INFO_NULL,
};

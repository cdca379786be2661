/* Compares the decoder of machine code with nvdisasm's text, for every instruction of the catalog's
   kernels on several architectures, or of the cubins named as arguments. nvdisasm is $NVDISASM, or
   in the PATH. What the decoder does not know in detail must at least have the same name and guard;
   what it does not know at all is counted, with its number. Without nvdisasm or NVRTC: exit status
   77.
     tests/disassembly [CUBIN...] */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code/compile.h"
#include "code/machine_code.h"
#include "machine_text.h"
#include "rules/devices.h"
#include "temporary.h"

enum { SKIPPED = 77, LINE = 512, SHOWN = 20, MOST_KERNELS = 4096 };

static struct {
    uint64_t same, named, unknown, different;
    uint32_t unknown_code[4096];
} total;

/* Lets both texts be compared: no ".reuse", no names for special cases of IMAD, immediates as 32
   bits without a sign. */
static void drop(char *text, const char *part)
{
    size_t length = strlen(part);
    for (char *at; (at = strstr(text, part)) != NULL;)
        memmove(at, at + length, strlen(at + length) + 1);
}

static void make_comparable(char *text)
{
    char out[LINE], *to = out;
    drop(text, ".reuse");
    if (strstr(text, "IMAD.")) {
        drop(text, ".MOV");
        drop(text, ".IADD");
        drop(text, ".SHL");
    }
    drop(text, "?WAIT");
    for (const char *at = text; *at && to < out + sizeof out - 16;) {
        if (strncmp(at, "-0x", 3) == 0 && at > text && at[-1] == ' ' && !strstr(text, "BRA") &&
            !strstr(text, "BSSY")) {
            char *end;
            unsigned long long value = strtoull(at + 1, &end, 16);
            to += sprintf(to, "0x%x", (unsigned)(0 - value));
            at = end;
        } else {
            *to++ = *at++;
        }
    }
    while (to > out && isspace((unsigned char)to[-1]))
        to--;
    *to = '\0';
    strcpy(text, out);
}

/* nvdisasm does not print the descriptors of sm_8x. */
static void drop_description(char *text)
{
    char *at = strstr(text, "desc["), *end = at ? strchr(at, ']') : NULL;
    if (end)
        memmove(at, end + 1, strlen(end + 1) + 1);
}

/* Only the guard and the operation's name, without modifiers. */
static void keep_name(char *text)
{
    char *at = text;
    if (*at == '@')
        at += strcspn(at, " ") + 1;
    at[strcspn(at, ". ")] = '\0';
}

static void compare(const unsigned char *code, uint64_t at, uint32_t format, char *expected,
                    const char *where)
{
    struct smc_sass_instruction in;
    struct smc_text text = {0};
    char own[LINE];
    bool known = smc_instruction_decode(code + at, at, format, &in);
    bool detailed = smc_instruction_write(&in, &text);
    snprintf(own, sizeof own, "%s", smc_text_string(&text));
    smc_text_free(&text);
    if (!known) {
        total.unknown++;
        total.unknown_code[in.low & 0xfff]++;
        return;
    }
    make_comparable(expected);
    make_comparable(own);
    if (!strstr(expected, "desc["))
        drop_description(own);
    if (!detailed) {
        keep_name(expected);
        keep_name(own);
    }
    if (strcmp(own, expected) == 0) {
        *(detailed ? &total.same : &total.named) += 1;
        return;
    }
    if (total.different++ < SHOWN)
        printf("%s +0x%llx: \"%s\", nvdisasm: \"%s\"\n", where, (unsigned long long)at, own,
               expected);
}

static const char *disassembler(void)
{
    const char *named = getenv("NVDISASM");
    return named ? named : "nvdisasm";
}

/* Kernels of one architecture, one after another: nvdisasm takes longer to start than to
   disassemble them. */
static struct {
    struct smc_text code;
    size_t count;
    struct part {
        size_t end; /* in `code` */
        char name[128];
    } part[MOST_KERNELS];
} kernels;

/* Returns its compute capability. */
static uint16_t add_cubin(const void *file, size_t bytes, const char *name)
{
    struct smc_cubin cubin;
    struct smc_error error;
    if (smc_cubin_open(file, bytes, &cubin, &error) != SMC_OK) {
        printf("%s: %s\n", name, error.message);
        total.different++;
        return 0;
    }
    for (size_t i = 0; i < cubin.kernel_count; i++) {
        if (kernels.count == MOST_KERNELS)
            exit(EXIT_FAILURE);
        struct part *part = &kernels.part[kernels.count++];
        smc_text_append_bytes(&kernels.code, cubin.kernel[i].code, cubin.kernel[i].code_bytes);
        part->end = kernels.code.length;
        snprintf(part->name, sizeof part->name, "%s", name);
    }
    const uint16_t cc = cubin.cc;
    smc_cubin_close(&cubin);
    return cc;
}

static const char *name_at(size_t address)
{
    const struct part *part = kernels.part;
    while (part->end <= address)
        part++;
    return part->name;
}

/* Lines of nvdisasm begin with the address in a comment. */
static void compare_kernels(uint16_t cc)
{
    char name[] = "/tmp/smc-disassembly-XXXXXX", command[1024], line[LINE];
    struct smc_text *code = &kernels.code;
    struct smc_capability capability;
    if (kernels.count == 0)
        return;
    smc_capability_nearest(cc, &capability);
    int file = mkstemp(name);
    if (file < 0 || write(file, code->data, code->length) != (ssize_t)code->length)
        exit(EXIT_FAILURE);
    close(file);
    snprintf(command, sizeof command, "'%s' -ndf -b SM%u '%s' 2>/dev/null", disassembler(), cc,
             name);
    FILE *lines = popen(command, "r");
    while (lines && fgets(line, sizeof line, lines)) {
        char *at = strstr(line, "/*"), *end = strchr(line, ';');
        unsigned address;
        if (!at || !end || sscanf(at, "/*%x*/", &address) != 1 || !(at = strstr(at, "*/")))
            continue;
        *end = '\0';
        at += 2;
        at += strspn(at, " \t");
        if (address + 16 <= code->length)
            compare((const unsigned char *)code->data, address, capability.machine_code_format, at,
                    name_at(address));
    }
    if (lines)
        pclose(lines);
    unlink(name);
    smc_text_free(code);
    kernels.count = 0;
}

static bool compare_catalog(uint16_t cc)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        struct smc_params params;
        struct smc_error error;
        struct smc_resources resources;
        struct smc_binary binary = {0};
        struct smc_text warnings = {0};
        struct smc_compile_options options = {0};
        char name[128];
        smc_params_init(kernel, &params);
        if (kernel->complete(kernel, &params, &error) != SMC_OK)
            continue;
        enum smc_status status =
            smc_compile(&(struct smc_compile_request){kernel, &params, cc, &options}, &resources,
                        &binary, &warnings, &error);
        smc_text_free(&warnings);
        if (status != SMC_OK)
            return false;
        snprintf(name, sizeof name, "%s sm_%u", kernel->name, cc);
        if (binary.cubin)
            add_cubin(binary.cubin, binary.cubin_bytes, name);
        smc_binary_free(&binary);
    }
    compare_kernels(cc);
    return true;
}

static void report(void)
{
    printf("%llu instructions agree in full, %llu in name and guard, %llu are unknown:",
           (unsigned long long)total.same, (unsigned long long)total.named,
           (unsigned long long)total.unknown);
    for (unsigned code = 0; code < 4096; code++)
        if (total.unknown_code[code])
            printf(" %03x (%u)", code, total.unknown_code[code]);
    printf("\n%d passed, %llu failed, 0 skipped\n", total.different == 0,
           (unsigned long long)total.different);
}

static bool file_read(const char *path, struct smc_text *content)
{
    char part[65536];
    size_t count;
    FILE *file = fopen(path, "rb");
    while (file && (count = fread(part, 1, sizeof part, file)) > 0)
        smc_text_append_bytes(content, part, count);
    return file && fclose(file) == 0;
}

/* False: there is no NVRTC for one of the architectures. */
static bool compare_catalogs(void)
{
    static const uint16_t architectures[] = {80, 86, 89, 90};
    struct temporary temporary; /* the user's own cache is not used */
    bool compiled = true;
    temporary_begin(&temporary);
    for (size_t i = 0; compiled && i < sizeof architectures / sizeof *architectures; i++)
        compiled = compare_catalog(architectures[i]);
    temporary_end(&temporary);
    return compiled;
}

int main(int argc, char **argv)
{
    char command[1024];
    snprintf(command, sizeof command, "'%s' --version >/dev/null 2>&1", disassembler());
    if (system(command) != 0) {
        printf("no nvdisasm\n0 passed, 0 failed, 1 skipped\n");
        return SKIPPED;
    }
    for (int i = 1; i < argc; i++) {
        struct smc_text content = {0};
        if (file_read(argv[i], &content))
            compare_kernels(add_cubin(content.data, content.length, argv[i]));
        smc_text_free(&content);
    }
    if (argc == 1 && !compare_catalogs()) {
        printf("no NVRTC for 8.0 to 9.0\n0 passed, 0 failed, 1 skipped\n");
        return SKIPPED;
    }
    report();
    return total.different == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

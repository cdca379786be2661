/* One input file: reads it, recognizes its kind and calls the reader for it. */
#include "config.h"

#include "code/inputs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/file.h"
#include "base/memory.h"
#include "code/compile/build_log.h"
#include "code/compilers.h"
#include "code/machine_code.h"
#include "code/names.h"
#include "code/ptx_facts.h"
#include "code/ptxas_log.h"
#include "code/readers/embedded.h"
#include "code/readers/left_out.h"
#include "code/source_tree.h"
#include "code/tools.h"
#include "code/user_kernels.h"

/* --- To the reader ---------------------------------------------------------------------------- */

/* The arguments that the readers share. */
struct kernel_reading {
    const char *file; /* its name */
    bool is_standard_input;
    const struct smc_inspect_request *request;
    struct smc_text *bytes;
    struct smc_inspect_kernels *kernels;
    struct smc_inspect_notes *notes;
    bool is_part; /* the file holds more than `bytes` */
};

typedef enum smc_status compiler(const struct smc_compilation *, struct smc_nvrtc_output *,
                                 struct smc_error *);

struct compiled {
    size_t count;        /* of the kernels that were added */
    bool option_refused; /* of the user's options; other compilers are not tried */
    bool target_unsupported;
    bool lacks_header; /* which may hold the kernels */
    struct features {
        bool needed;   /* of sm_90a instead of sm_90: it is refused without */
        char used[16]; /* what of them its PTX uses: "wgmma"; "": nothing known */
    } features;
};

/* Each begins with the name of a kernel, or with none. False: out of memory. */
static bool read_kernels_append_notes(const struct kernel_reading *reading,
                                      const struct smc_text *notes, struct smc_text *out)
{
    const char *line = smc_text_string(notes);
    for (size_t length; *line; line += length + (line[length] != '\0')) {
        length = strcspn(line, "\n");
        size_t named = strcspn(line, "\t\n");
        smc_auto_free char *name = smc_strndup(line, named);
        smc_auto_free char *shown = name ? smc_demangle(smc_name_without_static(name)) : NULL;
        if (!shown)
            return false;
        smc_text_safe_line(out, "%s: %s%s%.*s", reading->file, shown, named > 0 ? ": " : "",
                           (int)(length - named) - 1, line + named + 1);
    }
    return true;
}

/* What ptxas says of the performance of what it compiled. */
static void read_kernels_tell_remarks(const struct kernel_reading *reading, const char *log)
{
    SMC_AUTO(smc_build_log_free) struct smc_build_log build = {.cut_off_count = 0};
    struct smc_text *warnings = &reading->notes->warnings;
    if (strstr(log, "Potential Performance Loss: ") &&
        !(smc_build_log_read(log, &build) &&
          read_kernels_append_notes(reading, &build.notes, warnings)))
        warnings->failed = true;
}

/* Compiles for one target. */
static enum smc_status read_kernels_compile(const struct kernel_reading *reading,
                                            compiler *compile_with, enum smc_inspect_source source,
                                            const struct smc_inspect_target *target,
                                            struct compiled *compiled, struct smc_error *error)
{
    const struct smc_compilation compilation = {
        .file = reading->file,
        .text = smc_text_string(reading->bytes),
        .target = *target,
        .request = reading->request,
        .warnings = &reading->notes->warnings,
        .is_standard_input = reading->is_standard_input,
        .is_part = reading->is_part,
    };
    const char *label = reading->request->label;
    const struct smc_inspect_kernel kind = {
        .file = label ? label : reading->file, .source = source, .cc = target->cc};
    SMC_AUTO(smc_nvrtc_output_free) struct smc_nvrtc_output output = {0};
    size_t before = reading->kernels->count;
    enum smc_status status = compile_with(&compilation, &output, error);
    if (status == SMC_OK && smc_read_nvrtc_output(&output, &kind, reading->kernels,
                                                  &reading->notes->faults, error) != SMC_OK)
        status = smc_fail_in(error, SMC_MACHINE, "%s: the compiler's output cannot be read",
                             reading->file);
    *compiled = (struct compiled){
        reading->kernels->count - before,
        output.option_refused,
        output.target_unsupported,
        output.lacks_header,
        {.needed = status == SMC_USAGE && smc_log_needs_features(smc_text_string(&output.log))}};
    const char *used = smc_feature_in(smc_text_string(&output.ptx));
    snprintf(compiled->features.used, sizeof compiled->features.used, "%.*s",
             used ? (int)strcspn(used, ".") : 0, used ? used : "");
    if (status == SMC_OK)
        read_kernels_tell_remarks(reading, smc_text_string(&output.log));
    if (status == SMC_OK && reading->request->ptx)
        smc_text_append(reading->request->ptx, smc_text_string(&output.ptx));
    return status;
}

static enum smc_status fail_empty(const struct kernel_reading *reading, struct smc_error *error)
{
    smc_auto_text why = {0};
    reading->notes->holds_none = true;
    const bool has_template = smc_source_append_template(
        reading->file, smc_text_string(reading->bytes), reading->request->compiler_options, &why);
    return smc_fail(error, SMC_USAGE, "%s: no kernel in it%s%s", reading->file,
                    has_template ? ": " : "", smc_text_string(&why));
}

/* The ways to compile source, in the order in which they are tried. nvcc compiles everything, to
   the registers that the user's build has: those of NVRTC differ for some kernels. Without nvcc, or
   if it lacks a header of the host code, NVRTC compiles the file as it is, or its device part. */
static const struct way {
    compiler *compile_with;
    enum smc_inspect_source source;
} ways[] = {{smc_compile_with_nvcc, SMC_INSPECT_NVCC},
            {smc_compile_with_nvrtc, SMC_INSPECT_NVRTC},
            {smc_compile_device_part, SMC_INSPECT_NVRTC}};
enum { WAYS = sizeof ways / sizeof *ways };

/* Once, however many architectures are compiled for, and before what NVRTC left out, from `told`
   on. */
static void warn_of_nvcc(const struct kernel_reading *reading, const struct smc_error *refusal,
                         size_t told)
{
    struct smc_text *warnings = &reading->notes->warnings;
    smc_auto_text line = {0};
    smc_text_safe_line(&line,
                       "%.900s; NVRTC compiled its kernels instead, perhaps to other registers",
                       refusal->message);
    if (line.data && !strstr(smc_text_string(warnings), line.data)) {
        smc_text_append(&line, smc_text_string(warnings) + told);
        smc_text_cut(warnings, told);
        smc_text_append(warnings, smc_text_string(&line));
    }
}

/* How the ways that were tried ended. */
struct tried {
    enum smc_status worst;    /* SMC_UNAVAILABLE: no compiler has read the source */
    bool is_empty;            /* a compiler read all of it, and it has no kernel */
    bool is_bare;             /* NVRTC found no kernel in what could be read of it */
    bool is_unsupported;      /* `absent` is about the target */
    struct smc_error absent;  /* why a compiler was not used */
    struct smc_error refusal; /* nvcc's error */
};

static void read_kernels_note_failure(const struct compiled *compiled, enum smc_status status,
                                      size_t way, const struct smc_error *reason,
                                      struct tried *tried)
{
    /* That a compiler does not support the target says more than that there is none. */
    if (status == SMC_UNAVAILABLE) {
        if (!tried->absent.message[0] || (compiled->target_unsupported && !tried->is_unsupported))
            tried->absent = *reason;
        tried->is_unsupported |= compiled->target_unsupported;
    } else if (status != SMC_OK) {
        tried->worst = status;
    }
    if (status == SMC_USAGE && ways[way].source == SMC_INSPECT_NVCC)
        tried->refusal = *reason;
    tried->is_bare = compiled->lacks_header || (status == SMC_OK && way == WAYS - 1);
    /* NVRTC as it is compiles no template that only host code instantiates. */
    tried->is_empty = status == SMC_OK && way != 1 && !tried->refusal.message[0];
}

/* Tries the ways from `first` on, which becomes the one that found kernels. The error is nvcc's, if
   it read the source, else that of the last way. */
static enum smc_status read_kernels_compile_source(const struct kernel_reading *reading,
                                                   const struct smc_inspect_target *target,
                                                   size_t *first, struct features *features,
                                                   struct smc_error *error)
{
    struct tried tried = {.worst = SMC_UNAVAILABLE};
    const size_t told = reading->notes->warnings.length;
    for (size_t i = *first; i < WAYS && !tried.is_empty; i++) {
        struct compiled compiled;
        struct smc_error reason = {""};
        enum smc_status status = read_kernels_compile(reading, ways[i].compile_with, ways[i].source,
                                                      target, &compiled, &reason);
        *features = compiled.features;
        if (status == SMC_OK && compiled.count > 0) {
            if (tried.refusal.message[0])
                warn_of_nvcc(reading, &tried.refusal, told);
            if (tried.worst != SMC_UNAVAILABLE)
                *first = i; /* the ways before it fail for every architecture */
            *error = (struct smc_error){""};
            return SMC_OK;
        }
        if (status == SMC_MACHINE || status == SMC_INTERRUPTED || compiled.option_refused ||
            compiled.features.needed) {
            *error = reason;
            return status;
        }
        read_kernels_note_failure(&compiled, status, i, &reason, &tried);
        if (status == SMC_USAGE)
            *error = reason;
        *first = tried.is_empty ? i : *first;
    }
    if (tried.refusal.message[0]) { /* what NVRTC left out does not matter */
        smc_text_cut(&reading->notes->warnings, told);
        *error = tried.refusal;
    }
    if (tried.is_empty)
        return fail_empty(reading, error);
    if (tried.worst == SMC_UNAVAILABLE)
        *error = tried.absent;
    reading->notes->holds_none = tried.is_bare && smc_input_is_header(reading->file);
    return tried.worst;
}

static bool read_tree(const struct kernel_reading *reading, struct smc_source_tree *tree)
{
    smc_auto_text options = {0};
    struct smc_error ignored;
    smc_compile_options(reading->request, &options);
    return smc_source_tree_read(reading->file, smc_text_string(reading->bytes),
                                smc_text_string(&options), "", tree, &ignored) == SMC_OK;
}

/* Compiles for the target with the features of its architecture alone (sm_90a), once, what is
   refused without them. False: try without them; nothing has happened. */
static bool compile_extended_target(const struct kernel_reading *reading,
                                    const struct smc_inspect_target *target, size_t *first)
{
    struct smc_text *warnings = &reading->notes->warnings;
    struct smc_text *ptx = reading->request->ptx;
    const size_t before = reading->kernels->count, told = warnings->length;
    const size_t written = ptx ? ptx->length : 0;
    struct smc_inspect_target extended = *target;
    struct features features = {.needed = false};
    struct smc_error ignored;
    size_t way = *first;
    SMC_AUTO(smc_source_tree_free) struct smc_source_tree tree = {0};
    if (!smc_architecture_extend(&extended) || !read_tree(reading, &tree) ||
        !smc_source_names_features(&tree))
        return false;
    if (read_kernels_compile_source(reading, &extended, &way, &features, &ignored) != SMC_OK ||
        !features.used[0]) {
        smc_user_kernels_cut(reading->kernels, before);
        smc_text_cut(warnings, told);
        if (ptx)
            smc_text_cut(ptx, written);
        return false;
    }
    *first = way;
    smc_text_safe_line(&reading->notes->remarks,
                       "compiled for sm_%u%c, which the source needs for %s", extended.cc,
                       extended.suffix, features.used);
    return true;
}

/* The same, and with the features of its architecture alone where the source needs them. */
static enum smc_status compile_target(const struct kernel_reading *reading,
                                      const struct smc_inspect_target *target, size_t *first,
                                      struct smc_error *error)
{
    struct smc_inspect_target extended = *target;
    struct features features = {.needed = false};
    struct smc_error ignored;
    size_t before = *first;
    if (compile_extended_target(reading, target, first))
        return SMC_OK;
    enum smc_status status = read_kernels_compile_source(reading, target, first, &features, error);
    if (!features.needed || !smc_architecture_extend(&extended) ||
        read_kernels_compile_source(reading, &extended, &before, &features, &ignored) != SMC_OK)
        return status;
    smc_text_safe_line(&reading->notes->remarks,
                       "compiled for sm_%u%c, which the source needs; for sm_%u: %.500s",
                       extended.cc, extended.suffix, extended.cc, error->message);
    *error = (struct smc_error){""};
    *first = before;
    return SMC_OK;
}

/* nvcc instantiates every template that is launched. */
static bool read_kernels_locate(const struct kernel_reading *reading, size_t before, size_t told)
{
    struct smc_inspect_kernels *kernels = reading->kernels;
    SMC_AUTO(smc_source_tree_free) struct smc_source_tree tree = {0};
    bool located = read_tree(reading, &tree) && smc_user_kernels_locate(kernels, before, &tree);
    if (located && kernels->item[before].source == SMC_INSPECT_NVRTC)
        smc_left_out_tell(&tree, reading->request, kernels, before, told, reading->notes);
    return located;
}

/* No kernel was compiled: it may be for lack of nvcc. */
static enum smc_status explain_empty(const struct kernel_reading *reading, size_t told,
                                     struct smc_error *error)
{
    SMC_AUTO(smc_source_tree_free) struct smc_source_tree tree = {0};
    struct smc_inspect_kernels *kernels = reading->kernels;
    size_t before = kernels->left_out;
    bool has_memory = read_tree(reading, &tree);
    if (has_memory)
        smc_left_out_tell(&tree, reading->request, kernels, kernels->count, told, reading->notes);
    if (!has_memory)
        return smc_out_of_memory(error);
    if (kernels->left_out == before)
        return SMC_USAGE;
    reading->notes->holds_none = false;
    const char *warnings = smc_text_string(&reading->notes->warnings) + told;
    if (strstr(warnings, "this launch of ") || strstr(warnings, "whose kernels only nvcc compiles"))
        return smc_fail(error, SMC_USAGE, "%s: none of its kernels could be compiled without nvcc",
                        reading->file);
    return smc_fail(error, SMC_USAGE,
                    "%s: nothing was found that launches its kernel templates, so none was "
                    "compiled; nvcc, which was not found, compiles them if something does",
                    reading->file);
}

/* A target that was named. */
static void note_unsupported(const struct kernel_reading *reading, uint16_t cc,
                             const struct smc_error *reason)
{
    struct smc_inspect_notes *notes = reading->notes;
    for (size_t i = 0; i < notes->unsupported_count; i++)
        if (notes->unsupported[i].cc == cc)
            return;
    if (notes->unsupported_count == SMC_INSPECT_MAX_TARGETS)
        return;
    struct smc_inspect_unsupported *added = &notes->unsupported[notes->unsupported_count++];
    added->cc = cc;
    snprintf(added->reason, sizeof added->reason, "%.*s", (int)sizeof added->reason - 1,
             reason->message);
}

/* Once, however many files there are. */
static void note_assumed_target(const struct kernel_reading *reading)
{
    const struct smc_inspect_request *request = reading->request;
    const uint16_t cc = request->targets[0].cc;
    smc_auto_text line = {0};
    if (!request->targets_assumed || request->skip_unsupported)
        return;
    smc_text_printf(&line,
                    "source is compiled for compute capability %d.%d, %s: --device chooses "
                    "another, such as --device A100\n",
                    cc / 10, cc % 10,
                    request->targets_present ? "that of the GPU here" : "which is assumed");
    if (!strstr(smc_text_string(&reading->notes->remarks), smc_text_string(&line)))
        smc_text_append(&reading->notes->remarks, smc_text_string(&line));
}

/* The targets for which the source has errors, such as kernels with __cluster_dims__ before 9.0. */
struct refused_targets {
    struct smc_error first;
    struct smc_text lines;
};

static void note_refused(const struct smc_inspect_target *target, const struct smc_error *reason,
                         struct refused_targets *refused)
{
    if (!refused->first.message[0])
        refused->first = *reason;
    smc_text_safe_line(&refused->lines, "%.900s (compiled for compute capability %d.%d)",
                       reason->message, target->cc / 10, target->cc % 10);
}

/* Compiles for each target. An error of the source is final if it has no kernel for any of them,
   and that of the last target if no compiler supports any. */
static enum smc_status compile_targets(const struct kernel_reading *reading,
                                       struct refused_targets *refused, struct smc_error *error)
{
    const struct smc_inspect_request *request = reading->request;
    const size_t noted = reading->notes->unsupported_count, before = reading->kernels->count;
    const size_t told = reading->notes->warnings.length;
    size_t first = 0;
    bool is_bare = false; /* NVRTC found no kernel */
    for (size_t i = 0; i < request->target_count; i++) {
        enum smc_status status = compile_target(reading, &request->targets[i], &first, error);
        is_bare |= status == SMC_USAGE && reading->notes->holds_none &&
                   ways[first].source == SMC_INSPECT_NVRTC;
        if (status == SMC_USAGE)
            note_refused(&request->targets[i], error, refused);
        else if (status != SMC_OK && status != SMC_UNAVAILABLE)
            return status;
        else if (status == SMC_UNAVAILABLE && !request->skip_unsupported)
            note_unsupported(reading, request->targets[i].cc, error);
    }
    if (reading->kernels->count > before)
        return SMC_OK;
    reading->notes->unsupported_count = noted;
    if (!refused->first.message[0])
        return SMC_UNAVAILABLE;
    *error = refused->first;
    return is_bare ? explain_empty(reading, told, error) : SMC_USAGE;
}

/* The targets of `request` are final, and its options name no architecture. */
static enum smc_status read_for_targets(const struct kernel_reading *reading,
                                        struct smc_error *error)
{
    struct refused_targets refused = {.first = {""}};
    const size_t before = reading->kernels->count, told = reading->notes->warnings.length;
    enum smc_status status = compile_targets(reading, &refused, error);
    if (status == SMC_OK)
        smc_text_append(&reading->notes->faults, smc_text_string(&refused.lines));
    smc_text_free(&refused.lines);
    if (status != SMC_OK)
        return status;
    *error = (struct smc_error){""};
    note_assumed_target(reading);
    return read_kernels_locate(reading, before, told) ? SMC_OK : smc_out_of_memory(error);
}

static enum smc_status kernels_read_source(const struct kernel_reading *reading,
                                           struct smc_error *error)
{
    struct smc_inspect_request request = *reading->request;
    struct kernel_reading named = *reading;
    struct smc_architectures found;
    enum smc_status status =
        smc_architectures_read(request.compiler_options, request.targets, request.target_count,
                               request.targets_assumed, &found, error);
    request.targets_assumed &= !found.are_named;
    request.targets = found.target;
    request.target_count = found.count;
    request.compiler_options = smc_text_string(&found.options);
    named.request = &request;
    if (status == SMC_OK)
        status = read_for_targets(&named, error);
    smc_text_free(&found.options);
    return status;
}

/* PTX names the oldest architecture that it supports, and is compiled for it unless others are
   named. With `skip_unsupported` older targets are skipped. */
static enum smc_status read_kernels_compile_ptx(const struct kernel_reading *reading,
                                                uint32_t first_cc, uint32_t last_cc,
                                                struct smc_error *error)
{
    const struct smc_inspect_request *request = reading->request;
    struct smc_inspect_target own;
    struct compiled compiled;
    smc_ptx_target(smc_text_string(reading->bytes), &own.cc, &own.suffix);
    bool only_own = request->targets_assumed && !request->skip_unsupported;
    for (size_t i = 0; i < (only_own ? 1 : request->target_count); i++) {
        struct smc_inspect_target target = only_own ? own : request->targets[i];
        bool is_wanted = only_own || (target.cc >= first_cc && target.cc <= last_cc);
        if (target.cc == own.cc)
            target.suffix = own.suffix;
        if (!is_wanted || (request->skip_unsupported && target.cc < own.cc))
            continue;
        enum smc_status status = read_kernels_compile(reading, smc_compile_with_ptxas,
                                                      SMC_INSPECT_PTX, &target, &compiled, error);
        if (status != SMC_OK && !(status == SMC_UNAVAILABLE && request->skip_unsupported))
            return status;
    }
    return SMC_OK;
}

static enum smc_status read_ptx(const struct kernel_reading *reading, struct smc_error *error)
{
    size_t before = reading->kernels->count;
    enum smc_status status = read_kernels_compile_ptx(reading, 0, UINT32_MAX, error);
    return status != SMC_OK                   ? status
           : reading->kernels->count > before ? SMC_OK
                                              : fail_empty(reading, error);
}

/* Each line, after the file's name. */
static void read_kernels_append_lines(const struct kernel_reading *reading,
                                      const struct smc_text *lines, struct smc_text *out)
{
    const char *line = smc_text_string(lines);
    for (size_t length; *line; line += length + (line[length] != '\0')) {
        length = strcspn(line, "\n");
        smc_text_safe_line(out, "%s: %.*s", reading->file, (int)length, line);
    }
}

static enum smc_status read_log(const struct kernel_reading *reading, struct smc_error *error)
{
    const struct smc_inspect_kernel kind = {.file = reading->file, .source = SMC_INSPECT_PTXAS_LOG};
    const char *log = smc_text_string(reading->bytes);
    struct smc_text *faults = &reading->notes->faults;
    SMC_AUTO(smc_build_log_free) struct smc_build_log build = {0};
    size_t before = reading->kernels->count, faults_before = faults->length;
    char text[800];
    bool is_read = smc_build_log_read(log, &build) &&
                   smc_read_log(smc_text_string(&build.ordered), &kind, reading->kernels, faults);
    if (is_read && (reading->kernels->count > before || faults->length > faults_before ||
                    build.cut_off_count > 0)) {
        read_kernels_append_lines(reading, &build.faults, faults);
        is_read = read_kernels_append_notes(reading, &build.notes, &reading->notes->warnings);
    }
    if (!is_read)
        return smc_out_of_memory(error);
    if (reading->kernels->count > before || faults->length > faults_before)
        return SMC_OK;
    smc_log_first_error(log, "", "", text, sizeof text);
    reading->notes->holds_none = !text[0];
    return smc_fail(error, SMC_USAGE, "%s: no kernel in this log%s%s", reading->file,
                    text[0] ? ": " : "", text);
}

static enum smc_status kernels_read_cubin(const struct kernel_reading *reading,
                                          struct smc_error *error)
{
    const struct smc_inspect_kernel kind = {.file = reading->file, .source = SMC_INSPECT_CUBIN};
    size_t before = reading->kernels->count;
    enum smc_status status = smc_read_cubin(reading->bytes->data, reading->bytes->length, &kind,
                                            reading->kernels, error);
    if (status != SMC_OK)
        return smc_fail_in(error, status, "%s: damaged machine code", reading->file);
    return reading->kernels->count > before ? SMC_OK : fail_empty(reading, error);
}

/* "FILE:4: error" becomes "line 4: error": the report of a part begins with the file's name. */
static void drop_name(const char *file, struct smc_error *error)
{
    const size_t length = strlen(file);
    struct smc_error named = *error;
    const char *rest = named.message + length;
    if (strncmp(named.message, file, length) != 0 || rest[0] != ':')
        return;
    if (rest[1] == ' ')
        smc_fail(error, SMC_USAGE, "%s", rest + 2);
    else
        smc_fail(error, SMC_USAGE, "line %s", rest + 1);
}

static enum smc_status read_kernels_take_ptx(void *context, const struct smc_embedded_ptx *ptx,
                                             struct smc_error *error)
{
    const struct kernel_reading *reading = context;
    smc_auto_text text = {0};
    struct kernel_reading part = *reading;
    char tool[SMC_TOOL_PATH];
    if (!smc_tool_find("ptxas", tool))
        return smc_fail(error, SMC_UNAVAILABLE,
                        "%s: holds PTX, but no machine code; compiling it needs ptxas of the CUDA "
                        "Toolkit, which is neither on PATH nor in $CUDA_HOME/bin",
                        reading->file);
    part.bytes = &text;
    part.is_part = true;
    smc_text_append_bytes(&text, ptx->text, strnlen(ptx->text, ptx->bytes));
    smc_input_make_text(&text);
    enum smc_status status =
        text.failed ? smc_out_of_memory(error)
                    : read_kernels_compile_ptx(&part, ptx->first_cc, ptx->last_cc, error);
    if (status == SMC_USAGE)
        drop_name(reading->file, error);
    return status;
}

/* `mapped` tells whether the bytes are a mapping of the file. */
static enum smc_status read_embedded(const struct kernel_reading *reading, const char *bytes,
                                     size_t length, bool mapped, struct smc_error *error)
{
    const struct smc_inspect_kernel kind = {.file = reading->file, .source = SMC_INSPECT_EMBEDDED};
    const struct smc_embedded_request request = {
        .file = bytes,
        .bytes = length,
        .kind = &kind,
        .threads = reading->request->reading_threads,
        .is_mapped = mapped,
        .progress = reading->request->part_progress,
        .progress_context = reading->request->part_context,
        .take_ptx = read_kernels_take_ptx,
        .ptx_context = (void *)reading,
    };
    struct smc_embedded_count count;
    size_t before = reading->kernels->count, faults = reading->notes->faults.length;
    enum smc_status status =
        smc_embedded_read(&request, reading->kernels, &count, reading->notes, error);
    if (status != SMC_OK || reading->kernels->count > before ||
        reading->notes->faults.length > faults)
        return status;
    reading->notes->holds_none = !count.linked;
    return smc_fail(error, SMC_USAGE, "%s: %s", reading->file,
                    count.linked    ? "holds intermediate code for nvlink (-dlto), but no machine "
                                      "code: link it"
                    : count.has_any ? "no kernel in it"
                                    : "no CUDA code in it");
}

static enum smc_status read_text_or_code(const struct kernel_reading *reading,
                                         struct smc_error *error)
{
    if (reading->bytes->length == 0)
        return smc_fail(error, SMC_USAGE, "%s: empty", reading->file);
    enum smc_input_kind kind = smc_input_kind(reading->file, reading->bytes);
    if (kind == SMC_INPUT_SOURCE)
        smc_source_clean(reading->bytes);
    else if (kind != SMC_INPUT_CUBIN && kind != SMC_INPUT_EMBEDDED)
        smc_input_make_text(reading->bytes);
    switch (kind) {
    case SMC_INPUT_LOG:
    case SMC_INPUT_ERRORS:
        return read_log(reading, error);
    case SMC_INPUT_SOURCE:
        return kernels_read_source(reading, error);
    case SMC_INPUT_PTX:
        return read_ptx(reading, error);
    case SMC_INPUT_CUBIN:
        return kernels_read_cubin(reading, error);
    case SMC_INPUT_EMBEDDED:
        return read_embedded(reading, reading->bytes->data, reading->bytes->length, false, error);
    case SMC_INPUT_SAVED:
        return smc_saved_read(reading->file, reading->bytes, reading->kernels, error);
    case SMC_INPUT_UNKNOWN:
        break;
    }
    if (smc_fatbin_is_thin_archive(reading->bytes->data, reading->bytes->length))
        return smc_fail(error, SMC_USAGE,
                        "%s: a thin archive, which only names its members: name one of them",
                        reading->file);
    char text[800];
    smc_log_first_error(smc_text_string(reading->bytes), "", "", text, sizeof text);
    if (text[0])
        return smc_fail(error, SMC_USAGE, "%s: no kernel in it: %s", reading->file, text);
    return smc_fail(error, SMC_USAGE,
                    "%s: neither CUDA source, PTX, machine code, a program with it, nor the output "
                    "of 'ptxas -v' or 'cuobjdump -res-usage'",
                    reading->file);
}

enum smc_status smc_read_kernels(const char *file, const struct smc_inspect_request *request,
                                 struct smc_inspect_kernels *kernels,
                                 struct smc_inspect_notes *notes, struct smc_error *error)
{
    smc_auto_text bytes = {0};
    const struct kernel_reading reading = {
        .file = smc_file_name(file),
        .is_standard_input = smc_file_is_standard_input(file),
        .request = request,
        .bytes = &bytes,
        .kernels = kernels,
        .notes = notes,
    };
    size_t before = kernels->count;
    notes->holds_none = false;
    enum smc_status status;
    size_t mapped_bytes;
    void *mapped = smc_input_map_code(file, &mapped_bytes);
    if (mapped) {
        status = read_embedded(&reading, mapped, mapped_bytes, true, error);
        munmap(mapped, mapped_bytes);
    } else {
        status = smc_input_read(file, &bytes, error);
        if (status == SMC_OK)
            status = read_text_or_code(&reading, error);
    }
    if (status != SMC_OK)
        smc_user_kernels_cut(kernels, before);
    return status;
}

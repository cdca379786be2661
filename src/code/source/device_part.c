/* The device part of a CUDA source. Device code is marked by its execution or memory space; of
   other code, only the types, constants and constexpr functions that device code uses are kept. */
#include "config.h"

#include "code/source/device_part.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "code/source/standard_headers.h"

/* --- What is kept ----------------------------------------------------------------------------- */

static void use_macros(struct smc_device_part *part, uint64_t hash);

static void use_token(struct smc_device_part *part, const struct smc_tokens *tokens, uint32_t i)
{
    if (tokens->item[i].kind != SMC_TOKEN_WORD)
        return;
    uint64_t hash = smc_token_hash(tokens, i);
    if (smc_name_set_add(&part->used, hash))
        use_macros(part, hash);
}

/* The words of every definition of the macro. */
static void use_macros(struct smc_device_part *part, uint64_t hash)
{
    for (size_t k = 0; k < part->tree.macro_count; k++) {
        const struct smc_source_macro *macro = &part->tree.macro[k];
        for (uint32_t i = macro->body; macro->hash == hash && i < macro->tokens.count; i++)
            use_token(part, &macro->tokens, i);
    }
}

static bool device_part_is_used(const struct smc_device_part *part, const struct smc_tokens *tokens,
                                uint32_t i)
{
    return i != SMC_NO_TOKEN && tokens->item[i].kind == SMC_TOKEN_WORD &&
           smc_name_set_has(&part->used, smc_token_hash(tokens, i));
}

/* Whether a used name may be one that the typedef, using or enum declares. */
static bool declares_used_type(const struct smc_device_part *part, const struct smc_tokens *tokens,
                               const struct smc_declaration *found)
{
    if (smc_token_is(tokens, found->begin, "using") && smc_token_is(tokens, found->begin + 2, "="))
        return device_part_is_used(part, tokens, found->begin + 1);
    bool is_enum = found->body != SMC_NO_TOKEN;
    for (uint32_t i = found->begin; i < found->end; i++) {
        bool ends = smc_token_is(tokens, i + 1, ";") || smc_token_is(tokens, i + 1, ")") ||
                    smc_token_is(tokens, i + 1, "[") || smc_token_is(tokens, i + 1, ",");
        bool is_alias = smc_token_is(tokens, i + 1, "=");
        if ((is_enum || ends || is_alias) && device_part_is_used(part, tokens, i))
            return true;
    }
    return found->name != SMC_NO_TOKEN && is_enum && device_part_is_used(part, tokens, found->name);
}

/* The same for variables, of which one declaration can have several. */
static bool declares_used_value(const struct smc_device_part *part, const struct smc_tokens *tokens,
                                const struct smc_declaration *found)
{
    static const char *const after[] = {"=", "[", "{", ";", ",", "("};
    for (uint32_t i = found->begin; i < found->end; i++)
        if (SMC_TOKEN_IS_ANY(tokens, i + 1, after) && device_part_is_used(part, tokens, i))
            return true;
    return false;
}

/* Whether the macro's replacement declares a class of a used name, such as a specialization. */
static bool declares_used_class(const struct smc_device_part *part, uint64_t hash, int depth)
{
    const struct smc_source_macro *macro = smc_source_macro_find(&part->tree, hash);
    for (uint32_t i = macro ? macro->body : 0; macro && i + 1 < macro->tokens.count; i++) {
        const struct smc_tokens *tokens = &macro->tokens;
        if ((smc_token_is(tokens, i, "struct") || smc_token_is(tokens, i, "class")) &&
            device_part_is_used(part, tokens, i + 1))
            return true;
        if (depth > 0 && smc_token_is(tokens, i + 1, "(") &&
            tokens->item[i].kind == SMC_TOKEN_WORD &&
            declares_used_class(part, smc_token_hash(tokens, i), depth - 1))
            return true;
    }
    return false;
}

/* A macro that declares something is kept if its replacement is device code, or a class that device
   code uses. */
static bool is_device_macro(const struct smc_device_part *part, const struct smc_tokens *tokens,
                            const struct smc_declaration *found)
{
    const uint64_t hash = smc_token_hash(tokens, found->name);
    return smc_name_set_has(&part->tree.words.device, hash) || declares_used_class(part, hash, 2);
}

static bool device_part_is_member(const struct smc_source_file *file,
                                  const struct smc_declaration *found)
{
    return found->parent != SMC_NO_TOKEN &&
           file->declarations.item[found->parent].kind == SMC_DECLARE_CLASS;
}

/* Whether the class in a class has members, or an object, that are named without it:
   "union { int i; float f; };" */
static bool is_anonymous(const struct smc_tokens *tokens, const struct smc_declaration *found)
{
    return smc_token_is(tokens, found->body - 1, "union") ||
           smc_token_is(tokens, found->body - 1, "struct") ||
           smc_token_is(tokens, found->body - 1, "class");
}

/* Whether it is a template that is only declared, as for the operand of sizeof or decltype. */
static bool is_declared_template(const struct smc_declaration *found)
{
    return found->template_begin != SMC_NO_TOKEN && found->body == SMC_NO_TOKEN;
}

/* Whether a member is kept, if its class is. */
static bool keeps_member(const struct smc_device_part *part, const struct smc_source_file *file,
                         const struct smc_declaration *found)
{
    const struct smc_tokens *tokens = &file->tokens;
    bool device = found->is_device || found->is_constexpr || found->is_default;
    switch (found->kind) {
    case SMC_DECLARE_FUNCTION:
        return device ||
               (is_declared_template(found) && device_part_is_used(part, tokens, found->name));
    case SMC_DECLARE_TYPE:
        return declares_used_type(part, tokens, found);
    case SMC_DECLARE_CLASS:
        return found->body == SMC_NO_TOKEN || is_anonymous(tokens, found) ||
               device_part_is_used(part, tokens, found->name);
    case SMC_DECLARE_MACRO:
        return is_device_macro(part, tokens, found);
    default:
        return true;
    }
}

static bool keeps_variables(const struct smc_device_part *part, const struct smc_tokens *tokens,
                            const struct smc_declaration *found)
{
    return found->is_device || (found->is_constant && declares_used_value(part, tokens, found));
}

static bool keeps(const struct smc_device_part *part, const struct smc_source_file *file,
                  const struct smc_declaration *found)
{
    const struct smc_tokens *tokens = &file->tokens;
    if (device_part_is_member(file, found))
        return file->declarations.item[found->parent].is_kept && keeps_member(part, file, found);
    switch (found->kind) {
    case SMC_DECLARE_NAMESPACE:
    case SMC_DECLARE_DIRECTIVE:
    case SMC_DECLARE_ASSERT:
        return true;
    case SMC_DECLARE_CLASS: /* that of variables, too, as in "__constant__ struct {...} name;" */
        if ((found->body == SMC_NO_TOKEN || !is_anonymous(tokens, found)) &&
            device_part_is_used(part, tokens, found->name))
            return true;
        return keeps_variables(part, tokens, found);
    case SMC_DECLARE_TYPE:
        return declares_used_type(part, tokens, found);
    case SMC_DECLARE_VALUE:
        return keeps_variables(part, tokens, found);
    case SMC_DECLARE_MACRO:
        return is_device_macro(part, tokens, found);
    case SMC_DECLARE_FUNCTION:
        break;
    }
    if (found->name == found->begin && found->body == SMC_NO_TOKEN) /* "MACRO(x);" */
        return is_device_macro(part, tokens, found);
    return found->is_device ||
           (found->is_constexpr && device_part_is_used(part, tokens, found->name));
}

/* Adds the names in a declaration; those of its members are added with these. */
static void use(struct smc_device_part *part, const struct smc_source_file *file, uint32_t index)
{
    const struct smc_declarations *all = &file->declarations;
    const struct smc_declaration *found = &all->item[index];
    if (found->kind == SMC_DECLARE_NAMESPACE || found->kind == SMC_DECLARE_ASSERT)
        return;
    uint32_t next = index + 1;
    for (uint32_t i = found->begin; i < found->end; i++) {
        while (next < all->count && all->item[next].begin < i)
            next++;
        if (found->kind == SMC_DECLARE_CLASS && next < all->count && all->item[next].begin == i &&
            all->item[next].end <= found->end && all->item[next].end > i) {
            i = all->item[next].end - 1;
            continue;
        }
        use_token(part, &file->tokens, i);
    }
}

/* Keeps what the kept declarations use, until nothing is added. */
static void keep_used(struct smc_device_part *part)
{
    for (bool changed = true; changed && !part->used.failed;) {
        changed = false;
        for (size_t k = 0; k < part->tree.count; k++) {
            struct smc_source_file *file = &part->tree.file[k];
            for (uint32_t i = 0; i < file->declarations.count; i++) {
                struct smc_declaration *found = &file->declarations.item[i];
                if (found->is_kept || found->is_rejected || !keeps(part, file, found))
                    continue;
                found->is_kept = changed = true;
                use(part, file, i);
            }
        }
    }
}

static void use_instances(struct smc_device_part *part)
{
    for (size_t i = 0; i < part->instances.count; i++) {
        const struct smc_instantiation *instance = &part->instances.item[i];
        SMC_AUTO(smc_tokens_free) struct smc_tokens tokens = {0};
        if (!smc_tokens_read(instance->name, strlen(instance->name), &tokens))
            part->used.failed = true;
        for (uint32_t k = 0; k < tokens.count && !instance->is_left_out; k++)
            use_token(part, &tokens, k);
    }
}

/* --- Headers ---------------------------------------------------------------------------------- */

static const struct smc_standard_header *standard_header(const struct smc_source_file *file,
                                                         const struct smc_source_include *include)
{
    const struct smc_standard_header *header = smc_standard_header_find(
        smc_text_string(&file->text) + include->begin, include->end - include->begin);
    bool is_found = include->kind != SMC_INCLUDE_STANDARD;
    return header && smc_standard_header_applies(header, is_found) ? header : NULL;
}

/* Headers of the C and C++ library without device code, and of the system. */
/* clang-format off */
static const char *const host_headers[] = {
    "iostream", "vector", "string", "memory", "chrono", "thread", "mutex", "map", "set",
    "unordered_map", "unordered_set", "list", "deque", "queue", "stack", "random", "fstream",
    "sstream", "iomanip", "ostream", "istream", "ios", "iosfwd", "numeric",
    "stdexcept", "exception", "system_error", "optional", "variant", "any", "tuple", "filesystem",
    "regex", "future", "atomic", "condition_variable", "complex", "bitset", "string_view",
    "cctype", "ctime", "cerrno", "csignal", "cstdarg", "locale", "new", "typeinfo", "typeindex",
    "valarray", "ratio", "span", "bit", "concepts", "ranges", "numbers", "format",
    "source_location", "charconv", "execution", "clocale", "cwchar", "codecvt", "forward_list",
    "stdalign.h", "csetjmp", "time.h", "unistd.h", "sys/time.h", "sys/stat.h", "sys/types.h", "errno.h",
    "signal.h", "ctype.h", "stdarg.h", "stdbool.h", "omp.h", "pthread.h", "windows.h", "getopt.h",
    "malloc.h", "memory.h", "fcntl.h", "dirent.h", "mpi.h", "sys/mman.h", "locale.h", "dlfcn.h",
    "strings.h", "sched.h",
};
/* clang-format on */

static bool is_host_library(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof host_headers / sizeof *host_headers; i++)
        if (smc_equals(name, length, host_headers[i]))
            return true;
    return false;
}

/* The compiler is asked which of the headers that were not found it would have read: it warns of
   those in active branches. */
static const char missing_mark[] = "smemcalc: header not found:";

static void write_missing(const struct smc_device_part *part, const struct smc_source_file *file,
                          const struct smc_source_include *include, struct smc_text *text)
{
    smc_text_printf(text, "#warning %s %zu %zu", missing_mark, (size_t)(file - part->tree.file),
                    (size_t)(include - file->include));
}

static void tell_missing(struct smc_device_part *part, size_t k, size_t i)
{
    if (k >= part->tree.count || i >= part->tree.file[k].include_count)
        return;
    const struct smc_source_file *file = &part->tree.file[k];
    const struct smc_source_include *include = &file->include[i];
    smc_text_safe_line(&part->missing, "%s:%u: #include %.*s", file->path,
                       file->tokens.item[include->token].line,
                       (int)(include->end - include->begin) + 2,
                       smc_text_string(&file->text) + include->begin - 1);
}

void smc_device_part_note_missing(struct smc_device_part *part, struct smc_text *log)
{
    static const char before[] = "directive: ";
    char *at = log->data ? strstr(log->data, before) : NULL;
    smc_text_cut(&part->missing, 0);
    for (; at; at = strstr(at, before)) {
        char *end, *line = at;
        at += sizeof before - 1;
        if (strncmp(at, missing_mark, sizeof missing_mark - 1) != 0)
            continue;
        size_t file = strtoul(at + sizeof missing_mark - 1, &end, 10);
        tell_missing(part, file, strtoul(end, NULL, 10));
        while (line > log->data && line[-1] != '\n')
            line--;
        memset(line, ' ', (size_t)(end - line)); /* it is not a warning for the user */
    }
}

enum smc_status smc_device_part_read(const char *file, const char *text, const char *options,
                                     const char *toolkit, struct smc_device_part *part,
                                     struct smc_error *error)
{
    SMC_TRY(smc_source_tree_read(file, text, options, toolkit, &part->tree, error));
    if (!smc_instantiations_find(&part->tree, &part->instances))
        return smc_out_of_memory(error);
    use_instances(part);
    keep_used(part);
    return part->used.failed ? smc_out_of_memory(error) : SMC_OK;
}

void smc_device_part_free(struct smc_device_part *part)
{
    smc_source_tree_free(&part->tree);
    smc_instantiations_free(&part->instances);
    smc_name_set_free(&part->used);
    smc_text_free(&part->missing);
    smc_text_free(&part->rejected);
}

bool smc_device_part_is_whole(const struct smc_device_part *part)
{
    for (size_t k = 0; k < part->tree.count; k++) {
        const struct smc_declarations *all = &part->tree.file[k].declarations;
        for (uint32_t i = 0; i < all->count; i++)
            if (!all->item[i].is_kept)
                return false;
    }
    return true;
}

/* --- Macros that name the compiler ------------------------------------------------------------ */

/* Each has a twin of the same length, which <smemcalc/predefined.h> defines as nvcc defines it. The
   toolkit's headers must see those of NVRTC. */
static const struct compiler_macro {
    const char *name, *twin;
} compiler_macros[] = {
    {"__NVCC__", "__nvcc__"}, {"__CUDACC_RTC__", "__cudacc_rtc__"},
    {"__GNUC__", "__gnuc__"}, {"__GNUC_MINOR__", "__gnuc_minor__"},
    {"__GNUG__", "__gnug__"},
};

/* The next of them in the text from `at` on; NULL: none. */
static const char *find_compiler_macro(const char *at, const struct compiler_macro **found)
{
    const char *text = at;
    while ((at = strstr(at, "__"))) {
        const char before = at > text ? at[-1] : ' ';
        const size_t length = strspn(at, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        for (size_t i = 0; i < sizeof compiler_macros / sizeof *compiler_macros; i++) {
            *found = &compiler_macros[i];
            if (strlen((*found)->name) == length && memcmp((*found)->name, at, length) == 0 &&
                !isalnum((unsigned char)at[length]) && !isalnum((unsigned char)before))
                return at;
        }
        at += length;
    }
    return NULL;
}

void smc_device_part_compiler_macro(const struct smc_source_tree *tree, struct smc_text *shown)
{
    for (size_t k = 0; k < tree->count; k++) {
        const struct compiler_macro *macro;
        const struct smc_source_file *file = &tree->file[k];
        const char *text = smc_text_string(&file->text);
        const char *at = file->is_made ? NULL : find_compiler_macro(text, &macro);
        unsigned line = 1;
        for (const char *s = text; at && s < at; s++)
            line += *s == '\n';
        if (at) {
            smc_text_printf(shown, "%s:%u: %s", file->path, line, macro->name);
            return;
        }
    }
}

static void use_nvcc_macros(char *text)
{
    const struct compiler_macro *macro;
    while (text && (text = (char *)find_compiler_macro(text, &macro))) {
        memcpy(text, macro->twin, strlen(macro->twin));
        text += strlen(macro->twin);
    }
}

/* --- The text for the compiler ---------------------------------------------------------------- */

/* Replaces everything but line ends by blanks. */
static void blank(char *text, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        if (text[i] != '\n')
            text[i] = ' ';
}

/* Directives that stay in host code: device code elsewhere may depend on them. */
static bool stays(const char *text, const struct smc_cpp_token *token)
{
    const char *name;
    size_t length = smc_directive_name(text, token, &name, NULL);
    bool pragma = length == 6 && memcmp(name, "pragma", 6) == 0;
    bool error = length == 5 && memcmp(name, "error", 5) == 0;
    bool include = length == 7 && memcmp(name, "include", 7) == 0;
    return !pragma && !error && !include;
}

/* Blanks a declaration of the host; directives in it stay. */
static void blank_declaration(const struct smc_source_file *file,
                              const struct smc_declaration *found, char *text)
{
    if (found->begin >= found->end)
        return;
    uint32_t at = file->tokens.item[found->begin].begin;
    for (uint32_t i = found->begin; i < found->end; i++) {
        const struct smc_cpp_token *token = &file->tokens.item[i];
        if (token->kind == SMC_TOKEN_DIRECTIVE && stays(file->text.data, token)) {
            blank(text, at, token->begin);
            at = token->end;
        }
    }
    blank(text, at, file->tokens.item[found->end - 1].end);
}

/* Writes what replaces the directive; false: it stays as it is. */
static bool write_include(const struct smc_device_part *part, const struct smc_source_file *file,
                          const struct smc_source_include *include, struct smc_text *text)
{
    switch (include->kind) {
    case SMC_INCLUDE_OWN: /* by its path, because two folders may have headers of one name */
        smc_text_printf(text, "#include \"%s\"", part->tree.file[include->file].path);
        return true;
    case SMC_INCLUDE_STANDARD:
        if (standard_header(file, include))
            break;
        if (!is_host_library(smc_text_string(&file->text) + include->begin,
                             include->end - include->begin))
            write_missing(part, file, include, text);
        return true;
    case SMC_INCLUDE_HOST:
        return true;
    case SMC_INCLUDE_TOOLKIT:
    case SMC_INCLUDE_MACRO:
        break;
    }
    const struct smc_cpp_token *token = &file->tokens.item[include->token];
    smc_text_append_bytes(text, file->text.data + token->begin, token->end - token->begin);
    return false;
}

/* A macro that stands for __host__, but not for constexpr. */
static bool is_host_macro(const struct smc_device_part *part, const struct smc_source_file *file,
                          uint32_t i)
{
    const uint64_t hash = smc_token_hash(&file->tokens, i);
    return smc_name_set_has(&part->tree.words.host, hash) &&
           !smc_name_set_has(&part->tree.words.constant, hash);
}

/* Device code may call a constexpr function of the host, if only its constants. */
static void blank_host_word(const struct smc_device_part *part, const struct smc_source_file *file,
                            const struct smc_declaration *found, char *text)
{
    if (found->kind != SMC_DECLARE_FUNCTION || !found->is_host || found->is_device)
        return;
    for (uint32_t i = found->begin; i < found->parameters; i++)
        if (smc_token_is(&file->tokens, i, "__host__") || is_host_macro(part, file, i))
            blank(text, file->tokens.item[i].begin, file->tokens.item[i].end);
}

/* A declaration that begins within a blanked one is blanked with it. */
static void blank_host(const struct smc_device_part *part, const struct smc_source_file *file,
                       char *text)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < file->declarations.count; i++) {
        struct smc_declaration found = file->declarations.item[i];
        if (found.begin < end)
            continue;
        if (found.is_kept && !found.is_opaque) {
            blank_host_word(part, file, &found, text);
            continue;
        }
        if (found.is_opaque) { /* "class name;" stays */
            found.begin = found.name + 1;
            found.end--;
        }
        blank_declaration(file, &found, text);
        end = found.end > end ? found.end : end;
    }
}

/* A comment or string may continue over lines in a directive: its line ends are kept too. */
static void append_line_ends(const char *text, uint32_t begin, uint32_t end, struct smc_text *out)
{
    for (uint32_t i = begin; i < end; i++)
        if (text[i] == '\n')
            smc_text_append_char(out, '\n', 1);
}

void smc_device_part_write(const struct smc_device_part *part, size_t index, struct smc_text *text)
{
    const struct smc_source_file *file = &part->tree.file[index];
    smc_auto_text copy = {0};
    uint32_t at = 0;
    smc_text_append_bytes(&copy, smc_text_string(&file->text), file->text.length);
    text->failed |= copy.failed;
    if (copy.failed || copy.length == 0)
        return;
    blank_host(part, file, copy.data);
    if (!part->as_nvrtc && !file->is_made)
        use_nvcc_macros(copy.data);
    for (size_t i = 0; i < file->include_count; i++) {
        const struct smc_source_include *include = &file->include[i];
        const struct smc_cpp_token *token = &file->tokens.item[include->token];
        if (copy.data[token->begin] != '#') /* blanked */
            continue;
        smc_text_append_bytes(text, copy.data + at, token->begin - at);
        if (write_include(part, file, include, text))
            append_line_ends(copy.data, token->begin, token->end, text);
        at = token->end;
    }
    smc_text_append_bytes(text, copy.data + at, copy.length - at);
}

/* --- What the compiler's errors teach --------------------------------------------------------- */

/* "path(12): error: message" */
struct log_error {
    const char *path, *message;
    size_t path_length, message_length;
    uint32_t line;
};

/* Not a warning whose message, or whose file's name, has the word. */
static bool is_error(const char *message, size_t length)
{
    static const char *const kinds[] = {"error", "catastrophic error", "internal error"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (length > strlen(kinds[i]) && memcmp(message, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

static bool next_error(const char **log, struct log_error *found)
{
    while (**log) {
        const char *line = *log, *end = line + strcspn(line, "\n");
        *log = *end ? end + 1 : end;
        const char *mark = memmem(line, (size_t)(end - line), "): ", 3);
        const char *digits = mark;
        while (digits && digits > line && isdigit((unsigned char)digits[-1]))
            digits--;
        if (!mark || digits == mark || digits == line || digits[-1] != '(' ||
            !is_error(mark + 3, (size_t)(end - mark - 3)))
            continue;
        *found = (struct log_error){line, mark + 3, (size_t)(digits - 1 - line),
                                    (size_t)(end - mark - 3), (uint32_t)strtoul(digits, NULL, 10)};
        return true;
    }
    return false;
}

static struct smc_source_file *device_part_file_of(struct smc_device_part *part,
                                                   const struct log_error *error)
{
    for (size_t i = 0; i < part->tree.count; i++) {
        const char *path = part->tree.file[i].path;
        if (strlen(path) == error->path_length &&
            memcmp(path, error->path, error->path_length) == 0)
            return &part->tree.file[i];
    }
    return NULL;
}

static struct smc_declaration *innermost(struct smc_source_file *file, uint32_t line)
{
    struct smc_declaration *best = NULL;
    for (uint32_t i = 0; i < file->declarations.count; i++) {
        struct smc_declaration *found = &file->declarations.item[i];
        if (!found->is_kept || found->kind == SMC_DECLARE_NAMESPACE || found->begin >= found->end ||
            file->tokens.item[found->begin].line > line ||
            file->tokens.item[found->end - 1].line < line)
            continue;
        if (!best || found->begin >= best->begin)
            best = found;
    }
    return best;
}

/* A class of the host whose data NVRTC does not know: device code may still have pointers to it.
   Without the data member alone, its layout would be another. */
static bool hide_definition(struct smc_source_file *file, const struct smc_declaration *member)
{
    struct smc_declaration *class = &file->declarations.item[member->parent];
    const struct smc_tokens *tokens = &file->tokens;
    if (class->is_opaque || class->name == SMC_NO_TOKEN || class->body == SMC_NO_TOKEN ||
        class->name >= class->body || smc_token_is(tokens, class->name + 1, "<") ||
        tokens->item[class->body].match + 2 != class->end)
        return false;
    class->is_opaque = true;
    return true;
}

static void note_rejected(struct smc_device_part *part, const struct smc_source_file *file,
                          const struct log_error *error)
{
    if (part->rejected.length == 0)
        smc_text_safe_line(&part->rejected, "%s:%u: %.*s", file->path, error->line,
                           (int)error->message_length, error->message);
}

/* Omits the declaration at the error's line, unless it is device code. */
static bool reject(struct smc_device_part *part, const struct log_error *error)
{
    struct smc_source_file *file = device_part_file_of(part, error);
    struct smc_declaration *found = file ? innermost(file, error->line) : NULL;
    if (!found || found->is_device || found->is_rejected ||
        memmem(error->message, error->message_length, "static assertion", 16))
        return false;
    if (device_part_is_member(file, found) && found->kind == SMC_DECLARE_VALUE) {
        const bool is_hidden = hide_definition(file, found);
        if (is_hidden)
            note_rejected(part, file, error);
        return is_hidden;
    }
    found->is_kept = false;
    found->is_rejected = true;
    if (found->kind != SMC_DECLARE_DIRECTIVE)
        note_rejected(part, file, error);
    return true;
}

/* Leaves out a header of the toolkit that turns out to have host code. */
static bool reject_header(struct smc_device_part *part, const struct log_error *error)
{
    bool found = false;
    for (size_t k = 0; k < part->tree.count; k++) {
        struct smc_source_file *file = &part->tree.file[k];
        for (size_t i = 0; i < file->include_count; i++) {
            struct smc_source_include *include = &file->include[i];
            size_t length = include->end - include->begin;
            const char *name = smc_text_string(&file->text) + include->begin;
            if (include->kind != SMC_INCLUDE_TOOLKIT || length >= error->path_length ||
                memcmp(error->path + error->path_length - length, name, length) != 0 ||
                error->path[error->path_length - length - 1] != '/')
                continue;
            include->kind = SMC_INCLUDE_HOST;
            found = true;
        }
    }
    if (found && part->rejected.length == 0)
        smc_text_safe_line(&part->rejected, "%.*s:%u: %.*s", (int)error->path_length, error->path,
                           error->line, (int)error->message_length, error->message);
    return found;
}

/* Marks the undefined name in quotation marks as used. */
static bool keep_undefined(struct smc_device_part *part, const struct log_error *error)
{
    const char *name = memchr(error->message, '"', error->message_length);
    if (!name || !(memmem(error->message, error->message_length, "undefined", 9) ||
                   memmem(error->message, error->message_length, "is not a", 8) ||
                   memmem(error->message, error->message_length, "incomplete", 10)))
        return false;
    const char *end =
        memchr(name + 1, '"', error->message_length - (size_t)(name + 1 - error->message));
    if (!end)
        return false;
    return smc_name_set_add(&part->used,
                            smc_hash(SMC_HASH_START, name + 1, (size_t)(end - name - 1)));
}

/* Errors in "__nv_name_map(N)" are those of an instance that was requested, from N = 2 on. */
static bool leave_out_instance(struct smc_device_part *part, const struct log_error *error)
{
    static const char map[] = "__nv_name_map";
    uint32_t line = 2;
    if (error->path_length != sizeof map - 1 || memcmp(error->path, map, error->path_length) != 0)
        return false;
    for (size_t i = 0; i < part->instances.count; i++) {
        struct smc_instantiation *instance = &part->instances.item[i];
        if (instance->is_requested && line++ == error->line) {
            bool is_new = !instance->is_left_out;
            instance->is_left_out = true;
            return is_new;
        }
    }
    return false;
}

bool smc_device_part_correct(struct smc_device_part *part, const char *log)
{
    struct log_error error;
    bool changed = false;
    while (next_error(&log, &error))
        changed |= leave_out_instance(part, &error) || reject(part, &error) ||
                   reject_header(part, &error) || keep_undefined(part, &error);
    for (size_t i = 0; i < part->instances.count; i++)
        part->instances.item[i].is_requested &= !part->instances.item[i].is_left_out;
    keep_used(part);
    return changed && !part->used.failed;
}

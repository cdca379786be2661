/* A CUDA source and the headers of the same project that it includes. */
#include "code/source_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { MAX_FILES = 400, MAX_PATH = 1200 };
static const size_t longest_header = (size_t)1 << 28; /* bytes */

/* --- Folders ---------------------------------------------------------------------------------- */

const char *smc_source_next_option(const char *options, struct smc_text *option)
{
    char quote = '\0';
    options += strspn(options, " ");
    for (; *options && (quote || *options != ' '); options++) {
        if (*options == quote)
            quote = '\0';
        else if (!quote && (*options == '"' || *options == '\''))
            quote = *options;
        else
            smc_text_append_char(option, *options, 1);
    }
    return options;
}

/* Appends the values of the options with one of these names, one a line. */
static void source_tree_append_values(const char *options, const char *const *names, size_t count,
                                      struct smc_text *values)
{
    bool is_next = false;
    while (options && *options) {
        smc_auto_text word = {0};
        options = smc_source_next_option(options, &word);
        const char *text = smc_text_string(&word), *path = is_next ? text : NULL;
        for (size_t i = 0; !path && i < count; i++)
            if (strncmp(text, names[i], strlen(names[i])) == 0)
                path = text + strlen(names[i]);
        is_next = path && !*path;
        if (path && *path)
            smc_text_printf(values, "%s\n", path);
    }
}

void smc_source_folders(const char *options, struct smc_text *folders)
{
    static const char *const names[] = {"--include-path=", "--system-include=", "--include-path",
                                        "-isystem=",       "-isystem",          "-I"};
    source_tree_append_values(options, names, sizeof names / sizeof *names, folders);
}

/* Looks for a header in the folders, one a line. */
static bool source_tree_find_in(const char *folders, const char *name, char path[MAX_PATH])
{
    while (*folders) {
        int length = (int)strcspn(folders, "\n");
        if (snprintf(path, MAX_PATH, "%.*s/%s", length, folders, name) < MAX_PATH &&
            smc_file_is_regular(path))
            return true;
        folders += length + (folders[length] == '\n');
    }
    return false;
}

static bool find_beside(const char *file, const char *name, char path[MAX_PATH])
{
    const char *slash = strrchr(file, '/');
    int length = slash ? (int)(slash - file + 1) : 0;
    return snprintf(path, MAX_PATH, "%.*s%s", length, file, name) < MAX_PATH &&
           smc_file_is_regular(path);
}

/* --- Files ------------------------------------------------------------------------------------ */

static struct smc_source_file *source_tree_append_file(struct smc_source_tree *tree,
                                                       const char *path)
{
    if (!smc_make_room(&tree->file, tree->count, &tree->capacity, sizeof *tree->file))
        return NULL;
    struct smc_source_file *file = &tree->file[tree->count];
    *file = (struct smc_source_file){.path = smc_strdup(path)};
    if (!file->path)
        return NULL;
    tree->count++;
    return file;
}

/* The index of a header, which is read later if it is new; SIZE_MAX: too many, or no memory. */
static size_t source_tree_add_header(struct smc_source_tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++)
        if (strcmp(tree->file[i].path, path) == 0)
            return i;
    if (tree->count >= MAX_FILES || !source_tree_append_file(tree, path))
        return SIZE_MAX;
    return tree->count - 1;
}

/* Headers of the toolkit without device code, which NVRTC rejects or does not need.
 */
static bool is_for_host(const char *name)
{
    static const char *const starts[] = {"cublas",       "cufft",
                                         "cusparse",     "cusolver",
                                         "cudnn",        "cudss",
                                         "nccl",         "nvToolsExt",
                                         "nvtx3/",       "cuda_profiler_api",
                                         "cufile",       "cupti",
                                         "npp",          "nvml",
                                         "nvrtc",        "nvJitLink",
                                         "nvjpeg",       "cuda_gl_interop",
                                         "cudaGL",       "cudaEGL",
                                         "cudaVDPAU",    "thrust/",
                                         "curand.h",     "cutensor",
                                         "nvPTXCompiler"};
    static const char *const device[] = {"thrust/complex.h",    "thrust/tuple.h", "thrust/pair.h",
                                         "thrust/functional.h", "cublasdx",       "cufftdx"};
    return SMC_ANY(smc_begins, name, starts) && !SMC_ANY(smc_begins, name, device);
}

bool smc_source_tree_has_toolkit_header(const struct smc_source_tree *tree, const char *name)
{
    char path[MAX_PATH];
    return source_tree_find_in(smc_text_string(&tree->toolkit), name, path);
}

bool smc_source_tree_read_toolkit_header(const struct smc_source_tree *tree, const char *name,
                                         struct smc_text *path, struct smc_text *text)
{
    char found[MAX_PATH];
    struct smc_error ignored;
    if (!source_tree_find_in(smc_text_string(&tree->toolkit), name, found))
        return false;
    if (path)
        smc_text_append(path, found);
    return smc_file_read(found, "header", longest_header, text, &ignored) == SMC_OK;
}

bool smc_source_is_of_toolkit(const char *path)
{
    static const char name[] = "/cuda_runtime_api.h";
    smc_auto_free char *header = smc_malloc(strlen(path) + sizeof name);
    char *slash;
    if (!header)
        return false;
    for (strcpy(header, path); (slash = strrchr(header, '/')); *slash = '\0') {
        strcpy(slash, name);
        if (smc_file_is_regular(header))
            return true;
    }
    return false;
}

/* The name in "#include <name>" or with quotation marks; false: another line. */
static bool source_tree_read_directive(const char *line, char name[512])
{
    line += strspn(line, " \t");
    if (*line != '#')
        return false;
    line += 1 + strspn(line + 1, " \t");
    if (!smc_begins(line, "include"))
        return false;
    line += strlen("include");
    line += strspn(line, " \t");
    size_t length = *line == '<' || *line == '"' ? strcspn(line + 1, ">\"\n") : 0;
    snprintf(name, 512, "%.*s", length < 512 ? (int)length : 0, line + 1);
    return length > 0;
}

/* Whether a line gives another name to an arithmetic or complex type, as that of cufftComplex. */
static bool is_type_name(const char *line)
{
    static const char *const types[] = {"char",   "short",     "int",
                                        "long",   "unsigned",  "float",
                                        "double", "cuComplex", "cuDoubleComplex"};
    if (!smc_begins(line, "typedef "))
        return false;
    line += strlen("typedef ");
    size_t length = strcspn(line, " \n");
    bool is_found = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        is_found |= strlen(types[i]) == length && smc_begins(line, types[i]);
    return is_found && line[strcspn(line, ";(*\n")] == ';';
}

/* Appends what a header for host code, itself or through others of its library, has for device
   code: includes, such as that of half, and names of types, such as cufftComplex. */
static void append_device_headers(const struct smc_source_tree *tree, const char *name, int depth,
                                  struct smc_text *out)
{
    static const char *const device[] = {
        "cuda_fp16.h", "cuda_bf16.h",    "cuda_fp8.h",      "cuda_fp6.h", "cuda_fp4.h",
        "cuComplex.h", "vector_types.h", "library_types.h", "stdint.h",   "cstdint"};
    smc_auto_text text = {0};
    char included[512];
    if (depth < 4 && smc_source_tree_read_toolkit_header(tree, name, NULL, &text))
        for (const char *line = smc_text_string(&text); *line;) {
            if (is_type_name(line))
                smc_text_printf(out, "%.*s;\n", (int)strcspn(line, ";"), line);
            if (source_tree_read_directive(line, included)) {
                if (SMC_ANY(smc_is_same, included, device))
                    smc_text_printf(out, "#include <%s>\n", included);
                else if (is_for_host(included) && !smc_begins(included, "thrust/"))
                    append_device_headers(tree, included, depth + 1, out);
            }
            line += strcspn(line, "\n");
            line += *line == '\n';
        }
}

/* A file of the tree instead of the toolkit's header for host code, which has only the includes of
   its device code; SIZE_MAX: it has none. */
static size_t add_host_header(struct smc_source_tree *tree, const char *name)
{
    char path[MAX_PATH];
    struct smc_text text = {0};
    if (!source_tree_find_in(smc_text_string(&tree->toolkit), name, path))
        return SIZE_MAX;
    for (size_t i = 0; i < tree->count; i++)
        if (strcmp(tree->file[i].path, path) == 0)
            return i;
    append_device_headers(tree, name, 0, &text);
    if (text.length > 0 && tree->count < MAX_FILES && source_tree_append_file(tree, path)) {
        tree->file[tree->count - 1].text = text;
        tree->file[tree->count - 1].is_made = true;
        return tree->count - 1;
    }
    smc_text_free(&text);
    return SIZE_MAX;
}

static enum smc_include_kind source_tree_find_header(struct smc_source_tree *tree, const char *from,
                                                     const char *name, bool is_quoted,
                                                     size_t *index)
{
    char path[MAX_PATH];
    bool is_own = (is_quoted && find_beside(from, name, path)) ||
                  source_tree_find_in(smc_text_string(&tree->folders), name, path) ||
                  (is_quoted && find_beside(tree->file[0].path, name, path));
    if (is_own && (*index = source_tree_add_header(tree, path)) != SIZE_MAX)
        return SMC_INCLUDE_OWN;
    if (is_for_host(name))
        return (*index = add_host_header(tree, name)) != SIZE_MAX ? SMC_INCLUDE_OWN
                                                                  : SMC_INCLUDE_HOST;
    return smc_source_tree_has_toolkit_header(tree, name) ? SMC_INCLUDE_TOOLKIT
                                                          : SMC_INCLUDE_STANDARD;
}

static bool append_include(struct smc_source_file *file, const struct smc_source_include *include)
{
    if (!smc_make_room(&file->include, file->include_count, &file->include_capacity,
                       sizeof *file->include))
        return false;
    file->include[file->include_count++] = *include;
    return true;
}

static bool read_include(struct smc_source_tree *tree, size_t index, uint32_t token, uint32_t at)
{
    const char *text = smc_text_string(&tree->file[index].text);
    uint32_t end = tree->file[index].tokens.item[token].end;
    struct smc_source_include include = {SMC_INCLUDE_MACRO, token, at, at, SIZE_MAX};
    char name[512];
    if (at < end && (text[at] == '"' || text[at] == '<')) {
        const char *close = memchr(text + at + 1, text[at] == '"' ? '"' : '>', end - at - 1);
        uint32_t length = close ? (uint32_t)(close - text) - at - 1 : 0;
        if (length > 0 && length < sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)length, text + at + 1);
            include.begin = at + 1;
            include.end = at + 1 + length;
            include.kind = source_tree_find_header(tree, tree->file[index].path, name,
                                                   text[at] == '"', &include.file);
        }
    }
    return append_include(&tree->file[index], &include);
}

/* --- Macros ----------------------------------------------------------------------------------- */

const struct smc_source_macro *smc_source_macro_find(const struct smc_source_tree *tree,
                                                     uint64_t hash)
{
    for (size_t i = 0; i < tree->macro_count; i++)
        if (tree->macro[i].hash == hash)
            return &tree->macro[i];
    return NULL;
}

static bool read_macro(struct smc_source_tree *tree, size_t index, uint32_t token, uint32_t at)
{
    if (!smc_make_room(&tree->macro, tree->macro_count, &tree->macro_capacity, sizeof *tree->macro))
        return false;
    const struct smc_source_file *file = &tree->file[index];
    const struct smc_cpp_token *directive = &file->tokens.item[token];
    struct smc_source_macro *macro = &tree->macro[tree->macro_count];
    *macro = (struct smc_source_macro){.file = index, .line = directive->line};
    if (!smc_tokens_read(file->text.data + at, directive->end - at, &macro->tokens)) {
        smc_tokens_free(&macro->tokens);
        return false;
    }
    const struct smc_cpp_token *item = macro->tokens.item;
    if (macro->tokens.count == 0 || item[0].kind != SMC_TOKEN_WORD) {
        smc_tokens_free(&macro->tokens);
        return true;
    }
    macro->hash = smc_token_hash(&macro->tokens, 0);
    macro->is_function = smc_token_is(&macro->tokens, 1, "(") && item[1].begin == item[0].end &&
                         item[1].match != SMC_NO_TOKEN;
    macro->body = macro->is_function ? item[1].match + 1 : 1;
    tree->macro_count++;
    return true;
}

static bool contains(const struct smc_source_macro *macro, const char *const *list,
                     const struct smc_name_set *set)
{
    for (uint32_t i = macro->body; i < macro->tokens.count; i++) {
        for (const char *const *word = list; *word; word++)
            if (smc_token_is(&macro->tokens, i, *word))
                return true;
        if (macro->tokens.item[i].kind == SMC_TOKEN_WORD &&
            smc_name_set_has(set, smc_token_hash(&macro->tokens, i)))
            return true;
    }
    return false;
}

/* Finds the macros that stand for words such as __device__, directly or through other macros. */
static void find_words(struct smc_source_tree *tree)
{
    static const char *const device[] = {"__device__", "__global__", "__constant__", "__managed__",
                                         NULL};
    static const char *const kernel[] = {"__global__", NULL}, *const host[] = {"__host__", NULL};
    static const char *const constant[] = {"constexpr", NULL};
    static const char *const braces[] = {"namespace", NULL};
    struct smc_cpp_words *words = &tree->words;
    const struct {
        const char *const *list;
        struct smc_name_set *set;
    } rows[] = {{device, &words->device},
                {kernel, &words->kernel},
                {host, &words->host},
                {constant, &words->constant},
                {braces, &words->scopes}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (bool found = true; found;) {
            found = false;
            for (size_t i = 0; i < tree->macro_count; i++)
                if (contains(&tree->macro[i], rows[k].list, rows[k].set))
                    found |= smc_name_set_add(rows[k].set, tree->macro[i].hash);
        }
}

/* --- The tree --------------------------------------------------------------------------------- */

/* Reads the tokens of a file and its directives; headers that are new are appended. */
static bool read_tokens(struct smc_source_tree *tree, size_t index)
{
    struct smc_source_file *file = &tree->file[index];
    const char *text = smc_text_string(&file->text);
    if (!smc_tokens_read(text, file->text.length, &file->tokens))
        return false;
    for (uint32_t i = 0; i < tree->file[index].tokens.count; i++) {
        const struct smc_cpp_token *token = &tree->file[index].tokens.item[i];
        const char *name;
        uint32_t rest;
        if (token->kind != SMC_TOKEN_DIRECTIVE)
            continue;
        size_t length = smc_directive_name(text, token, &name, &rest);
        if (smc_equals(name, length, "include") && !read_include(tree, index, i, rest))
            return false;
        if (smc_equals(name, length, "define") && !read_macro(tree, index, i, rest))
            return false;
    }
    return true;
}

void smc_source_clean(struct smc_text *text)
{
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8's byte order mark */
    size_t length = 0;
    if (text->length >= sizeof mark - 1 && memcmp(text->data, mark, sizeof mark - 1) == 0)
        memset(text->data, ' ', sizeof mark - 1);
    for (size_t i = 0; i < text->length; i++) {
        char c = text->data[i];
        if (c == '\r' && i + 1 < text->length && text->data[i + 1] == '\n')
            continue;
        text->data[length++] = c == '\0' || c == '\r' ? '\n' : c;
    }
    text->length = length;
    if (text->data)
        text->data[length] = '\0';
}

static bool source_tree_read_header(struct smc_source_tree *tree, size_t index)
{
    struct smc_text text = {0};
    struct smc_error ignored;
    if (tree->file[index].is_made)
        return read_tokens(tree, index);
    enum smc_status status =
        smc_file_read(tree->file[index].path, "header", longest_header, &text, &ignored);
    smc_source_clean(&text);
    tree->file[index].text = text;
    return status != SMC_MACHINE && read_tokens(tree, index);
}

static bool source_tree_read_all(struct smc_source_tree *tree, const char *file, const char *text)
{
    struct smc_source_file *source = source_tree_append_file(tree, file);
    if (!source)
        return false;
    smc_text_append(&source->text, text);
    if (source->text.failed || !read_tokens(tree, 0))
        return false;
    for (size_t i = 1; i < tree->count; i++)
        if (!source_tree_read_header(tree, i))
            return false;
    find_words(tree);
    for (size_t i = 0; i < tree->count; i++)
        if (!smc_declarations_read(&tree->file[i].tokens, &tree->words,
                                   &tree->file[i].declarations))
            return false;
    return true;
}

enum smc_status smc_source_tree_read(const char *file, const char *text, const char *options,
                                     const char *toolkit, struct smc_source_tree *tree,
                                     struct smc_error *error)
{
    static const char *const define[] = {"--define-macro=", "--define-macro", "-D"};
    smc_source_folders(options, &tree->folders);
    source_tree_append_values(options, define, sizeof define / sizeof *define, &tree->defines);
    smc_text_append(&tree->toolkit, toolkit);
    if (tree->folders.failed || tree->defines.failed || tree->toolkit.failed ||
        !source_tree_read_all(tree, file, text))
        return smc_out_of_memory(error);
    return SMC_OK;
}

void smc_source_tree_free(struct smc_source_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct smc_source_file *file = &tree->file[i];
        smc_declarations_free(&file->declarations);
        smc_tokens_free(&file->tokens);
        smc_text_free(&file->text);
        free(file->include);
        free(file->path);
    }
    for (size_t i = 0; i < tree->macro_count; i++)
        smc_tokens_free(&tree->macro[i].tokens);
    struct smc_name_set *const sets[] = {&tree->words.device, &tree->words.kernel,
                                         &tree->words.host, &tree->words.constant,
                                         &tree->words.scopes};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        smc_name_set_free(sets[i]);
    smc_text_free(&tree->folders);
    smc_text_free(&tree->defines);
    smc_text_free(&tree->toolkit);
    free(tree->file);
    free(tree->macro);
    *tree = (struct smc_source_tree){0};
}

/* --- Where a kernel is defined ---------------------------------------------------------------- */

/* The '>' that closes the '<' here, or the end. */
static const char *closing_angle(const char *text)
{
    for (size_t depth = 0; *text; text++) {
        depth += *text == '<';
        if (*text == '>' && --depth == 0)
            break;
    }
    return text;
}

/* The length of the name at the end of `shown` before template arguments and parameters, and where
   it begins: "void a::scale<int>(int*)" has "scale". For a mangled name, see below. */
static size_t source_tree_base_name(const char *shown, const char **name)
{
    static const char anonymous[] = "(anonymous namespace)";
    const char *at = *name = shown;
    while (*at && (*at != '(' || smc_begins(at, anonymous))) {
        if (*at == '(') {
            at += strlen(anonymous);
        } else if (*at == '<') {
            const char *close = closing_angle(at);
            if (strncmp(close, ">::", 3) != 0) /* the arguments of the kernel itself */
                break;
            at = close + 1;
        } else {
            if (strchr(" :*&", *at))
                *name = at + 1;
            at++;
        }
    }
    return (size_t)(at - *name);
}

/* Whether the mangled name has this name as one of its parts: 5scale in _ZN1a5scaleEv. */
static bool source_tree_has_part(const char *mangled, const char *name, size_t length)
{
    char part[300];
    if (length + 12 > sizeof part)
        return false;
    snprintf(part, sizeof part, "%zu%.*s", length, (int)length, name);
    return strncmp(mangled, "_Z", 2) == 0 ? strstr(mangled, part) != NULL
                                          : smc_equals(name, length, mangled);
}

/* The namespaces of the declaration that the kernel's name has: the more the better. */
static int source_tree_rate(const struct smc_source_file *file, const struct smc_declaration *found,
                            const char *mangled)
{
    int rating = found->body != SMC_NO_TOKEN ? 100 : 1;
    for (uint32_t i = found->parent; i != SMC_NO_TOKEN; i = file->declarations.item[i].parent) {
        const struct smc_declaration *scope = &file->declarations.item[i];
        if (scope->name == SMC_NO_TOKEN)
            continue;
        const struct smc_cpp_token *name = &file->tokens.item[scope->name];
        rating +=
            source_tree_has_part(mangled, file->tokens.text + name->begin, name->end - name->begin)
                ? 1
                : -10;
    }
    return rating;
}

int smc_source_kernel_rating(const struct smc_source_file *file,
                             const struct smc_declaration *found, const char *mangled,
                             const char *shown)
{
    const char *name;
    if (!found->is_kernel || found->kind != SMC_DECLARE_FUNCTION || found->name == SMC_NO_TOKEN)
        return 0;
    const struct smc_cpp_token *token = &file->tokens.item[found->name];
    const char *text = file->tokens.text + token->begin;
    size_t length = source_tree_base_name(shown, &name);
    bool same = strncmp(shown, "_Z", 2) == 0
                    ? source_tree_has_part(mangled, text, token->end - token->begin)
                    : length == token->end - token->begin && memcmp(name, text, length) == 0;
    return same ? source_tree_rate(file, found, mangled) : 0;
}

const struct smc_declaration *smc_source_tree_next(const struct smc_source_tree *tree,
                                                   struct smc_declared *at)
{
    for (; at->number < tree->count; at->number++, at->next = 0) {
        at->file = &tree->file[at->number];
        if (at->next < at->file->declarations.count)
            return &at->file->declarations.item[at->next++];
    }
    return NULL;
}

/* The declaration that fits best; NULL: none does. */
static const struct smc_declaration *source_tree_find_kernel(const struct smc_source_tree *tree,
                                                             const char *mangled, const char *shown,
                                                             const struct smc_source_file **file)
{
    const struct smc_declaration *best_found = NULL;
    int best = 0;
    struct smc_declared at = {0};
    for (const struct smc_declaration *found; (found = smc_source_tree_next(tree, &at));) {
        int rating = smc_source_kernel_rating(at.file, found, mangled, shown);
        if (rating > best) {
            best = rating;
            best_found = found;
            *file = at.file;
        }
    }
    return best_found;
}

const char *smc_source_tree_find_kernel(const struct smc_source_tree *tree, const char *mangled,
                                        const char *shown, uint32_t *line)
{
    const struct smc_source_file *file = NULL;
    const struct smc_declaration *found = source_tree_find_kernel(tree, mangled, shown, &file);
    if (!found)
        return NULL;
    *line = file->tokens.item[found->name].line;
    return file->path;
}

/* The text of the tokens from `i` to `end`, with single blanks. */
static void append_tokens(const struct smc_tokens *tokens, uint32_t i, uint32_t end,
                          struct smc_text *text)
{
    const uint32_t first = i;
    for (; i < end; i++) {
        const struct smc_cpp_token *token = &tokens->item[i];
        if (token->kind >= SMC_TOKEN_DIRECTIVE)
            continue;
        if (i > first && token->begin > tokens->item[i - 1].end)
            smc_text_append_char(text, ' ', 1);
        smc_text_append_bytes(text, tokens->text + token->begin, token->end - token->begin);
    }
}

void smc_source_tree_parameters(const struct smc_source_tree *tree, const char *mangled,
                                const char *shown, struct smc_text *list)
{
    const struct smc_source_file *file = NULL;
    const struct smc_declaration *found = source_tree_find_kernel(tree, mangled, shown, &file);
    if (!found || found->parameters == SMC_NO_TOKEN)
        return;
    const struct smc_tokens *tokens = &file->tokens;
    const uint32_t close = tokens->item[found->parameters].match;
    uint32_t begin = found->parameters + 1, value = SMC_NO_TOKEN;
    for (uint32_t i = begin; i <= close && close != SMC_NO_TOKEN && begin < close; i++) {
        const uint32_t match = tokens->item[i].match;
        uint32_t angle =
            smc_token_is(tokens, i, "<") ? smc_token_close_angle(tokens, i, close) : SMC_NO_TOKEN;
        if (smc_token_is(tokens, i, "=") && value == SMC_NO_TOKEN)
            value = i; /* a default */
        if (i == close || smc_token_is(tokens, i, ",")) {
            append_tokens(tokens, begin, value == SMC_NO_TOKEN ? i : value, list);
            smc_text_append_char(list, '\n', 1);
            begin = i + 1;
            value = SMC_NO_TOKEN;
        } else if (angle != SMC_NO_TOKEN) {
            i = angle;
        } else if (match != SMC_NO_TOKEN && match > i && match < close) {
            i = match;
        }
    }
}

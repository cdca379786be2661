/* Calls of Thrust and CUB in host code, as far as the text tells: names with their namespace. */
#include "code/source/library_calls.h"

#include <stdio.h>
#include <string.h>

/* Algorithms of Thrust that run on the device unless the call says otherwise. */
/* clang-format off */
static const char *const algorithms[] = {
    "adjacent_difference", "all_of", "any_of", "binary_search", "copy", "copy_if", "copy_n", "count",
    "count_if", "device_vector", "equal", "equal_range", "exclusive_scan", "exclusive_scan_by_key",
    "fill", "fill_n", "find", "find_if", "find_if_not", "for_each", "for_each_n", "gather",
    "gather_if", "generate", "generate_n", "inclusive_scan", "inclusive_scan_by_key",
    "inner_product", "is_partitioned", "is_sorted", "is_sorted_until", "lower_bound", "max_element",
    "merge", "merge_by_key", "min_element", "minmax_element", "mismatch", "none_of", "partition",
    "partition_copy", "partition_point", "reduce", "reduce_by_key", "remove", "remove_copy",
    "remove_copy_if", "remove_if", "replace", "replace_copy", "replace_copy_if", "replace_if",
    "reverse", "reverse_copy", "scatter", "scatter_if", "sequence", "set_difference",
    "set_difference_by_key", "set_intersection", "set_intersection_by_key",
    "set_symmetric_difference", "set_symmetric_difference_by_key", "set_union",
    "set_union_by_key", "shuffle", "shuffle_copy", "sort", "sort_by_key", "stable_partition",
    "stable_partition_copy", "stable_sort", "stable_sort_by_key", "swap_ranges", "tabulate",
    "transform", "transform_exclusive_scan", "transform_if", "transform_inclusive_scan",
    "transform_reduce", "uninitialized_copy", "uninitialized_fill", "uninitialized_fill_n",
    "unique", "unique_by_key", "unique_by_key_copy", "unique_copy", "unique_count", "upper_bound",
};
/* clang-format on */

/* Whether the first argument says that the host or the calling thread executes it. */
static bool is_sequential(const struct smc_tokens *tokens, uint32_t open)
{
    return smc_token_is(tokens, open, "(") && smc_token_is(tokens, open + 1, "thrust") &&
           smc_token_is(tokens, open + 2, "::") &&
           (smc_token_is(tokens, open + 3, "host") || smc_token_is(tokens, open + 3, "seq") ||
            smc_token_is(tokens, open + 3, "cpp") || smc_token_is(tokens, open + 3, "omp"));
}

/* The tokens of a call's name at `i`; 0: none. Not every name is called where it stands: a macro
   may do it. */
static uint32_t library_calls_read_name(const struct smc_tokens *tokens, uint32_t i)
{
    if (!smc_token_is(tokens, i + 1, "::") || (i > 0 && smc_token_is(tokens, i - 1, "namespace")))
        return 0;
    if (smc_token_is(tokens, i, "thrust"))
        return SMC_TOKEN_IS_ANY(tokens, i + 2, algorithms) && !smc_token_is(tokens, i + 3, "::") &&
                       !is_sequential(tokens, i + 3)
                   ? 3
                   : 0;
    if (!smc_token_is(tokens, i, "cub") || i + 4 >= tokens->count ||
        tokens->item[i + 2].kind != SMC_TOKEN_WORD)
        return 0;
    const struct smc_cpp_token *class = &tokens->item[i + 2], *method = &tokens->item[i + 4];
    static const char device[] = "Device";
    const bool is_device = class->end - class->begin > sizeof device - 1 &&
                           memcmp(tokens->text + class->begin, device, sizeof device - 1) == 0;
    return is_device && smc_token_is(tokens, i + 3, "::") && method->kind == SMC_TOKEN_WORD &&
                   !smc_token_is(tokens, i + 5, "::")
               ? 5
               : 0;
}

/* Whether the token is in a function that the host cannot call. */
static bool is_in_device_code(const struct smc_source_file *file, uint32_t token)
{
    for (uint32_t i = 0; i < file->declarations.count; i++) {
        const struct smc_declaration *found = &file->declarations.item[i];
        if (found->kind == SMC_DECLARE_FUNCTION && found->begin <= token && token < found->end &&
            (found->is_kernel || (found->is_device && !found->is_host)))
            return true;
    }
    return false;
}

static void library_calls_write_name(const struct smc_tokens *tokens, uint32_t i, uint32_t count,
                                     struct smc_library_call *found)
{
    size_t length = 0;
    for (uint32_t k = i; k < i + count && length < sizeof found->name - 1; k++) {
        const struct smc_cpp_token *token = &tokens->item[k];
        length += (size_t)snprintf(found->name + length, sizeof found->name - length, "%.*s",
                                   (int)(token->end - token->begin), tokens->text + token->begin);
    }
}

/* Headers of the libraries themselves, where a folder of them is named. */
static bool is_of_library(const char *path)
{
    return strstr(path, "/thrust/") || strstr(path, "/cub/") || strstr(path, "/cccl/");
}

bool smc_library_call_next(const struct smc_source_tree *tree, struct smc_library_call *found)
{
    uint32_t i = found->next_token;
    for (size_t k = found->next_file; k < tree->count + tree->macro_count; k++, i = 0) {
        const struct smc_source_macro *macro =
            k >= tree->count ? &tree->macro[k - tree->count] : NULL;
        const size_t in = macro ? macro->file : k;
        if (in >= tree->count || is_of_library(tree->file[in].path) || tree->file[in].is_made)
            continue;
        const struct smc_source_file *file = &tree->file[in];
        const struct smc_tokens *tokens = macro ? &macro->tokens : &file->tokens;
        for (; i < tokens->count; i++) {
            const uint32_t count =
                tokens->item[i].kind == SMC_TOKEN_WORD ? library_calls_read_name(tokens, i) : 0;
            if (count == 0 || (!macro && is_in_device_code(file, i)))
                continue;
            library_calls_write_name(tokens, i, count, found);
            found->file = file->path;
            found->line = macro ? macro->line : tokens->item[i].line;
            found->next_file = k;
            found->next_token = i + count;
            return true;
        }
    }
    return false;
}

/* Headers without kernels excepted. */
static bool is_library_header(const char *name)
{
    static const char *const bare[] = {"thrust/complex.h", "thrust/tuple.h", "thrust/pair.h",
                                       "thrust/functional.h"};
    return (smc_begins(name, "thrust/") && !SMC_ANY(smc_begins, name, bare)) ||
           smc_begins(name, "cub/");
}

const char *smc_library_header_find(const struct smc_source_tree *tree, const char **file,
                                    uint32_t *line)
{
    for (size_t k = 0; k < tree->count; k++) {
        const struct smc_source_file *user = &tree->file[k];
        if (is_of_library(user->path) || user->is_made)
            continue;
        for (size_t i = 0; i < user->include_count; i++) {
            const struct smc_source_include *include = &user->include[i];
            const char *name = smc_text_string(&user->text) + include->begin;
            if (!is_library_header(name))
                continue;
            *file = user->path;
            *line = user->tokens.item[include->token].line;
            return name;
        }
    }
    return NULL;
}

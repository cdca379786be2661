/* A CUDA source and the headers of the same project that it includes: their text, tokens,
   declarations and macros. Headers of the CUDA Toolkit and of the C++ standard are not read. */
#ifndef SMC_CODE_SOURCE_TREE_H
#define SMC_CODE_SOURCE_TREE_H

#include "base/status.h"
#include "base/text.h"
#include "code/source/cpp_declarations.h"

enum smc_include_kind {
    SMC_INCLUDE_OWN,      /* a file of the tree */
    SMC_INCLUDE_TOOLKIT,  /* a header of the CUDA Toolkit with device code */
    SMC_INCLUDE_HOST,     /* a header of the toolkit for host code only */
    SMC_INCLUDE_STANDARD, /* of the C++ standard, or not found */
    SMC_INCLUDE_MACRO,    /* the directive names a macro */
};

struct smc_source_include {
    enum smc_include_kind kind;
    uint32_t token;      /* the directive */
    uint32_t begin, end; /* the header's name in the text */
    size_t file;         /* of the tree, for OWN */
};

struct smc_source_file {
    char *path; /* as the compiler's messages name it */
    struct smc_text text;
    bool is_made; /* the text is what is read instead of a header of the toolkit */
    struct smc_tokens tokens;
    struct smc_declarations declarations;
    struct smc_source_include *include;
    size_t include_count, include_capacity;
};

struct smc_source_macro {
    uint64_t hash;
    size_t file;
    uint32_t line;
    bool is_function;         /* it has parameters */
    struct smc_tokens tokens; /* parameters in parentheses, if it has some, then the replacement */
    uint32_t body;            /* the first token of the replacement */
};

/* Start from {0}. */
struct smc_source_tree {
    struct smc_source_file *file; /* the source, then headers */
    size_t count, capacity;
    struct smc_source_macro *macro;
    size_t macro_count, macro_capacity;
    struct smc_cpp_words words;
    struct smc_text folders; /* to search: one a line */
    struct smc_text defines; /* of options, NAME=VALUE: one a line */
    struct smc_text toolkit; /* the toolkit's, one a line */
};

/* Reads the source in `text`, named `file`, and its headers. `options` of the compiler name folders
   by -I, separated by blanks; `toolkit` lists folders, one a line. A header that cannot be read is
   not in the tree. SMC_MACHINE: out of memory. Always free it. */
enum smc_status smc_source_tree_read(const char *file, const char *text, const char *options,
                                     const char *toolkit, struct smc_source_tree *tree,
                                     struct smc_error *error);
void smc_source_tree_free(struct smc_source_tree *tree);

/* Where a walk through all declarations is: in which file, and its number. Begins with {0}. */
struct smc_declared {
    const struct smc_source_file *file;
    size_t number;
    uint32_t next;
};

/* The next declaration, file by file; NULL after the last. */
const struct smc_declaration *smc_source_tree_next(const struct smc_source_tree *tree,
                                                   struct smc_declared *at);

/* Whether one of the toolkit's folders has the header. */
bool smc_source_tree_has_toolkit_header(const struct smc_source_tree *tree, const char *name);
/* Its text, and its path unless that is NULL. */
bool smc_source_tree_read_toolkit_header(const struct smc_source_tree *tree, const char *name,
                                         struct smc_text *path, struct smc_text *text);

/* Whether a folder above the file holds the headers of CUDA's runtime. */
bool smc_source_is_of_toolkit(const char *path);

/* For a source in which nothing was compiled: appends which kernel template it has, and the line
   that instantiates it. `options` as above. False: it has none. */
bool smc_source_append_template(const char *file, const char *source, const char *options,
                                struct smc_text *text);

/* NULL if no macro of the tree has the name. */
const struct smc_source_macro *smc_source_macro_find(const struct smc_source_tree *tree,
                                                     uint64_t hash);

/* Copies the next of several options, without the quotation marks around blanks in it; returns what
   follows it. */
const char *smc_source_next_option(const char *options, struct smc_text *option);

/* Appends the folders of the options' -I, -isystem and --include-path, one a line. */
void smc_source_folders(const char *options, struct smc_text *folders);

/* Where the tree defines the kernel: the name of the file, which the tree owns, and the line. NULL
   if it does not. `shown` is the demangled name. */
const char *smc_source_tree_find_kernel(const struct smc_source_tree *tree, const char *mangled,
                                        const char *shown, uint32_t *line);

/* Appends the kernel's parameters as they are declared, one a line, such as "const float *a";
   nothing if the tree does not define it. */
void smc_source_tree_parameters(const struct smc_source_tree *tree, const char *mangled,
                                const char *shown, struct smc_text *list);

/* How well a declaration fits the compiled kernel: 0 if it is not a kernel of that name; higher for
   each of its namespaces that the kernel has. */
int smc_source_kernel_rating(const struct smc_source_file *file,
                             const struct smc_declaration *found, const char *mangled,
                             const char *shown);

/* Removes carriage returns at line ends and a byte order mark; binary zeros become line ends. The
   lines of source keep their numbers. */
void smc_source_clean(struct smc_text *text);

#endif

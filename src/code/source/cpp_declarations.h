/* The declarations of C++ source at namespace level and in classes, found without a grammar: where
   each begins and ends, what it declares, and whether it is device code. */
#ifndef SMC_CODE_CPP_DECLARATIONS_H
#define SMC_CODE_CPP_DECLARATIONS_H

#include "code/cpp_tokens.h"

enum smc_declaration_kind {
    SMC_DECLARE_NAMESPACE, /* its members follow it */
    SMC_DECLARE_CLASS,     /* class, struct or union; its members follow it */
    SMC_DECLARE_FUNCTION,
    SMC_DECLARE_TYPE,  /* enum, typedef, using */
    SMC_DECLARE_VALUE, /* a variable, or a data member */
    SMC_DECLARE_ASSERT,
    SMC_DECLARE_DIRECTIVE, /* using namespace ..., namespace a = b */
    SMC_DECLARE_MACRO,     /* the use of a macro that declares something */
};

struct smc_declaration {
    enum smc_declaration_kind kind;
    uint32_t begin, end;       /* tokens; the end is exclusive */
    uint32_t name;             /* a token, or SMC_NO_TOKEN */
    uint32_t parameters, body; /* the '(' and '{', or SMC_NO_TOKEN */
    uint32_t template_begin;   /* the '<' of its template parameters, or SMC_NO_TOKEN */
    uint32_t parent;           /* index of the class or namespace, or SMC_NO_TOKEN */
    bool is_device, is_kernel; /* has an execution or memory space of the device */
    bool is_host;              /* has __host__ */
    bool is_constant;          /* const, constexpr or consteval */
    bool is_constexpr;         /* constexpr or consteval */
    bool is_default;           /* = default, = delete */
    bool is_kept, is_rejected; /* for the caller; false at first */
    bool is_opaque;            /* likewise: a class without its definition */
    bool is_compiled;          /* likewise: a kernel that is known to be compiled */
};

struct smc_declarations {
    struct smc_declaration *item;
    uint32_t count;
    size_t capacity;
};

/* Names that stand for others, because a macro has them. */
struct smc_cpp_words {
    struct smc_name_set device, kernel, host, constant; /* macros that contain such a word */
    struct smc_name_set scopes;                         /* macros that contain a brace */
};

/* False: out of memory. */
bool smc_declarations_read(const struct smc_tokens *tokens, const struct smc_cpp_words *words,
                           struct smc_declarations *declarations);
void smc_declarations_free(struct smc_declarations *declarations);

#endif

/* The reader's own parts; only the ptx_*.c include it. */
#ifndef SMC_EMULATOR_PTX_PARTS_H
#define SMC_EMULATOR_PTX_PARTS_H

#include "emulator/ptx_module.h"

struct smc_ptx_reader {
    struct smc_lexer lexer;
    struct smc_token token; /* the next one */
    struct smc_ptx_module *module;
    struct smc_error *error;
    bool failed;
    uint32_t scope;
    uint32_t depth;                    /* of nested vectors and initialisers */
    uint32_t file, line, inlined_line; /* of the last .loc */
};

void smc_ptx_advance(struct smc_ptx_reader *reader);

/* Says what is wrong, once, with the line. Returns false. */
bool smc_ptx_complain(struct smc_ptx_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool smc_ptx_at(const struct smc_ptx_reader *reader, const char *text);
/* Passes over the token if it is `text`. */
bool smc_ptx_accept(struct smc_ptx_reader *reader, const char *text);
bool smc_ptx_expect(struct smc_ptx_reader *reader, const char *text);
/* A whole number, with an optional sign; wraps as 64 bits do. */
bool smc_ptx_integer(struct smc_ptx_reader *reader, uint64_t *value);
/* The digits of a token: 12, 0x1f, 017, 0b1, with U. */
bool smc_ptx_number_of(struct smc_span text, uint64_t *value);
/* 0f3F800000, 0d..., 1.5: the bits, of a float with `is_single`. */
bool smc_ptx_float_of(struct smc_span text, uint64_t *bits, bool *is_single);

/* A declaration behind its space (".reg", ".shared", ...): up to and with the ';'. */
bool smc_ptx_declare(struct smc_ptx_reader *reader, enum smc_ptx_space space, bool is_extern);
/* One parameter of the kernel, behind ".param". */
bool smc_ptx_declare_parameter(struct smc_ptx_reader *reader);
struct smc_ptx_symbol *smc_ptx_find_symbol(const struct smc_ptx_reader *reader,
                                           struct smc_span name);

/* The body of the kernel, from behind its '{' to its '}'. */
bool smc_ptx_read_body(struct smc_ptx_reader *reader);
bool smc_ptx_read_operand(struct smc_ptx_reader *reader, struct smc_operand *operand);
/* ".loc 1 22 5, function_name ..., inlined_at 1 30 2", behind ".loc". */
bool smc_ptx_read_loc(struct smc_ptx_reader *reader);
/* ".file 1 "k.cu"", behind ".file". */
bool smc_ptx_read_file(struct smc_ptx_reader *reader);

bool smc_ptx_new_scope(struct smc_ptx_reader *reader, uint32_t parent);

#endif

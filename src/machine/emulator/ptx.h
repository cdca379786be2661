/* One kernel of a PTX module as the parser read it: names are resolved, nothing is decoded yet.
   decode.c translates the result into ops for the emulator. */
#ifndef SMC_MACHINE_PTX_H
#define SMC_MACHINE_PTX_H

#include "base/status.h"
#include "base/text.h"
#include "machine/emulator/arena.h"
#include "machine/emulator/ptx_lexer.h"

enum smc_ptx_type {
#define TYPE(id, name, bytes, class) SMC_PTX_##id,
#include "machine/emulator/ptx_types.def"
    SMC_PTX_TYPE_COUNT
};

enum smc_ptx_class {
    SMC_CLASS_PREDICATE,
    SMC_CLASS_BITS,
    SMC_CLASS_UNSIGNED,
    SMC_CLASS_SIGNED,
    SMC_CLASS_FLOAT
};

struct smc_ptx_type_info {
    const char *name;
    uint8_t bytes;
    enum smc_ptx_class class;
};
extern const struct smc_ptx_type_info smc_ptx_type_info[SMC_PTX_TYPE_COUNT];

/* The type with this name (without the dot); SMC_PTX_TYPE_COUNT if unknown. */
enum smc_ptx_type smc_ptx_type_find(struct smc_span name);
/* Half precision or bfloat16, alone or in pairs. */
bool smc_ptx_is_half(enum smc_ptx_type type);

enum smc_ptx_space {
    SMC_SPACE_GENERIC,
    SMC_SPACE_REGISTER,
    SMC_SPACE_PARAM,
    SMC_SPACE_GLOBAL,
    SMC_SPACE_SHARED,
    SMC_SPACE_LOCAL,
    SMC_SPACE_CONST,
    SMC_SPACE_CODE, /* a function */
};

/* The address of function number n, which its symbol has from its declaration on: SMC_CODE_BASE + n
 * SMC_CODE_STEP. No variable is there. */
#define SMC_CODE_BASE UINT64_C(0x20000000000)
enum { SMC_CODE_STEP = 16 };
/* An address among a variable's initial values. */
struct smc_ptx_reference {
    struct smc_ptx_reference *next;
    uint64_t place; /* in the variable: `bytes` bytes of the address from bit `shift` on */
    uint32_t bytes, shift;
    struct smc_span name;
    uint64_t offset;
    bool is_generic;
    uint32_t line; /* in the PTX */
};

struct smc_ptx_symbol {
    struct smc_span name;
    enum smc_ptx_space space;
    enum smc_ptx_type type;
    uint32_t scope;
    uint32_t registers; /* %r<22> declares 22 of them; 0: one, by its own name */
    uint32_t first;     /* of a register: its number in the kernel */
    uint64_t bytes;     /* of a variable */
    uint32_t align;
    bool is_extern; /* dynamic shared memory */
    bool is_used;
    bool is_placed; /* its address was chosen by the caller */
    bool in_kernel;
    uint64_t address;                    /* within its space; set when the kernel is laid out */
    uint8_t *initial;                    /* NULL: zero */
    struct smc_ptx_reference *reference; /* addresses in `initial` */
    const char *refusal;                 /* what is not supported about it; NULL: nothing */
    uint32_t line;                       /* in the PTX */
    uint32_t used_line;                  /* in the source: where the kernel first uses it, or 0 */
    uint32_t function;      /* that contains it, 0: the kernel; of SMC_SPACE_CODE: its number */
    bool is_call_parameter; /* .param in a body: what a call passes */
    bool is_formal;         /* a parameter of a function, or what it returns */
};

enum smc_operand_kind {
    SMC_OPERAND_REGISTER,
    SMC_OPERAND_SPECIAL, /* %tid.x: its name */
    SMC_OPERAND_INTEGER,
    SMC_OPERAND_FLOAT,   /* bits of a double, or of a float with is_single */
    SMC_OPERAND_SYMBOL,  /* a variable's address + integer */
    SMC_OPERAND_LABEL,   /* or any undeclared name */
    SMC_OPERAND_ADDRESS, /* [element[0] + integer] */
    SMC_OPERAND_VECTOR,  /* {element...} */
    SMC_OPERAND_SINK,    /* _ */
};

struct smc_operand {
    enum smc_operand_kind kind;
    struct smc_span name;
    bool negated;           /* !%p1 */
    uint32_t number;        /* of the register in the kernel */
    enum smc_ptx_type type; /* of the register */
    struct smc_ptx_symbol *symbol;
    uint64_t integer; /* also the offset of an address or symbol */
    bool is_single;
    struct smc_operand *element; /* of an address or a vector */
    uint32_t elements;
    struct smc_operand *second; /* %r1|%p1 */
    struct smc_span selector;   /* of a part of a register: %r1.h0 */
};

enum { SMC_MAX_MODIFIERS = 14, SMC_MAX_OPERANDS = 8 };

/* call (result...), target, (argument...), prototype; */
struct smc_ptx_call {
    struct smc_operand target;
    struct smc_operand *result, *argument;
    uint32_t results, arguments;
};

struct smc_ptx_statement {
    struct smc_span text;
    uint32_t ptx_line, file, line;
    uint32_t loc;                                /* its number; 0: unknown */
    struct smc_span opcode;                      /* "ld" */
    struct smc_span modifier[SMC_MAX_MODIFIERS]; /* "shared" "f32" */
    uint32_t modifiers;
    struct smc_operand operand[SMC_MAX_OPERANDS];
    uint32_t operands;
    struct smc_operand *guard; /* @%p1, @!%p1; or NULL */
    struct smc_ptx_call *call; /* of a call */
    uint32_t scope;
    uint32_t function; /* that contains it; 0: the kernel */
    bool ends_body;    /* not in the text: the end of the body of the kernel or of a function */
};

/* A label of a kernel; `scope` distinguishes labels of the same name in different blocks. */
struct smc_ptx_label {
    struct smc_span name;
    uint32_t scope;
    uint32_t statement;      /* that follows */
    struct smc_span *target; /* of a .branchtargets list */
    uint32_t targets;
};

/* A .func. Only those that the kernel may call are read. */
struct smc_ptx_function {
    struct smc_span name;
    struct smc_ptx_symbol *symbol;
    bool is_defined; /* has a body in this module */
    bool is_read;
    bool has_address;       /* something other than a call names it */
    struct smc_lexer lexer; /* after the ".func" of its definition */
    struct smc_token token;
    struct smc_ptx_symbol **result, **parameter;
    size_t results, result_room, parameters, parameter_room;
    uint32_t statement; /* the first one */
};

struct smc_ptx_file {
    uint32_t number;
    struct smc_span name;
};

/* A place in the source that a .loc names, or where a function was inlined. */
struct smc_ptx_loc {
    uint32_t file, line, column;
    uint32_t caller; /* number of the place where this one's function was inlined; 0: it was not */
    struct smc_span name; /* the label of that function's name; empty: unknown */
    uint64_t name_offset;
    uint32_t older; /* in its bucket */
};

enum { SMC_LOC_BUCKETS = 256 };

struct smc_ptx_module {
    struct smc_arena arena;
    char *text;
    struct smc_span entry;
    uint32_t cluster[3]; /* .reqnctapercluster; 0: none */
    uint32_t entry_regs; /* that a thread has at most where the kernel begins, by .maxnreg, or
                            .maxntid and .minnctapersm; 0: not bounded */
    struct smc_ptx_symbol **symbol; /* all declared symbols, except those of other kernels */
    size_t symbols, symbol_room;
    struct smc_ptx_symbol **parameter;
    size_t parameters, parameter_room;
    struct smc_ptx_function *function; /* function number n is [n - 1] */
    size_t functions, function_room;
    struct smc_ptx_statement *statement; /* of the kernel, then of each function that was read */
    size_t statements, statement_room;
    struct smc_ptx_label *label;
    size_t labels, label_room;
    struct smc_ptx_file *file;
    size_t files, file_room;
    struct smc_ptx_loc *loc; /* place number n is [n - 1] */
    size_t locs, loc_room;
    uint32_t loc_bucket[SMC_LOC_BUCKETS]; /* numbers of places, the latest one of a bucket */
    struct smc_span strings;              /* section .debug_str: the names of inlined functions */
    uint32_t *scope_parent;               /* of scope n; 0 is the module's */
    size_t scopes, scope_room;
    enum smc_ptx_type *register_type;
    size_t registers, register_room;
};

/* Reads the kernel `entry`, or the only one. `lenient` also accepts parameters of calls and longer
   vectors, which no instruction that the emulator runs has. Always free the module, even after a
   failure. */
enum smc_status smc_ptx_read(const char *text, size_t bytes, const char *entry, bool lenient,
                             struct smc_ptx_module *module, struct smc_error *error);
void smc_ptx_free(struct smc_ptx_module *module);

/* The variable whose address an initial value is; NULL: there is none, so it is a function. */
struct smc_ptx_symbol *smc_ptx_referenced(const struct smc_ptx_module *module,
                                          const struct smc_ptx_reference *reference);
/* Marks what is used because a variable that is used holds its address. */
void smc_ptx_use_referenced(const struct smc_ptx_module *module);

/* Appends the name, as compiled, of the inlined function that the place is in; nothing if it is not
   known. */
void smc_ptx_inlined_name(const struct smc_ptx_module *module, const struct smc_ptx_loc *loc,
                          struct smc_text *name);

/* The label with this name that is visible in `scope`, or NULL. */
const struct smc_ptx_label *smc_ptx_find_label(const struct smc_ptx_module *module,
                                               struct smc_span name, uint32_t scope);

/* --- The table of instructions ---------------------------------------------------------------- */

enum smc_ptx_support {
    SMC_INSTRUCTION_EXACT,
    SMC_INSTRUCTION_APPROXIMATE,
    SMC_INSTRUCTION_REFUSED,
};

struct smc_ptx_instruction { /* see instructions.def */
    const char *name, *section, *example, *note;
    enum smc_ptx_support support;
};

const struct smc_ptx_instruction *smc_ptx_instructions(size_t *count);
/* The row that is about the statement, or NULL. */
const struct smc_ptx_instruction *smc_ptx_instruction_of(const struct smc_ptx_statement *statement);

#endif

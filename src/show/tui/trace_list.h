/* The kernels that a program launched, or those of the user's file, as a list to sort and search. A
   kernel of a trace unfolds to its configurations; the first screen takes one over. Pure. */
#ifndef SMC_SHOW_TRACE_LIST_H
#define SMC_SHOW_TRACE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "answers/query.h"
#include "answers/trace_answer.h"
#include "show/tui/frame.h"
#include "show/tui/open_file.h"

enum smc_trace_column {
    SMC_TRACE_COLUMN_NAME,
    SMC_TRACE_COLUMN_SHARE,
    SMC_TRACE_COLUMN_TIME,
    SMC_TRACE_COLUMN_LAUNCHES,
    SMC_TRACE_COLUMN_THREADS,
    SMC_TRACE_COLUMN_REGS,
    SMC_TRACE_COLUMN_SMEM,
    SMC_TRACE_COLUMN_SPILLS,
    SMC_TRACE_COLUMN_BLOCKS,
    SMC_TRACE_COLUMN_OCCUPANCY,
    SMC_TRACE_COLUMN_RESIDENT,
    SMC_TRACE_COLUMN_CONFLICTS,
    SMC_TRACE_COLUMN_BOUND,
    SMC_TRACE_COLUMN_STEP,
    SMC_TRACE_COLUMN_CHANGE,
    SMC_TRACE_COLUMN_COUNT
};

/* A kernel, or one configuration of an unfolded one. */
struct smc_trace_line {
    size_t kernel; /* of the answer */
    size_t row;    /* of the answer; that of a kernel takes the most of its time */
    bool is_kernel;
};

/* Start from {0}. */
struct smc_trace_list {
    const struct smc_trace_answer *answer; /* NULL: there is no trace; not owned */
    const struct smc_open_file *file;      /* whose kernels these are; NULL: those of a trace */
    size_t kernels;                        /* of the answer */
    char **name;                           /* of each kernel, short but distinct */
    struct smc_file_kernel *file_kernel;   /* of each row, for the first screen's query */
    bool *unfolded;                        /* of each kernel */
    size_t *order;                         /* the kernels as they are sorted */
    struct smc_trace_line *line;           /* what is listed */
    size_t count;
    size_t cursor;    /* a line */
    char filter[128]; /* only kernels with this text are listed; "": all */
    enum smc_trace_column sort;
    bool reversed;
};

/* `answer` outlives the list. When out of memory, there is no trace. */
void smc_trace_list_open(struct smc_trace_list *list, const struct smc_trace_answer *answer);

/* The same of the user's file, the worst kernel first. If the list shows the file already, its
   order stays. `here`: for the cursor; NULL: the first one. */
void smc_trace_list_open_file(struct smc_trace_list *list, const struct smc_open_file *file,
                              const struct smc_open_kernel *here);

/* The kernel of the file under the cursor; NULL: none. */
const struct smc_open_kernel *smc_trace_list_open_kernel(const struct smc_trace_list *list);
void smc_trace_list_close(struct smc_trace_list *list);

/* The line under the cursor; the list is not empty. */
const struct smc_trace_line *smc_trace_list_here(const struct smc_trace_list *list);

/* Moves the cursor by that many lines; stops at the ends. */
void smc_trace_list_move(struct smc_trace_list *list, int by);

/* Shows or hides the configurations of the kernel under the cursor, or of all kernels. A kernel
   with a single configuration has no lines of its own for it. */
void smc_trace_list_unfold(struct smc_trace_list *list, bool unfold);
void smc_trace_list_unfold_all(struct smc_trace_list *list, bool unfold);

/* Kernels are sorted; configurations stay by their share. Unknown values are last. */
void smc_trace_list_sort(struct smc_trace_list *list, enum smc_trace_column column, bool reversed);

/* Moves the cursor to the next kernel, or the one before (`direction` -1), that has the text in its
   name or in what bounds it. False if there is none. */
bool smc_trace_list_search(struct smc_trace_list *list, const char *text, int direction);

/* Lists only the kernels that have the text; "": all. If none has it, the list stays, and the
   answer is false. */
bool smc_trace_list_filter(struct smc_trace_list *list, const char *text);

/* What the first screen's query says of a row. */
const struct smc_file_kernel *smc_trace_list_file_kernel(const struct smc_trace_list *list,
                                                         size_t row);

/* Whether a line stands for several configurations. */
bool smc_trace_list_is_sum(const struct smc_trace_list *list, const struct smc_trace_line *line);

/* The query of a row, as a kernel of the user's own whose numbers are the trace's; `query` keeps
   its device if that of the row is unknown, and how to compile. False if no block size was
   recorded. What else was not recorded is assumed: 32 registers, no shared memory. */
bool smc_trace_list_query(const struct smc_trace_list *list, size_t row, struct smc_query *query);

/* --- Columns --- */

enum { SMC_TRACE_CELL_CHARS = 64 };

typedef int64_t smc_trace_recorded(const struct smc_trace_row *row);

struct smc_trace_column_info {
    const char *heading;
    int columns;   /* with a blank before them; 0: the rest of the line */
    int from;      /* a table of a trace of at least that many columns shows it; 0 */
    int from_file; /* the same of the kernels of a file; SMC_TRACE_NEVER */
    bool rises;    /* sorting begins with the least */
    bool is_text;  /* aligned left; numbers are aligned right */
    /* The number that it shows and is sorted by, below 0 where it is unknown: that of each
       configuration, whose sum shows "mixed" if they differ; or that of the line. NULL, both: the
       name. */
    smc_trace_recorded *recorded;
    double (*number)(const struct smc_trace_list *list, const struct smc_trace_line *line);
    void (*print)(double number, char *text); /* where it is known; NULL: it is not shown */
    /* Writes the cell, or changes what was printed; or NULL. */
    void (*write)(const struct smc_trace_list *list, const struct smc_trace_line *line,
                  char text[SMC_TRACE_CELL_CHARS]);
};

enum { SMC_TRACE_NEVER = 1 << 20 };

extern const struct smc_trace_column_info smc_trace_column_info[SMC_TRACE_COLUMN_COUNT];

/* Of a column other than the name. The cell is "" where there is nothing to show. */
double smc_trace_column_number(const struct smc_trace_list *list, const struct smc_trace_line *line,
                               enum smc_trace_column column);
void smc_trace_column_write(const struct smc_trace_list *list, const struct smc_trace_line *line,
                            enum smc_trace_column column, char text[SMC_TRACE_CELL_CHARS]);

/* --- About a line --- */

struct smc_trace_fact {
    const char *label;
    /* To an empty text; nothing if there is nothing to say. */
    void (*append)(const struct smc_trace_list *list, const struct smc_trace_line *line,
                   struct smc_text *out);
};

enum { SMC_TRACE_FACTS = 10 };
extern const struct smc_trace_fact smc_trace_facts[SMC_TRACE_FACTS];

/* The occupancy of the whole trace and what bounds it, in one line. */
void smc_trace_list_append_summary(const struct smc_trace_list *list, struct smc_text *out);

#endif

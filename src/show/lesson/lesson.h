/* Guided lessons: files of a few short pages whose numbers are computed when they are shown,
   followed by a question whose answer is checked. smemcalc-lesson(5) describes the files. */
#ifndef SMC_SHOW_LESSON_H
#define SMC_SHOW_LESSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/query.h"
#include "base/status.h"
#include "base/text.h"
#include "code/compile.h"
#include "rules/devices.h"

enum {
    SMC_LESSON_LEAST_COLUMNS = 40, /* minimum width of a page */
    SMC_LESSON_COLUMNS = 76,       /* at which a built-in page has at most SMC_LESSON_LINES: a */
    SMC_LESSON_LINES = 16, /* terminal of 80 x 24 without frame, bars and the page's heading */
};

enum smc_language { SMC_LANGUAGE_ENGLISH, SMC_LANGUAGE_CHINESE, SMC_LANGUAGE_COUNT };

/* --- What a file consists of ------------------------------------------------------------------ */

enum smc_element_kind {
    SMC_ELEMENT_PARAGRAPH,
    SMC_ELEMENT_ITEM, /* of a list */
    SMC_ELEMENT_CODE,
    SMC_ELEMENT_LIVE, /* a block that asks smemcalc */
};

/* `text` keeps its line feeds, so that an error names the line. */
struct smc_lesson_element {
    enum smc_element_kind kind;
    char *info; /* of a live block: "table", "banks 6"; of an item: "-" or "2." */
    char *text;
    unsigned line; /* of the file, where the text begins */
};

struct smc_lesson_page {
    char *heading;
    unsigned line;
    const struct smc_lesson_element *try_it; /* the question to try; or NULL */
    size_t first_element, element_count;
};

/* A name that the pages use: of a question, or of an expression. */
struct smc_lesson_name {
    char *name;
    bool is_expression;
    struct smc_lesson_element meaning;
};

/* A foreseen wrong answer, and why it is wrong. */
struct smc_lesson_trap {
    struct smc_lesson_element answer, hint;
};

enum { SMC_LESSON_MOST_CHOICES = 9, SMC_LESSON_MOST_TRAPS = 9 };

/* No text: the file asks nothing. */
struct smc_lesson_question {
    struct smc_lesson_element text, answer, right, hint;
    struct smc_lesson_element choice[SMC_LESSON_MOST_CHOICES]; /* a, b, ... */
    size_t choice_count;                                       /* 0: the answer is a number */
    struct smc_lesson_trap trap[SMC_LESSON_MOST_TRAPS];
    size_t trap_count;
};

/* A file that was read. Owns its text, into which all others point. */
struct smc_lesson {
    const char *file; /* how messages name it; not owned */
    char name[64];    /* "8800-gtx": of the file, without its folder and ending */
    enum smc_language language;
    char *title, *summary; /* "" if missing */
    char *device;          /* its default device; or NULL */
    char *exercise;        /* smemcalc exercise NAME; or NULL */
    uint16_t least_cc;     /* of a device that may be chosen instead; 0: any */
    bool one_device;       /* no other device is allowed */
    char *text;
    struct smc_lesson_page *page;
    size_t page_count, page_capacity;
    struct smc_lesson_element *element;
    size_t element_count, element_capacity;
    struct smc_lesson_name *names;
    size_t name_count, name_capacity;
    struct smc_lesson_question question;
};

/* --- The lessons of the program, and a teacher's own -------------------------------------------
 */

enum { SMC_LESSON_MOST = 32 };
size_t smc_lesson_count(void);

/* What lists show of a lesson, in the recommended order. */
struct smc_lesson_head {
    char name[64], title[192], summary[256];
};
void smc_lesson_head_at(size_t index, enum smc_language language, struct smc_lesson_head *head);

/* The index of a lesson by its name, case-insensitive; smc_lesson_count() if there is none. */
size_t smc_lesson_find(const char *name);

/* Reads a lesson of the program, or a file. SMC_USAGE: the message begins with file and line. The
   lesson must be freed whatever the status. */
enum smc_status smc_lesson_open(size_t index, enum smc_language language, struct smc_lesson *lesson,
                                struct smc_error *error);
enum smc_status smc_lesson_read(const char *path, struct smc_lesson *lesson,
                                struct smc_error *error);
/* The same of a text; `file` must outlive the lesson. */
enum smc_status smc_lesson_parse(const char *file, const char *text, size_t length,
                                 struct smc_lesson *lesson, struct smc_error *error);
void smc_lesson_free(struct smc_lesson *lesson);

/* The first such character that is not in braces, as in "not {= a : b }: HINT", or the end. */
char *smc_lesson_find_outside(char *text, char wanted);

/* "zh" and "zh_CN.UTF-8" are Chinese, "en" and whatever else is English; false for the latter. */
bool smc_language_find(const char *name, enum smc_language *language);
/* As LC_ALL, LC_MESSAGES and LANG say. */
enum smc_language smc_language_of_user(void);

/* --- Showing it ------------------------------------------------------------------------------- */

/* The device and the format for showing a lesson. Registers of the catalog's kernels are found as
   `compile` specifies, and labeled with their source; without NVRTC a page takes a few milliseconds
   at most. */
struct smc_lesson_setting {
    const struct smc_device *device; /* NULL: the lesson's own */
    struct smc_compile_options compile;
    struct smc_text *warnings; /* as for smc_compile, or NULL */
    unsigned columns;          /* at least SMC_LESSON_LEAST_COLUMNS */
    bool utf8;                 /* bars and pictures may use it */
};

/* Checks whether the lesson supports the device. SMC_USAGE, with the reason, if not; the functions
   below would return the same error. */
enum smc_status smc_lesson_accepts(const struct smc_lesson *lesson, const struct smc_device *device,
                                   struct smc_error *error);

/* Appends the page without its heading: lines of at most setting->columns columns, with an empty
   line between paragraphs. `page` is below the lesson's page_count, here and below. SMC_USAGE: a
   block that cannot be answered, named by file and line. */
enum smc_status smc_lesson_page(const struct smc_lesson *lesson, size_t page,
                                const struct smc_lesson_setting *setting, struct smc_text *out,
                                struct smc_error *error);

/* The command that a page suggests to try, on the setting's device unless it names another. Nothing
   is appended if there is none. */
enum smc_status smc_lesson_try(const struct smc_lesson *lesson, size_t page,
                               const struct smc_lesson_setting *setting, struct smc_text *command,
                               struct smc_error *error);

/* The same as a launch, for the explorer. False if the page has none. */
bool smc_lesson_launch(const struct smc_lesson *lesson, size_t page,
                       const struct smc_lesson_setting *setting, struct smc_query *query);

/* The question, its choices if any, and the expected form of the answer, as a page. */
enum smc_status smc_lesson_question(const struct smc_lesson *lesson,
                                    const struct smc_lesson_setting *setting, struct smc_text *out,
                                    struct smc_error *error);

/* Compares the answer given, a number or the letter of a choice, with the model's. `reply` gets an
   explanation, or a hint that does not reveal the answer. SMC_USAGE if `given` does not have the
   expected form; the message has no prefix. */
enum smc_status smc_lesson_check(const struct smc_lesson *lesson,
                                 const struct smc_lesson_setting *setting, const char *given,
                                 bool *right, struct smc_text *reply, struct smc_error *error);

/* The whole lesson as one page for a browser, which needs nothing else. */
enum smc_status smc_lesson_html(const struct smc_lesson *lesson,
                                const struct smc_lesson_setting *setting, struct smc_text *out,
                                struct smc_error *error);

#endif

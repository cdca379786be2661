/* Guided lessons: a few short pages each, whose numbers are computed when they are shown, followed
   by a question whose answer is checked. Pure data: the caller displays the lines. */
#ifndef SMC_SHOW_LESSON_H
#define SMC_SHOW_LESSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/banks_query.h"
#include "answers/query.h"
#include "base/status.h"
#include "base/text.h"
#include "code/compile.h"
#include "rules/devices.h"

enum {
    SMC_LESSON_LEAST_COLUMNS = 40, /* minimum width of a page */
    SMC_LESSON_COLUMNS = 76,       /* at which a page has at most SMC_LESSON_LINES: a terminal of */
    SMC_LESSON_LINES = 16,         /* 80 x 24 without frame, bars and the page's heading */
};

struct smc_lesson {
    const char *name;    /* "8800-gtx" */
    const char *title;   /* "The first CUDA GPU: a cliff of one register" */
    const char *summary; /* one line for lists */
    const char *device;  /* the subject of the lesson, or its default device */
    uint16_t least_cc;   /* of a device that may be chosen instead; 0: no other device is allowed */
    size_t page_count;
    const struct smc_lesson_page *page; /* smc_lesson_heading and so on read it */
    const struct smc_lesson_question *question;
};

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

size_t smc_lesson_count(void);
const struct smc_lesson *smc_lesson_at(size_t index);

/* Finds a lesson by name, case-insensitive; NULL if there is none. */
const struct smc_lesson *smc_lesson_find(const char *name);

/* Checks whether the lesson supports the device. SMC_USAGE, with the reason, if not; the functions
   below would return the same error. */
enum smc_status smc_lesson_accepts(const struct smc_lesson *lesson, const struct smc_device *device,
                                   struct smc_error *error);

/* One line. `page` is below the lesson's page_count, here and below. */
const char *smc_lesson_heading(const struct smc_lesson *lesson, size_t page);

/* Appends the page without its heading: lines of at most setting->columns characters, with an empty
   line between paragraphs. Errors as for smc_query_answer. */
enum smc_status smc_lesson_page(const struct smc_lesson *lesson, size_t page,
                                const struct smc_lesson_setting *setting, struct smc_text *out,
                                struct smc_error *error);

/* The launch that the page discusses, to show it in the explorer or to query it on the command
   line. Returns false if the page has none, or discusses accesses to shared memory (see
   smc_lesson_banks). */
bool smc_lesson_launch(const struct smc_lesson *lesson, size_t page,
                       const struct smc_lesson_setting *setting, struct smc_query *query);
bool smc_lesson_banks(const struct smc_lesson *lesson, size_t page,
                      const struct smc_lesson_setting *setting, struct smc_banks_query *query);

/* The question, its choices ("a  ...") if any, and the expected form of the answer, as a page. */
enum smc_status smc_lesson_question(const struct smc_lesson *lesson,
                                    const struct smc_lesson_setting *setting, struct smc_text *out,
                                    struct smc_error *error);

/* Compares the answer given, an integer or the letter of a choice, with the model's. `reply` gets
   an explanation, or a hint that does not reveal the answer. SMC_USAGE if `given` does not have the
   expected form; the message has no prefix. */
enum smc_status smc_lesson_check(const struct smc_lesson *lesson,
                                 const struct smc_lesson_setting *setting, const char *given,
                                 bool *right, struct smc_text *reply, struct smc_error *error);

#endif

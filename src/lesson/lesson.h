/* Guided lessons: a few short pages each, whose numbers are computed while they are shown, and a
   question at the end that is checked. Pure data: the caller shows the lines. */
#ifndef SMC_LESSON_LESSON_H
#define SMC_LESSON_LESSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "compile/compile.h"
#include "devices/devices.h"
#include "query/banks.h"
#include "query/query.h"

enum {
    SMC_LESSON_LEAST_COLUMNS = 40, /* pages fit into as many and more */
    SMC_LESSON_COLUMNS = 76,       /* at which a page has at most SMC_LESSON_LINES: a terminal of */
    SMC_LESSON_LINES = 16,         /* 80 x 24 without frame, bars and the page's heading */
};

struct smc_lesson {
    const char *name;    /* "8800-gtx" */
    const char *title;   /* "The first CUDA GPU: a cliff of one register" */
    const char *summary; /* one line for lists */
    const char *device;  /* the device it is about, or uses by default */
    uint16_t least_cc;   /* of a device that may be chosen instead; 0: none may */
    size_t page_count;
    const struct smc_lesson_page *page; /* smc_lesson_heading and so on read it */
    const struct smc_lesson_question *question;
};

/* For whom a lesson is shown, and how. Registers of the catalog's kernels are found as `compile`
   says, and named with their source; without NVRTC a page takes milliseconds at most. */
struct smc_lesson_setting {
    const struct smc_device *device; /* NULL: the lesson's own */
    struct smc_compile_options compile;
    struct smc_text *warnings; /* as for smc_compile, or NULL */
    unsigned columns;          /* SMC_LESSON_LEAST_COLUMNS and more */
    bool utf8;                 /* bars and pictures may use it */
};

size_t smc_lesson_count(void);
const struct smc_lesson *smc_lesson_at(size_t index);

/* By name, case-insensitive; NULL where there is none. */
const struct smc_lesson *smc_lesson_find(const char *name);

/* Whether the lesson can be about the device. SMC_USAGE with the reason where not, which the
   functions below would return too. */
enum smc_status smc_lesson_accepts(const struct smc_lesson *lesson, const struct smc_device *device,
                                   struct smc_error *error);

/* One line. `page` is below the lesson's page_count, here and below. */
const char *smc_lesson_heading(const struct smc_lesson *lesson, size_t page);

/* Appends the page below its heading: lines of at most setting->columns characters, paragraphs
   apart by an empty line. Errors as of smc_query_answer. */
enum smc_status smc_lesson_page(const struct smc_lesson *lesson, size_t page,
                                const struct smc_lesson_setting *setting, struct smc_text *out,
                                struct smc_error *error);

/* What the page is about, to set the explorer to, or to ask on a command line. False: the page has
   none, or is about accesses to shared memory, as smc_lesson_banks has them. */
bool smc_lesson_launch(const struct smc_lesson *lesson, size_t page,
                       const struct smc_lesson_setting *setting, struct smc_query *query);
bool smc_lesson_banks(const struct smc_lesson *lesson, size_t page,
                      const struct smc_lesson_setting *setting, struct smc_banks_query *query);

/* The question, its choices ("a  ...") if any, and the form that an answer has, as a page. */
enum smc_status smc_lesson_question(const struct smc_lesson *lesson,
                                    const struct smc_lesson_setting *setting, struct smc_text *out,
                                    struct smc_error *error);

/* Compares the answer given, a whole number or the letter of a choice, with the model.
   `reply` gets an explanation, or a hint that does not give the answer away. SMC_USAGE where
   `given` does not have the form asked for; the message has no prefix. */
enum smc_status smc_lesson_check(const struct smc_lesson *lesson,
                                 const struct smc_lesson_setting *setting, const char *given,
                                 bool *right, struct smc_text *reply, struct smc_error *error);

/* The right answer, as it would be typed. */
enum smc_status smc_lesson_solve(const struct smc_lesson *lesson,
                                 const struct smc_lesson_setting *setting, struct smc_text *answer,
                                 struct smc_error *error);

#endif

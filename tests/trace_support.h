/* Traces for tests, as a program's launches would fill them. */
#ifndef SMC_TESTS_TRACE_SUPPORT_H
#define SMC_TESTS_TRACE_SUPPORT_H

#include "answers/trace_answer.h"

struct test_trace {
    struct smc_trace *trace;
    struct smc_trace_answer answer;
    uint64_t now_ns; /* when the next launch begins */
};

/* Of a program on an H200. */
void test_trace_begin(struct test_trace *test);

/* A launch on that GPU, of 256 threads. */
void test_trace_launch(const char *name, uint32_t regs, uint32_t dynamic_smem, uint32_t blocks,
                       struct smc_trace_launch *launch);

/* Adds it `launches` times, each `ns` long and after the one before; 0: without times. */
void test_trace_add(struct test_trace *test, const struct smc_trace_launch *launch,
                    uint64_t launches, uint64_t ns);

/* Answers what was added. */
void test_trace_end(struct test_trace *test);
void test_trace_free(struct test_trace *test);

/* A program with so many kernels of several configurations each, with and without times, pauses
   between its launches, and kernels about which something is unknown. */
void test_trace_program(struct test_trace *test, size_t kernels, bool times);

/* --- Recorded files --- */

extern struct smc_error test_trace_error; /* why the last one was refused */

/* Reads the bytes from a temporary file; `filter` may be NULL. NULL: it is refused, with a message
   of one line. */
struct smc_trace *test_trace_read(const char *bytes, size_t count,
                                  const struct smc_trace_filter *filter);
struct smc_trace *test_trace_read_text(const char *text);
void test_trace_release(struct smc_trace *trace);

/* Whether the text is refused with a message that begins with the file's name and holds `part`. */
bool test_trace_refuses(const char *text, const char *part);
bool test_trace_has_note(const struct smc_trace *trace, const char *part);

#endif

/* Traces for tests, as a program's launches would fill them. */
#ifndef SMC_TESTS_TRACE_SUPPORT_H
#define SMC_TESTS_TRACE_SUPPORT_H

#include "trace/answer.h"

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

#endif

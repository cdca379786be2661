/* What a test and the library in its programs share: which call fails, and what was seen. */
#ifndef TESTS_FAULTS_PLAN_H
#define TESTS_FAULTS_PLAN_H

#include <stdatomic.h>
#include <stdbool.h>

/* The environment's names of the plan's file, and of the program whose calls are counted. */
#define FAULT_ENV_PLAN    "FAULT_PLAN"
#define FAULT_ENV_PROGRAM "FAULT_PROGRAM"

/* FAULT(id, what fails, errno) */
#define FAULTS                                                                                     \
    FAULT(MEMORY, "memory", ENOMEM)                                                                \
    FAULT(OPEN, "open", EMFILE)                                                                    \
    FAULT(CREATE, "create", ENOSPC)                                                                \
    FAULT(READ, "read", EIO)                                                                       \
    FAULT(LIST, "list", EIO)                                                                       \
    FAULT(MAP, "map", ENOMEM)                                                                      \
    FAULT(WRITE, "write", ENOSPC)                                                                  \
    FAULT(CLOSE, "close", EIO)                                                                     \
    FAULT(RENAME, "rename", EIO)                                                                   \
    FAULT(PROCESS, "process", EAGAIN)                                                              \
    FAULT(SETENV, "setenv", ENOMEM)                                                                \
    FAULT(LIBRARY, "library", ENOENT)                                                              \
    FAULT(INTERRUPT, "interrupt", EINTR)                                                           \
    FAULT(SHORT, "short", 0)

enum fault {
#define FAULT(id, name, number) FAULT_##id,
    FAULTS
#undef FAULT
        FAULT_COUNT
};

enum { FAULT_PLACE_BYTES = 4096 };

struct fault_plan {
    int fault;   /* the kind that is counted; FAULT_COUNT: none fails */
    long first;  /* the first call that fails, from 1; 0: none */
    bool pauses; /* instead, until it is resumed; only calls of the first process are counted */
    atomic_bool paused, resumed;
    bool lasting;                   /* so do all later ones */
    atomic_long calls[FAULT_COUNT]; /* of all processes */
    atomic_long failed;
    atomic_int open_at_end; /* file descriptors, of the first process */
    atomic_int first_process;
    char place[FAULT_PLACE_BYTES]; /* the call stack of the first failure */
};

#endif

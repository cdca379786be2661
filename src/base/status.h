/* How a call ended, and the message that explains a failure. */
#ifndef SMC_BASE_STATUS_H
#define SMC_BASE_STATUS_H

/* The values are the program's exit statuses: scripts rely on them. */
enum smc_status {
    SMC_OK = 0,            /* success, or every prediction confirmed */
    SMC_SHORTFALL = 1,     /* a requirement or a confirmation failed */
    SMC_USAGE = 2,         /* wrong usage or bad input */
    SMC_UNAVAILABLE = 3,   /* no such device or feature on this machine */
    SMC_MACHINE = 4,       /* the machine failed: memory, disk, a CUDA error */
    SMC_INTERRUPTED = 130, /* Ctrl-C, after reporting partial results */
};

/* One line without a newline that names the option or file:line, the value and what is allowed. */
struct smc_error {
    char message[1024];
};

#ifndef SMEMCALC_H /* not part of the library's interface */

/* Writes the message and returns `status`, so that a caller can `return smc_fail(...)`.
   Control characters that came in with user text are replaced by '?'. `error` may be NULL. */
enum smc_status smc_fail(struct smc_error *error, enum smc_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says where a call failed: puts "WHERE: " before the message that the call wrote to `error`.
   Returns `status`; does nothing for SMC_OK. */
enum smc_status smc_fail_in(struct smc_error *error, enum smc_status status, const char *where, ...)
    __attribute__((format(printf, 3, 4)));

/* A step of a function that returns enum smc_status: returns the status of a step that failed. For
   functions whose locals are freed by their scope (base/memory.h). */
#define SMC_TRY(step)                                                                              \
    do {                                                                                           \
        const enum smc_status status_of_step = (step);                                             \
        if (status_of_step != SMC_OK)                                                              \
            return status_of_step;                                                                 \
    } while (0)

#endif

#endif

/* CUPTI: what the GPU executed, with times, and the program's calls of the driver. */
#ifndef SMC_GUESTS_CUPTI_H
#define SMC_GUESTS_CUPTI_H

#include <stdbool.h>

/* Finds a CUPTI and subscribes. False: there is none or it refuses; the file has the reason. */
bool cupti_start(void);

/* Fetches the records of what has been executed; with `all` also those that are incomplete. */
void cupti_flush(bool all);

/* Ends recording; the program goes on without its cost. */
void cupti_stop(void);

/* In a child of fork: CUPTI has no threads there and must not be called. */
void cupti_forget(void);

#endif

/* Strict parsing of what a user types: whole numbers, sizes such as 48K, dimensions such as 64x32,
   ranges such as 8:64:8. The whole text must match: "12abc", "" and an overflow are all refused,
   and spaces too, except in sizes. */
#ifndef SMC_BASE_PARSE_H
#define SMC_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A decimal whole number from `min` to `max`. A minus sign is accepted if min < 0. */
bool smc_parse_integer(const char *text, int64_t min, int64_t max, int64_t *value);

/* Hexadecimal digits, with or without 0x, up to `max`. */
bool smc_parse_hexadecimal(const char *text, uint64_t max, uint64_t *value);

/* A whole number with an optional K, M or G (or KB, KiB ...), each 1024 times the last. */
bool smc_parse_count(const char *text, uint64_t max, uint64_t *count);

/* Bytes: 50176, 49,152, 0xc400, 48K, 1.5M; K, KB and KiB are 1024, and so on for M and G; "B",
   "bytes" and "byte/block" may follow bytes. Spaces may be around the number and its unit. False if
   this is not a whole number of bytes. */
bool smc_parse_size(const char *text, uint64_t max, uint64_t *bytes);

/* Up to `capacity` whole numbers from 1 to `max` joined by 'x' or ','. Returns how many; 0 if the
   text does not have that form. */
size_t smc_parse_dimensions(const char *text, int64_t max, int64_t *values, size_t capacity);

/* A block of up to `max` threads: their number, or up to three edges. `shape` receives the edges,
   {0} if the text is a number alone. */
bool smc_parse_block(const char *text, uint32_t max, uint32_t *threads, uint32_t shape[3]);

/* A range: FIRST:LAST or FIRST:LAST:STEP, both ends included. */
struct smc_range {
    int64_t first, last; /* first <= last; `last` is a value only if the steps reach it */
    int64_t step;        /* 1 or more; 0: no range */
};

enum smc_range_fault {
    SMC_RANGE_SOUND,
    SMC_RANGE_MALFORMED, /* not two or three numbers joined by colons */
    SMC_RANGE_OUTSIDE,   /* an end is below `min` or above `max` */
    SMC_RANGE_EMPTY,     /* it ends before it begins */
    SMC_RANGE_NO_STEP,   /* the step is 0 or negative */
};

/* Strict: no blanks or other text. With `sizes` the numbers are as for smc_parse_size. `range` is
 * set only if the range is valid. */
enum smc_range_fault smc_range_parse(const char *text, int64_t min, int64_t max, bool sizes,
                                     struct smc_range *range);

/* The number of values of a valid range, 1 or more. */
uint64_t smc_range_count(const struct smc_range *range);

/* `index` is below the count. */
int64_t smc_range_value(const struct smc_range *range, uint64_t index);

/* Case-insensitive comparison in the C locale. */
bool smc_equal_ignoring_case(const char *a, const char *b);

/* --- Did you mean ----------------------------------------------------------------------------- */

/* "Did you mean": the known name nearest to what was typed. */

/* Start from {.typed = text}, hand every candidate to smc_suggest_consider, read `best`. */
struct smc_suggestion {
    const char *typed;
    const char *best; /* NULL: no candidate is near enough */
    size_t distance;  /* of `best` */
};

/* Keeps `candidate` if it is near enough and nearer than the one before: at most one typing error
   per three letters, or the beginning of a longer name. Case is ignored. */
void smc_suggest_consider(struct smc_suggestion *suggestion, const char *candidate);

/* Fails with SMC_USAGE: "WHERE: unknown WHAT 'TYPED'; did you mean 'BEST'?", or with the hint if
   nothing is near enough. `where` may be NULL, and so may `hint`. If `what` ends in "--", the names
   follow without quotes: "unknown option --rges; did you mean --regs?" */
enum smc_status smc_suggest_fail(const struct smc_suggestion *suggestion, const char *where,
                                 const char *what, const char *hint, struct smc_error *error);

#endif

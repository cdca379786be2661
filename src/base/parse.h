/* Strict parsing of what a person types: whole numbers, sizes such as 48K, dimensions such as
   64x32. Nothing is skipped and nothing is left over: "12abc", " 12", "" and an overflow are all
   refused. */
#ifndef SMC_BASE_PARSE_H
#define SMC_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal whole number from `min` to `max`. A minus sign is accepted where min < 0. */
bool smc_parse_integer(const char *text, int64_t min, int64_t max, int64_t *value);

/* Hexadecimal digits, with or without 0x, up to `max`. */
bool smc_parse_hexadecimal(const char *text, uint64_t max, uint64_t *value);

/* Bytes: a whole number with an optional K, M or G (or KB, KiB ...), each 1024 times the last. */
bool smc_parse_size(const char *text, uint64_t max, uint64_t *bytes);

/* Up to `capacity` whole numbers from 1 to `max` joined by 'x' or ','. Returns how many; 0 where
   the text is not of that form. */
size_t smc_parse_dimensions(const char *text, int64_t max, int64_t *values, size_t capacity);

/* Case-insensitive comparison in the C locale. */
bool smc_equal_ignoring_case(const char *a, const char *b);

#endif

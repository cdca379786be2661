/* Compilers' logs by their lines, and the numbers in them. Nothing is copied. */
#ifndef SMC_COMPILE_LOG_LINES_H
#define SMC_COMPILE_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not ended by '\0'. */
struct smc_log_line {
    const char *start, *end;
};

/* Moves `cursor` past the line; false at the end of the log. */
bool smc_log_next_line(const char **cursor, struct smc_log_line *line);

/* Where `text` ends in the line, or NULL. */
const char *smc_log_after(struct smc_log_line line, const char *text);

/* Does `name` stand at `s`, followed by `closing` or, where that is 0, the end of the line? */
bool smc_log_is_name(const char *s, const char *end, const char *name, size_t length, char closing);

/* A number in decimal, or in hexadecimal after 0x: where it ends, or NULL. */
const char *smc_log_read_number(const char *s, const char *end, uint32_t *value);

/* Finds the item with `unit` among those joined by ',': "8192 bytes smem"; "8+4 bytes smem" is 12.
   SMC_LOG_DAMAGED where what stands before the unit is not a number of 32 bits. */
enum smc_log_item { SMC_LOG_ABSENT, SMC_LOG_READ, SMC_LOG_DAMAGED };
enum smc_log_item smc_log_read_list(const char *s, const char *end, const char *unit,
                                    uint32_t *value);

#endif

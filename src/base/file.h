/* Reading a whole text file, and writing one; folders; gzip. */
#ifndef SMC_BASE_FILE_H
#define SMC_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "base/text.h"

/* A local stream that is closed where its scope ends: smc_auto_file FILE *stream = fopen(...). */
void smc_file_close(FILE **stream);
#define smc_auto_file __attribute__((cleanup(smc_file_close)))

/* Whether a path given by the user means standard input, and what messages and reports call the
   input: "standard input", or the path itself. */
bool smc_file_is_standard_input(const char *path);
const char *smc_file_name(const char *path);

/* Appends the whole file. SMC_USAGE: it cannot be read or is larger than `most_bytes`, the limit
   for this `kind` ("device file"). The message begins with the path or the stream's name. */
enum smc_status smc_file_read(const char *path, const char *kind, size_t most_bytes,
                              struct smc_text *text, struct smc_error *error);
enum smc_status smc_file_read_stream(FILE *stream, const char *called, const char *kind,
                                     size_t most_bytes, struct smc_text *text,
                                     struct smc_error *error);

/* Whether it is a file with bytes of its own: no folder, pipe or device. */
bool smc_file_is_regular(const char *path);
/* Whether it is a folder, or a link to one. */
bool smc_file_is_folder(const char *path);

/* Whether both are names of one regular file that exists. `other` may be NULL. */
bool smc_file_is_same(const char *path, const char *other);

/* Writes the whole text, as a new file that takes the name when it is complete: whatever happens,
   there is the old file, the new one or none. A link, a device, a file of another user or one in a
   folder that cannot be written is written in its place. Without `over` an existing file is left
   unchanged: SMC_SHORTFALL. SMC_USAGE: it cannot be opened. SMC_MACHINE: writing failed, or memory
   before that. The message names the path. */
enum smc_status smc_file_write(const char *path, bool over, const struct smc_text *text,
                               struct smc_error *error);

/* Writes the file or replaces it atomically: a reader sees either the old text or the new one, and
   a failure leaves the old one. Only this user can access the file. The message names the path. */
enum smc_status smc_file_replace(const char *path, const struct smc_text *text,
                                 struct smc_error *error);

/* --- Folders ---------------------------------------------------------------------------------- */

/* The user's folders for smemcalc's files, and a search for files by a pattern. */

/* The value of an environment variable; NULL if it is unset or empty. */
const char *smc_folder_variable(const char *name);

/* "smemcalc" in the folder that the variable `xdg` names, else in `below_home` of the home folder.
   False if the environment names neither. */
bool smc_folder_of_user(const char *xdg, const char *below_home, char *folder, size_t capacity);

/* Paths in the order of their names. Start from {0}. */
struct smc_folder_matches {
    char **path;
    size_t count, capacity;
    int failed; /* an errno value: a folder could not be read, so that matches may be missing; 0 */
};

/* The existing paths that match a pattern, in which '*' stands for any characters but '/', and does
   not match a leading '.' of a name. Folders that this user may not list have none. (The glob of
   some C libraries frees twice when memory runs out.) */
void smc_folder_match(const char *pattern, struct smc_folder_matches *matches);
void smc_folder_matches_free(struct smc_folder_matches *matches);

/* Makes the folder and those above it, accessible to this user only. Returns 0 or an errno
   value. */
int smc_folder_make(const char *folder);

/* --- gzip ------------------------------------------------------------------------------------- */

/* Decompresses what gzip has compressed, from a source that is read once. */
enum { SMC_GZIP_CHUNK = 1 << 16 };

/* How such a file begins. */
#define SMC_GZIP_MAGIC "\x1f\x8b"

struct smc_gzip;
struct smc_csv_source; /* base/csv_reader.h */

/* Whether these are the first bytes of such a file. */
bool smc_gzip_begins(const char *bytes, size_t count);

/* `name`, of messages, and the source's context must outlive it. `bytes` were read from the source
   before, at most SMC_GZIP_CHUNK. SMC_UNAVAILABLE: this build lacks zlib; SMC_MACHINE: memory. */
enum smc_status smc_gzip_open(struct smc_gzip **gzip, const char *name,
                              const struct smc_csv_source *source, const char *bytes, size_t count,
                              struct smc_error *error);

/* May be NULL. */
void smc_gzip_close(struct smc_gzip *gzip);

/* The next bytes; `*count` is less than `capacity` only at the end. SMC_USAGE: the file is damaged
   or ends early. */
enum smc_status smc_gzip_read(struct smc_gzip *gzip, char *bytes, size_t capacity, size_t *count,
                              struct smc_error *error);

#endif

/* The user's folders for smemcalc's files, and a search for files by a pattern. */
#ifndef SMC_BASE_FOLDER_H
#define SMC_BASE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

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

#endif

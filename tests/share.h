/* A long suite runs a fixed share of its cases, and all of them with TEST_WHOLE=1 in the
   environment. */
#ifndef SMC_TESTS_SHARE_H
#define SMC_TESTS_SHARE_H

#include <stdbool.h>
#include <stddef.h>

bool share_is_whole(void);

/* Whether a case is run: of those whose numbers follow each other, one in `of`; or one that is
   chosen otherwise. */
bool share_has(size_t number, size_t of);
bool share_takes(bool is_chosen);

/* How many of so many random cases are run: one in `of`, or all. */
size_t share_of(size_t cases, size_t of);

/* The cases asked about so far, of which so many are run; those that another process was asked
   about. */
struct share {
    size_t cases, run;
};
struct share share_so_far(void);
void share_add(struct share more);

/* One line: how many of the cases asked about are run, and how to run all. */
void share_print(const char *cases);

#endif

/* Adding cases whose threads see each other's values. For the files that list them. */
#ifndef SMC_TESTS_PTX_BLOCK_CASES_H
#define SMC_TESTS_PTX_BLOCK_CASES_H

#include "cases.h"

#define PTX_OWN_OPERAND UINT32_MAX /* of `number`: it is in c */

/* Adds a case: `number` is for its reference. The strings must live as long as the program. */
void ptx_add_case(const char *shape, ptx_block_reference *reference, uint32_t number,
                  const char *mnemonic, const char *text);

/* Such a string. */
const char *ptx_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

void ptx_add_lane_cases(void);
void ptx_add_memory_cases(void);
void ptx_add_matrix_cases(void);
void ptx_add_wgmma_cases(void);
void ptx_add_cluster_cases(void);

/* The cases added from number `first` on are of clusters of so many blocks. */
size_t ptx_case_count(void);
void ptx_set_cluster(size_t first, unsigned blocks);

#endif

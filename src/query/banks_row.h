/* One row of accesses in CSV: id,op,width,mask,a0,...,a31. */
#ifndef SMC_QUERY_BANKS_ROW_H
#define SMC_QUERY_BANKS_ROW_H

#include "base/csv_reader.h"
#include "model/banks.h"

/* Op is ld or st, the mask hexadecimal, addresses decimal or with 0x; those of inactive lanes may
   be empty. SMC_USAGE with a message that names the field. */
enum smc_status smc_banks_row_read(const struct smc_csv_record *record, struct smc_access *access,
                                   struct smc_error *error);

/* Whether the record names the columns. */
bool smc_banks_row_is_header(const struct smc_csv_record *record);

#endif

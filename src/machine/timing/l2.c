/* How much of arrays L2 keeps from one launch to the next, how fast it takes stores, and how fast
   it gives bulk copies. */
#include "machine/timing/l2.h"

#include <math.h>

#include "machine/sass/async.h"
#include "machine/timing/launch_model.h"

void smc_touched_add(struct smc_touched *sum, const struct smc_touched *part)
{
    sum->read += part->read;
    sum->written += part->written;
    sum->both += part->both;
    sum->copied += part->copied;
    sum->beside += part->beside;
    sum->asked_read += part->asked_read;
    sum->asked_written += part->asked_written;
    sum->filled += part->filled;
}

double smc_l2_share_of_dram(const struct smc_touched *touched, double both, double l2_bytes)
{
    double bytes = touched->read + touched->written;
    double kept =
        bytes > 0 ? (SMC_L2_KEEPS_LOADED * touched->read + SMC_L2_KEEPS_STORED * touched->written) /
                        bytes * l2_bytes
                  : 0;
    double share = (both - kept) / (SMC_L2_KEEPS_NONE * l2_bytes - kept);
    return fmin(fmax(share, 0), 1);
}

double smc_l2_share_of_stored(double bytes, double l2_bytes)
{
    const double waits = SMC_L2_WAITS * l2_bytes;
    return fmin(fmax((bytes - waits) / (SMC_L2_WAITS_NONE * l2_bytes - waits), 0), 1);
}

/* The sum of what is not kept for all distances up to one. */
static double sum_of_not_kept(double distance, double kept, double none)
{
    const double between = fmin(fmax(distance - kept, 0), none - kept);
    return between * between / 2 / (none - kept) + fmax(0, distance - none);
}

double smc_l2_share_of_copied(double first, double last, double l2_bytes)
{
    const double kept = SMC_L2_KEEPS_LOADED * l2_bytes, none = SMC_L2_KEEPS_NONE * l2_bytes;
    const double least = fmin(first, last), most = fmax(fmax(first, last), least + 1);
    return (sum_of_not_kept(most, kept, none) - sum_of_not_kept(least, kept, none)) /
           (most - least);
}

double smc_l2_share_of_shared(double passed, double l2_bytes)
{
    const double kept = SMC_L2_KEEPS_SHARED * l2_bytes;
    return fmin(fmax((passed - kept) / (SMC_L2_KEEPS_NONE * l2_bytes - kept), 0), 1);
}

/* Any one or two sectors of a line at a time: 151e9 single sectors a second at random places, but
   284e9 of whole lines (H200, driver 580.159.04, 2026-11-29). 10.4 GB of rows of 6 doubles a lane,
   of which the first load takes 2 or 3 sectors of each line, are there after 1.44 ms; 1.84 would be
   the least if two sectors of different halves of a line took longer than those of one half (the
   same, 2026-12-01). Requests of few lines were not measured. */
double smc_l2_load_slots(uint32_t sectors, bool many_lines)
{
    return many_lines ? (sectors + 1) / 2 * 2 : sectors;
}

/* Of words at distances of 32 to 256 bytes, a warp's store takes 84 to 126 clocks of each of 132
   SMs (H200, CUDA 13.0, driver 580.159.04, 2026-11-29). Of local memory, a line of whole words
   takes 4.04 clocks of the only SM that stores, and one of bytes or halves 5.04; 7.3 and 9.15 of
   each of 132 SMs with 64 warps, and 8.1 to 8.7 and 10.1 to 11.0 with 4 or 8 (the same,
   2026-11-30). */
double smc_l2_store_slots(uint32_t sectors, bool whole, bool local)
{
    static const double line = 1, whole_sector = 0.75, sector = 1.15, local_sector = 1;
    return line + sectors * (whole ? whole_sector : local ? local_sector : sector);
}

/* 8 of each 128, 64 and 32 bytes of 256 MiB, one after the other, take 88, 89 and 132 us, the last
   of which is what DRAM takes (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
double smc_l2_lacking_slots(double slots, double share)
{
    static const double for_each_line = 6;
    return slots + share * fmax(0, for_each_line - slots);
}

/* What the launch copies into shared memory in bulk: the bytes of a copy by the traces of a block,
   as often as all blocks execute one. `to_several`: any to several blocks of a cluster. */
static double copied_in_bulk(const struct model *model, bool *to_several)
{
    const struct smc_traces *traces = &model->traces;
    const struct smc_program_step *step = model->program.step;
    double bytes = 0, copies = 0, executions = 0;
    for (uint32_t w = 0; w < traces->warps_per_block; w++)
        for (size_t i = 0; i < traces->pointer[w]->count; i++) {
            const struct smc_warp_trace_entry *entry = &traces->pointer[w]->entry[i];
            if (entry->step >= SMC_WARP_TRACE_SKIP || !smc_loads_in_bulk(&step[entry->step].in))
                continue;
            const struct smc_async async =
                smc_async_unpack(&traces->pointer[w]->line[entry->line], entry->lines);
            *to_several |= async.count > 1;
            bytes += async.bytes;
            copies++;
        }
    for (uint32_t i = 0; i < model->program.count; i++)
        executions += smc_loads_in_bulk(&step[i].in) ? traces->executions[i] : 0;
    return copies > 0 ? bytes / copies * executions * (double)model->blocks / traces->blocks : 0;
}

/* How long L2 takes for bulk copies. L2 gives 8.6 TB/s of what one SM copies, and 10.3 to 13.0 of
   what several copy at about the same time, since what they ask for is merged on its way: 132 and
   528 blocks that copy rows and columns of a grid of 4 to 132 columns, as in a product of matrices,
   11.2 in the median, where loads get 9.08 (24 MiB; H200, CUDA 13.0, driver 580.159.04,
   2026-11-30). What clusters copy to several blocks is not merged further: of two matmuls L2 is
   asked for as much as their clusters ask for, at 8.0 TB/s at most (the same). */
void smc_model_set_bulk_rate(struct model *model)
{
    static const double alone = 9.08 / 8.6, shared = 9.08 / 11.2;
    double bytes = 0;
    bool to_several = false;
    const double copied = copied_in_bulk(model, &to_several);
    for (size_t i = 0; i < model->arguments->array_count; i++)
        bytes += (double)model->arguments->array[i].bytes;
    model->rates.bulk_slots = copied > 2 * bytes && !to_several ? shared : alone;
}

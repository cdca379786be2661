/* From --device and --device-file to devices. */
#ifndef SMC_CLI_ASK_DEVICES_H
#define SMC_CLI_ASK_DEVICES_H

#include "base/status.h"
#include "cli/options.h"
#include "devices/device_file.h"
#include "query/query.h"

struct smc_chosen_device {
    struct smc_device device;
    char note[256]; /* how the name was understood where several fit, or "" */
};

/* Owns the texts of the devices. Start from {0}. */
struct smc_chosen_devices {
    struct smc_chosen_device *chosen;
    size_t count; /* 0: nobody chose */
    struct smc_device_file file[SMC_MAX_DEVICES];
    size_t file_count;
};

/* First what each --device names, in order: a device of a file by its whole name, then the GPUs and
   the table, then a part of a name in a file. Then the devices of those files that no --device
   picked from. SMC_USAGE where that is more than `most`. To be freed whatever the status. */
enum smc_status smc_ask_devices(const struct smc_arguments *arguments, size_t most,
                                struct smc_chosen_devices *devices, struct smc_error *error);

/* Reads the files alone, to look up names in with smc_ask_device_in. */
enum smc_status smc_ask_device_files(const struct smc_arguments *arguments,
                                     struct smc_chosen_devices *devices, struct smc_error *error);

/* SMC_USAGE where both `file`, which holds rows, and a device file are standard input. */
enum smc_status smc_ask_standard_input(const struct smc_arguments *arguments, const char *file,
                                       struct smc_error *error);

/* One name, as smc_ask_devices looks it up: of --device, or (the message without a prefix) from
   elsewhere. */
enum smc_status smc_ask_device_in(const struct smc_chosen_devices *devices, const char *typed,
                                  struct smc_chosen_device *chosen, struct smc_error *error);
enum smc_status smc_find_device_in(const struct smc_chosen_devices *devices, const char *typed,
                                   struct smc_chosen_device *chosen, struct smc_error *error);

/* The one device that --device names, else the only one of the files; where there is no such one
   the count stays 0. SMC_USAGE where several are named. */
enum smc_status smc_ask_named_device(const struct smc_arguments *arguments,
                                     struct smc_chosen_devices *devices, struct smc_error *error);

/* Gives the query the device that was chosen `index`-th, or the one taken where nobody chose. */
enum smc_status smc_ask_query_device(const struct smc_chosen_devices *devices, size_t index,
                                     struct smc_query *query, struct smc_error *error);

/* The device that is assumed where nobody chose and no GPU was found; the query says so. */
enum smc_status smc_ask_assumed_device(struct smc_query *query, struct smc_error *error);

/* For commands about one device: SMC_USAGE where several are named. Tells the note, if any. */
enum smc_status smc_ask_one_device(const struct smc_arguments *arguments,
                                   struct smc_chosen_devices *devices, struct smc_query *query,
                                   struct smc_error *error);

void smc_chosen_devices_free(struct smc_chosen_devices *devices);

#endif

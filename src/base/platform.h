/* What systems do in different ways. Headers that only Linux has are included in platform.c alone,
   and in the two parts that are built only there, src/shim and src/trace/inject. */
#ifndef SMC_BASE_PLATFORM_H
#define SMC_BASE_PLATFORM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

/* How an ELF file begins. */
#define SMC_ELF_MAGIC "\177ELF"
enum { SMC_ELF_MAGIC_BYTES = 4 };

/* The path of this program's file. False: it is unknown, or longer than `bytes`. */
bool smc_platform_program(char *path, size_t bytes);

/* The address space that this process uses, in bytes; 0: it is unknown. */
uint64_t smc_platform_used_bytes(void);

/* What NVIDIA's kernel module says of its version, to be closed; NULL: there is none. */
FILE *smc_platform_open_nvidia_version(void);

/* A pipe that the programs started later do not inherit. 0, or -1 and errno. */
int smc_platform_pipe(int ends[2]);

/* Two connected sockets, likewise. */
int smc_platform_socket_pair(int ends[2]);

/* SIGKILL ends this process when its parent ends, where the system can do that. */
void smc_platform_end_with_parent(void);

/* Waits for one of the signals, which are blocked, and removes it; at most as long as `limit`. The
   signal, or -1. */
int smc_platform_await(const sigset_t *signals, const struct timespec *limit);

/* Whether the system sent the signal, and not a process. */
bool smc_platform_is_of_system(const siginfo_t *info);

/* Compares like strcmp, but digits by their number: "9" is before "10". */
int smc_platform_compare_numbered(const char *a, const char *b);

#endif

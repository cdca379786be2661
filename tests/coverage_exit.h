/* For builds that count what runs (`.ci/run coverage`), included before each file by gcc's
   -include: a process that ends by _exit() writes its counters first. No headers here: config.h,
   which says what they declare, comes later. */
#ifdef __cplusplus
extern "C" {
void _Exit(int) noexcept __attribute__((noreturn));
#else
void _Exit(int) __attribute__((noreturn));
#endif
void __gcov_dump(void);
void smc_counted_exit(int status) __attribute__((noreturn));

__attribute__((weak, visibility("hidden"))) void smc_counted_exit(int status)
{
    __gcov_dump();
    _Exit(status);
}
#ifdef __cplusplus
}
#endif
#define _exit smc_counted_exit

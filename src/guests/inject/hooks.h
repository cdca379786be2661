/* The driver's launch calls, hooked by this library where it is preloaded; without CUPTI. */
#ifndef SMC_GUESTS_HOOKS_H
#define SMC_GUESTS_HOOKS_H

/* From now on addresses of the driver's functions are answered with those of the hooks. */
void hooks_start(void);

#endif

/* One line that a person types at the bottom of the screen. */
#ifndef SMC_TUI_PROMPT_H
#define SMC_TUI_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/frame.h"

enum { SMC_PROMPT_CHARS = 512 };

struct smc_prompt {
    bool open;
    char question[64];
    char hint[128];               /* what may be typed; shown behind the line */
    char typed[SMC_PROMPT_CHARS]; /* UTF-8 */
};

enum smc_prompt_end { SMC_PROMPT_GOES_ON, SMC_PROMPT_DONE, SMC_PROMPT_GIVEN_UP };

void smc_prompt_open(struct smc_prompt *prompt, const char *question, const char *hint,
                     const char *typed);
enum smc_prompt_end smc_prompt_key(struct smc_prompt *prompt, uint32_t key);
void smc_prompt_draw(const struct smc_prompt *prompt, struct smc_rect line,
                     struct smc_frame *frame);

#endif

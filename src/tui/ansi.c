/* A screen as text with escape sequences of 256 colours. */
#include "tui/ansi.h"

#include "tui/glyph.h"
#include "tui/looks.h"

static void begin_style(int style, struct smc_text *out)
{
    const struct smc_look *look = &smc_looks[style];
    smc_text_append(out, "\x1b[0");
    if (look->attributes & SMC_BOLD)
        smc_text_append(out, ";1");
    if (look->attributes & SMC_UNDERLINE)
        smc_text_append(out, ";4");
    if (look->foreground >= 0)
        smc_text_printf(out, ";38;5;%d", look->foreground);
    if (look->background >= 0)
        smc_text_printf(out, ";48;5;%d", look->background);
    smc_text_append(out, "m");
}

void smc_ansi_write(const struct smc_frame *frame, bool utf8, struct smc_text *out)
{
    for (int row = 0; row < frame->rows; row++) {
        const struct smc_cell *cells = &frame->cell[(size_t)row * (size_t)frame->cols];
        int style = -1;
        for (int col = 0; col < frame->cols; col++) {
            if (cells[col].style != style)
                begin_style(style = cells[col].style, out);
            smc_glyph_append(cells[col].glyph, utf8, out);
        }
        smc_text_append(out, "\x1b[0m\n");
    }
}

/* Text on a terminal: paragraphs, emphasis, and the lines that reports are made of. */
#ifndef SMC_SHOW_LAYOUT_H
#define SMC_SHOW_LAYOUT_H

#include "show/report/report.h"
#include "show/words/paragraphs.h"

enum { SMC_TEXT_INDENT = 12 }; /* where the text beside a label begins */

enum smc_emphasis {
    SMC_PLAIN,
    SMC_STRONG, /* a heading, a row that binds */
    SMC_GOOD,
    SMC_BAD,
};

/* Colour on and off; nothing where style->colour is false. */
void smc_layout_begin(struct smc_text *out, enum smc_emphasis emphasis);
void smc_layout_end(struct smc_text *out);

/* A paragraph with emphasis, such as a report's verdict; nothing where the text is empty. Frees the
   text. */
void smc_layout_verdict(struct smc_text *out, enum smc_emphasis emphasis, struct smc_text *text);

/* An indented paragraph; nothing where the text is empty. Frees the text. */
void smc_layout_text(struct smc_text *out, size_t indent, struct smc_text *text);

/* A label and its text, wrapped; nothing where the text is empty. Frees the text. */
void smc_layout_line(struct smc_text *out, const char *label, struct smc_text *text);

/* The same of a text that is made as by printf. */
void smc_layout_say(struct smc_text *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "and 197 more; --verbose lists them all"; nothing for 0. */
void smc_layout_folded(struct smc_text *out, size_t count);

/* The line of a table, without the spaces at its end. Frees the text. */
void smc_layout_row(struct smc_text *out, struct smc_text *row);
void smc_layout_emphatic_row(struct smc_text *out, enum smc_emphasis emphasis,
                             struct smc_text *row);

/* Some words of a line. */
void smc_layout_words(struct smc_text *out, enum smc_emphasis emphasis, const char *words);

/* Joins the items of lines to one line: "a; b". */
void smc_text_join_items(struct smc_text *items);

#endif

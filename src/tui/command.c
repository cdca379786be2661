/* A command line in as many lines as a screen needs. */
#include "tui/command.h"

#include <stdbool.h>
#include <stddef.h>

#include "report/layout.h"

struct place {
    size_t end; /* of the line: behind a blank or a comma; 0: nowhere */
    bool quoted;
};

/* The last place where a line from `text` on may end, of at most so many columns. */
static struct place find_place(const char *text, int columns, char *quote)
{
    struct place place = {0, false};
    char last_quote = *quote, within = *quote;
    for (int i = 0; i < columns && text[i]; i++) {
        if (text[i] == '\\' && within != '\'') { /* what it protects is no quote */
            i += text[i + 1] != '\0';
            continue;
        }
        if (text[i] == within)
            within = 0;
        else if (!within && (text[i] == '\'' || text[i] == '"'))
            within = text[i];
        bool blank = text[i] == ' ' || text[i] == *SMC_TIE;
        if (within == '"' || !(blank || (text[i] == ',' && !within)))
            continue;
        place = (struct place){(size_t)i + 1, within == '\''};
        last_quote = within;
    }
    *quote = last_quote;
    return place;
}

void smc_command_wrap(const char *command, int columns, struct smc_text *out)
{
    char quote = 0;
    size_t rest = 0;
    while (command[rest])
        rest++;
    while (*command) {
        struct place place = {rest, true};
        if (rest > (size_t)columns)
            place = find_place(command, columns - 1, &quote);
        if (place.end == 0)
            place = (struct place){rest, true};
        for (size_t i = 0; i < place.end; i++)
            smc_text_append_char(out, command[i] == *SMC_TIE ? ' ' : command[i], 1);
        smc_text_append(out, place.quoted ? "" : "\\");
        command += place.end;
        rest -= place.end;
        smc_text_append(out, rest ? "\n" : "");
    }
}

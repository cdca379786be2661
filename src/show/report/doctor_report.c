/* What was found on this machine: a line for each row, then the commands that fix what is missing
   or broken; as text, JSON and CSV. */

#include "show/report/writers.h"

/* --- Fields ----------------------------------------------------------------------------------- */

/* A row with its command as the program was called. */
struct doctor_row {
    const struct smc_doctor_row *row;
    const char *mend;
};

#define DOCTOR_FIELDS(FIELD)                                                                       \
    FIELD("subject", "subject", "", "what was examined; several rows may be about one",            \
          smc_value_text(item->row->subject))                                                      \
    FIELD("state", "state", "",                                                                    \
          "ok; note: something optional is missing; broken: it is there and does not work",        \
          smc_value_text(smc_doctor_state_names[item->row->health]))                               \
    FIELD("found", "found", "", "what was found", smc_value_text(item->row->found))                \
    FIELD("mend", "mend", "", "a command that fixes it or tells more", item->mend)
SMC_FIELD_TABLE(doctor_fields, struct doctor_row, DOCTOR_FIELDS)

const struct smc_field_table smc_doctor_tables[] = {
    {"doctor", &doctor_fields},
    {NULL, NULL},
};

/* Free the text, which owns the command. */
static struct doctor_row doctor_make_row(const struct smc_doctor_row *row, struct smc_text *mend)
{
    smc_program_append(mend, row->mend);
    return (struct doctor_row){row, smc_text_string(mend)};
}

/* --- Text ------------------------------------------------------------------------------------- */

enum { STATE_WIDTH = 8, SUBJECT_WIDTH = 16 };

static void doctor_append_rows(const struct smc_doctor *doctor, struct smc_text *out)
{
    static const enum smc_emphasis emphasis[SMC_DOCTOR_COUNT] = {
        [SMC_DOCTOR_OK] = SMC_PLAIN,
        [SMC_DOCTOR_NOTE] = SMC_STRONG,
        [SMC_DOCTOR_BROKEN] = SMC_BAD,
    };
    for (size_t i = 0; i < doctor->count; i++) {
        const struct smc_doctor_row *row = &doctor->row[i];
        struct smc_text line = {0};
        smc_text_cell(&line, smc_doctor_state_names[row->health], -STATE_WIDTH);
        smc_text_cell(&line, row->subject, -SUBJECT_WIDTH);
        smc_text_append(&line, row->found);
        smc_layout_emphatic_row(out, emphasis[row->health], &line);
    }
}

static void doctor_append_commands(const struct smc_doctor *doctor, struct smc_text *out)
{
    bool begun = false;
    for (size_t i = 0; i < doctor->count; i++) {
        smc_auto_text mend = {0}, line = {0};
        if (!doctor->row[i].mend[0])
            continue;
        if (!begun)
            smc_text_append(out, "\nCommands that fix this, or tell more:\n");
        begun = true;
        smc_text_append(&line, "  ");
        smc_text_cell(&line, doctor->row[i].subject, -SUBJECT_WIDTH);
        smc_text_append(&line, doctor_make_row(&doctor->row[i], &mend).mend);
        smc_layout_row(out, &line);
    }
}

void smc_text_doctor(const struct smc_doctor *doctor, struct smc_text *out)
{
    size_t count[SMC_DOCTOR_COUNT] = {0};
    struct smc_text verdict = {0};
    for (size_t i = 0; i < doctor->count; i++)
        count[doctor->row[i].health]++;
    if (count[SMC_DOCTOR_BROKEN])
        smc_text_printf(&verdict, "%zu of %zu things %s broken", count[SMC_DOCTOR_BROKEN],
                        doctor->count, count[SMC_DOCTOR_BROKEN] == 1 ? "is" : "are");
    else
        smc_text_append(&verdict, "nothing is broken");
    if (count[SMC_DOCTOR_NOTE])
        smc_text_printf(&verdict, "; %zu optional thing%s missing", count[SMC_DOCTOR_NOTE],
                        count[SMC_DOCTOR_NOTE] == 1 ? " is" : "s are");
    smc_layout_verdict(out, count[SMC_DOCTOR_BROKEN] ? SMC_BAD : SMC_GOOD, &verdict);
    smc_text_append_char(out, '\n', 1);
    doctor_append_rows(doctor, out);
    doctor_append_commands(doctor, out);
}

/* --- JSON and CSV ----------------------------------------------------------------------------- */

void smc_json_doctor(json_t *object, const struct smc_doctor *doctor)
{
    json_t *list = json_array();
    for (size_t i = 0; i < doctor->count; i++) {
        smc_auto_text mend = {0};
        struct doctor_row row = doctor_make_row(&doctor->row[i], &mend);
        json_array_append_new(list, smc_fields_object(&doctor_fields, &row));
    }
    smc_json_set(object, "healthy", json_boolean(smc_doctor_is_healthy(doctor)));
    smc_json_set(object, "checks", list);
}

void smc_csv_doctor(const struct smc_doctor *doctor, struct smc_text *out)
{
    smc_fields_csv_head(&doctor_fields, out);
    for (size_t i = 0; i < doctor->count; i++) {
        smc_auto_text mend = {0};
        struct doctor_row row = doctor_make_row(&doctor->row[i], &mend);
        smc_fields_csv_row(&doctor_fields, &row, out);
    }
}

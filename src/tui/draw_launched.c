/* The table of the confirm screen: predicted and seen values, the verdicts, the notes. */
#include <string.h>

#include "report/words_run.h"
#include "tui/confirm_draw.h"
#include "tui/widgets.h"

enum {
    GAP = 2,
    NOTE_INDENT = 4,
    NOTE_BESIDE = 36, /* columns that a note needs to stand beside its row */
};

static const enum smc_style verdict_style[] = {
    [SMC_CONFIRMED] = SMC_STYLE_GOOD,    [SMC_DIFFERS] = SMC_STYLE_BAD,
    [SMC_NOT_MEASURED] = SMC_STYLE_WARN, [SMC_INFORMATION] = SMC_STYLE_NORMAL,
    [SMC_BY_ORDER] = SMC_STYLE_NORMAL,
};

/* Right edges of the values, and what is beside them. */
struct columns {
    int edge[SMC_WITNESSES]; /* 0: no such column */
    int verdict, note;       /* `note` 0: beneath */
};

/* What is predicted in words may begin where a shorter label leaves room. */
static int widest_value(const struct smc_confirmation *confirmation, int witness, int label_cols)
{
    int widest = (int)strlen(smc_witness_headings[witness]);
    for (size_t i = 0; i < confirmation->row_count; i++) {
        char text[SMC_ROW_WORDS];
        const struct smc_row *row = &confirmation->row[i];
        bool words = smc_row_witness(row, witness) == &row->predicted && row->words[0];
        smc_words_witness(row, smc_row_witness(row, witness), text);
        int columns = (int)strlen(text) - (words ? label_cols - (int)strlen(row->label) : 0);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static struct columns lay_out(const struct smc_confirmation *confirmation, int cols)
{
    struct columns columns = {{0}, 0, 0};
    bool emulated = smc_words_any_emulated(confirmation);
    int at = 0;
    for (size_t i = 0; i < confirmation->row_count; i++) {
        int label = 1 + (int)strlen(confirmation->row[i].label);
        at = label > at ? label : at;
    }
    int labels = at - 1;
    for (int i = 0; i < SMC_WITNESSES; i++) {
        bool is_emulator =
            smc_row_witness(&confirmation->row[0], i) == &confirmation->row[0].emulated;
        if (!is_emulator || emulated)
            columns.edge[i] = at += GAP + widest_value(confirmation, i, labels);
    }
    columns.verdict = at + GAP;
    at = columns.verdict + (int)strlen(smc_verdict_name(SMC_NOT_MEASURED)) + GAP;
    columns.note = at + NOTE_BESIDE <= cols ? at : 0;
    return columns;
}

static void draw_right(struct smc_frame *frame, struct smc_rect rect, int row, int edge,
                       enum smc_style style, const char *text)
{
    struct smc_rect left = {rect.row, rect.col, rect.rows, edge < rect.cols ? edge : rect.cols};
    if (edge > 0)
        smc_frame_text_right(frame, left, row, style, text);
}

/* Returns the line behind. */
static int draw_note(const char *note, const struct columns *columns, struct smc_rect rect,
                     int line, struct smc_frame *frame)
{
    if (!note[0])
        return line + 1;
    int indent = columns->note ? columns->note : NOTE_INDENT;
    struct smc_rect room = {rect.row, rect.col + indent, rect.rows, rect.cols - indent - 1};
    return smc_frame_paragraph(frame, room, columns->note ? line : line + 1, SMC_STYLE_DIM, note);
}

static int draw_row(const struct smc_row *row, const struct columns *columns, struct smc_rect rect,
                    int line, struct smc_frame *frame)
{
    smc_frame_text(frame, rect, line, 1, SMC_STYLE_LABEL, row->label);
    for (int i = 0; i < SMC_WITNESSES; i++) {
        char text[SMC_ROW_WORDS];
        const struct smc_witness *witness = smc_row_witness(row, i);
        smc_words_witness(row, witness, text);
        draw_right(frame, rect, line, columns->edge[i],
                   witness->present ? SMC_STYLE_NORMAL : SMC_STYLE_DIM, text);
    }
    smc_frame_text(frame, rect, line, columns->verdict, verdict_style[row->verdict],
                   smc_verdict_name(row->verdict));
    return draw_note(row->note, columns, rect, line, frame);
}

static int draw_words(const struct smc_text *words, enum smc_style style, struct smc_rect rect,
                      int line, struct smc_frame *frame)
{
    struct smc_rect room = {rect.row, rect.col + 1, rect.rows, rect.cols - 2};
    return words->length ? smc_frame_paragraph(frame, room, line, style, smc_text_string(words))
                         : line;
}

/* What was launched where: below the table, for the history has it too. */
static int draw_subject(const struct smc_confirmed_run *run, struct smc_rect rect, int line,
                        struct smc_frame *frame)
{
    struct smc_text kernel = {0}, device = {0}, driver = {0};
    smc_words_run_kernel(&run->answer, &kernel);
    smc_words_run_device(&run->answer.query.device, &device);
    smc_words_run_driver(&run->result, &driver);
    line = draw_words(&kernel, SMC_STYLE_DIM, rect, line, frame);
    line = draw_words(&device, SMC_STYLE_DIM, rect, line, frame);
    line = draw_words(&driver, SMC_STYLE_DIM, rect, line, frame);
    smc_text_free(&kernel);
    smc_text_free(&device);
    smc_text_free(&driver);
    return line;
}

static int draw_run(const struct smc_confirmed_run *run, struct smc_rect rect, int line,
                    struct smc_frame *frame)
{
    const struct smc_confirmation *confirmation = &run->confirmation;
    struct columns columns = lay_out(confirmation, rect.cols);
    struct smc_text summary = {0};
    smc_words_verdicts(confirmation, &summary);
    line = draw_words(&summary,
                      confirmation->differing   ? SMC_STYLE_BAD
                      : confirmation->confirmed ? SMC_STYLE_GOOD
                                                : SMC_STYLE_WARN,
                      rect, line, frame);
    smc_text_free(&summary);
    for (int i = 0; i < SMC_WITNESSES; i++)
        draw_right(frame, rect, line, columns.edge[i], SMC_STYLE_TITLE, smc_witness_headings[i]);
    smc_frame_text(frame, rect, line, columns.verdict, SMC_STYLE_TITLE, "verdict");
    line++;
    for (size_t i = 0; i < confirmation->row_count; i++)
        line = draw_row(&confirmation->row[i], &columns, rect, line, frame);
    return draw_subject(run, rect, line + 1, frame);
}

int smc_draw_launched(const struct smc_launched *launched, struct smc_rect rect, int top,
                      struct smc_frame *frame)
{
    int line = -top;
    for (size_t i = 0; i < launched->run_count; i++)
        line = draw_run(&launched->run[i], rect, i ? line + 1 : line, frame);
    int lines = line + top;
    smc_list_draw_arrows(top, lines, rect, frame);
    return lines;
}

/* smemcalc lesson: guided pages with computed numbers, and a question that is checked. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"
#include "show/lesson/lesson_words.h"
#include "show/words/layout.h"
#include "show/words/words.h"

enum { NAME_COLUMNS = 15, LABEL_COLUMNS = 8 };

static void list_lessons(enum smc_language language, struct smc_text *out)
{
    smc_output_style(out);
    for (size_t i = 0; i < smc_lesson_count(); i++) {
        struct smc_lesson_head head;
        smc_lesson_head_at(i, language, &head);
        smc_layout_paragraph(out, head.name, NAME_COLUMNS, head.summary, out->style->columns);
    }
    smc_text_append(out, "\n");
    smc_lesson_say(language, SMC_LESSON_WORD_LIST, smc_program_name(), NULL, out);
    smc_text_append(out, "\n");
}

/* A name of the list, or a file: anything with a '/' or a '.'. */
static enum smc_status find_lesson(const char *name, enum smc_language language,
                                   struct smc_lesson *lesson, struct smc_error *error)
{
    struct smc_lesson_head head[SMC_LESSON_MOST];
    struct smc_suggestion suggestion = {.typed = name};
    const size_t index = smc_lesson_find(name);
    if (index < smc_lesson_count())
        return smc_lesson_open(index, language, lesson, error);
    if (strpbrk(name, "/."))
        return smc_lesson_read(name, lesson, error);
    for (size_t i = 0; i < smc_lesson_count(); i++) {
        smc_lesson_head_at(i, language, &head[i]);
        smc_suggest_consider(&suggestion, head[i].name);
    }
    return smc_suggest_fail(&suggestion, NULL, "lesson", "'smemcalc lesson' lists them", error);
}

static bool names_device(const struct smc_arguments *arguments)
{
    return arguments->given[SMC_OPTION_DEVICE] || arguments->given[SMC_OPTION_DEVICE_FILE];
}

/* A named device must suit the lesson. Otherwise it is the default device of a query if that suits;
   else `device` stays NULL, for the lesson's own. */
static enum smc_status
cmd_lesson_choose_device(const struct smc_arguments *arguments, const struct smc_lesson *lesson,
                         struct smc_chosen_devices *devices, struct smc_query *query,
                         const struct smc_device **device, struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    *device = NULL;
    if (names_device(arguments) || !lesson->one_device) {
        SMC_TRY(smc_ask_one_device(arguments, devices, query, error));
        status = smc_lesson_accepts(lesson, &query->device, error);
        if (status == SMC_OK)
            *device = &query->device;
    }
    if (status != SMC_OK && !names_device(arguments)) {
        *error = (struct smc_error){""}; /* the lesson's own device is used */
        return SMC_OK;
    }
    return smc_fail_in(error, status, "option --device%s", arguments->device.count ? "" : "-file");
}

/* --- Pages --- */

static void append_heading(const char *heading, struct smc_text *out)
{
    smc_layout_words(out, SMC_STRONG, heading);
    smc_text_append(out, "\n\n");
}

static enum smc_status append_page(const struct smc_lesson *lesson, size_t page,
                                   const struct smc_lesson_setting *setting, struct smc_text *out,
                                   struct smc_error *error)
{
    smc_auto_text heading = {0}, command = {0};
    smc_text_printf(&heading, "%zu  %s", page + 1, lesson->page[page].heading);
    append_heading(smc_text_string(&heading), out);
    enum smc_status status = smc_lesson_page(lesson, page, setting, out, error);
    if (status == SMC_OK)
        status = smc_lesson_try(lesson, page, setting, &command, error);
    smc_text_append(out, "\n");
    if (command.length) {
        smc_layout_paragraph(out, smc_lesson_word(lesson->language, SMC_LESSON_WORD_TRY),
                             LABEL_COLUMNS, smc_text_string(&command), setting->columns);
        smc_text_append(out, "\n");
    }
    return status;
}

/* The right answer may depend on the device: if one was named, the command names it too. */
static void append_check(const struct smc_arguments *arguments, const struct smc_lesson *lesson,
                         const struct smc_lesson_setting *setting, struct smc_text *out)
{
    smc_auto_text command = {0};
    smc_text_printf(&command, "%s lesson %s --answer ...", smc_program_name(), arguments->topic);
    if (names_device(arguments)) {
        struct smc_query query = {.device = *setting->device};
        smc_words_device_option(&query, &command);
    }
    smc_text_append(out, "\n");
    smc_layout_paragraph(out, smc_lesson_word(lesson->language, SMC_LESSON_WORD_CHECK),
                         LABEL_COLUMNS, smc_text_string(&command), setting->columns);
}

static enum smc_status append_question(const struct smc_arguments *arguments,
                                       const struct smc_lesson *lesson,
                                       const struct smc_lesson_setting *setting,
                                       struct smc_text *out, struct smc_error *error)
{
    append_heading(smc_lesson_word(lesson->language, SMC_LESSON_WORD_QUESTION), out);
    enum smc_status status = smc_lesson_question(lesson, setting, out, error);
    append_check(arguments, lesson, setting, out);
    return status;
}

static void append_exercise(const struct smc_lesson *lesson, unsigned columns, struct smc_text *out)
{
    smc_auto_text command = {0};
    if (!lesson->exercise)
        return;
    smc_text_printf(&command, "%s exercise %s", smc_program_name(), lesson->exercise);
    smc_layout_paragraph(out, smc_lesson_word(lesson->language, SMC_LESSON_WORD_EXERCISE),
                         LABEL_COLUMNS, smc_text_string(&command), columns);
}

static enum smc_status append_pages(const struct smc_arguments *arguments,
                                    const struct smc_lesson *lesson,
                                    const struct smc_lesson_setting *setting, struct smc_text *out,
                                    struct smc_error *error)
{
    bool one = arguments->given[SMC_OPTION_PAGE];
    size_t first = one ? (size_t)arguments->number[SMC_OPTION_PAGE] - 1 : 0;
    if (one && first >= lesson->page_count)
        return smc_fail(error, SMC_USAGE, "option --page: '%zu' is above %zu, the pages of %s",
                        first + 1, lesson->page_count, lesson->name);
    if (one)
        return append_page(lesson, first, setting, out, error);
    smc_text_printf(out, "%s\n\n", lesson->title);
    for (size_t i = 0; i < lesson->page_count; i++)
        SMC_TRY(append_page(lesson, i, setting, out, error));
    if (lesson->question.text.text)
        SMC_TRY(append_question(arguments, lesson, setting, out, error));
    append_exercise(lesson, setting->columns, out);
    return SMC_OK;
}

/* --- Answers --- */

static enum smc_status cmd_lesson_check(const struct smc_lesson *lesson,
                                        const struct smc_lesson_setting *setting, const char *given,
                                        struct smc_text *out, struct smc_error *error)
{
    bool right;
    if (!lesson->question.text.text)
        return smc_fail(error, SMC_USAGE, "option --answer: the lesson %s asks nothing",
                        lesson->name);
    enum smc_status status = smc_lesson_check(lesson, setting, given, &right, out, error);
    if (status == SMC_USAGE)
        return smc_fail_in(error, status, "option --answer");
    return status == SMC_OK && !right ? SMC_SHORTFALL : status;
}

static enum smc_status write_html(const struct smc_lesson *lesson,
                                  const struct smc_lesson_setting *setting, const char *path,
                                  struct smc_error *error)
{
    smc_auto_text html = {0};
    SMC_TRY(smc_lesson_html(lesson, setting, &html, error));
    return smc_fail_in(error, smc_file_write(path, true, &html, error), "option --html");
}

static enum smc_status cmd_lesson_show(const struct smc_arguments *arguments,
                                       const struct smc_lesson *lesson,
                                       const struct smc_device *device, struct smc_text *out,
                                       struct smc_error *error)
{
    struct smc_text warnings = {0};
    smc_output_style(out);
    struct smc_lesson_setting setting = {
        .device = device,
        .compile = {.no_cache = arguments->given[SMC_OPTION_NO_CACHE],
                    .no_nvrtc = arguments->given[SMC_OPTION_NO_NVRTC],
                    .builds = arguments->builds},
        .warnings = &warnings,
        .columns = out->style->columns,
        .utf8 = out->style->utf8,
    };
    const char *given = arguments->text[SMC_OPTION_ANSWER],
               *html = arguments->text[SMC_OPTION_HTML];
    enum smc_status status = given  ? cmd_lesson_check(lesson, &setting, given, out, error)
                             : html ? write_html(lesson, &setting, html, error)
                                    : append_pages(arguments, lesson, &setting, out, error);
    smc_output_warn(&warnings);
    return status;
}

static enum smc_status fail_without_name(const struct smc_arguments *arguments,
                                         struct smc_error *error)
{
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (arguments->given[i] && i != SMC_OPTION_LANGUAGE)
            return smc_fail(error, SMC_USAGE, "option --%s: name a lesson; '%s lesson' lists them",
                            smc_options[i].name, smc_program_name());
    return SMC_OK;
}

static enum smc_status cmd_lesson_language(const struct smc_arguments *arguments,
                                           enum smc_language *language, struct smc_error *error)
{
    const char *given = arguments->text[SMC_OPTION_LANGUAGE];
    *language = smc_language_of_user();
    if (!given || smc_language_find(given, language))
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "option --language: '%.64s' is not en or zh", given);
}

static enum smc_status cmd_lesson_open(const struct smc_arguments *arguments,
                                       enum smc_language language, struct smc_text *out,
                                       struct smc_error *error)
{
    const struct smc_device *device;
    struct smc_query query;
    SMC_AUTO(smc_lesson_free) struct smc_lesson lesson = {0};
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices devices = {0};
    smc_query_init(&query);
    enum smc_status status = find_lesson(arguments->topic, language, &lesson, error);
    if (status == SMC_OK)
        status = cmd_lesson_choose_device(arguments, &lesson, &devices, &query, &device, error);
    if (status == SMC_OK)
        status = cmd_lesson_show(arguments, &lesson, device, out, error);
    if (status > SMC_SHORTFALL) /* no heading of a page that is missing */
        smc_text_cut(out, 0);
    return status;
}

enum smc_status smc_cmd_lesson(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error)
{
    enum smc_language language;
    SMC_TRY(cmd_lesson_language(arguments, &language, error));
    if (!arguments->topic) {
        SMC_TRY(fail_without_name(arguments, error));
        list_lessons(language, out);
        return SMC_OK;
    }
    if (arguments->given[SMC_OPTION_ANSWER] && arguments->given[SMC_OPTION_PAGE])
        return smc_fail(error, SMC_USAGE, "option --page: not together with --answer");
    if (arguments->given[SMC_OPTION_HTML] &&
        (arguments->given[SMC_OPTION_ANSWER] || arguments->given[SMC_OPTION_PAGE]))
        return smc_fail(error, SMC_USAGE,
                        "option --html: writes the whole lesson; not together "
                        "with --page or --answer");
    return cmd_lesson_open(arguments, language, out, error);
}

/* What the program itself says around a lesson. */
#include "show/lesson/lesson_words.h"

#include <string.h>

const char *smc_lesson_word(enum smc_language language, enum smc_lesson_word_id id)
{
    static const char *const words[SMC_LESSON_WORD_COUNT][SMC_LANGUAGE_COUNT] = {
#define LESSON_WORD(id, english, chinese) [SMC_LESSON_WORD_##id] = {english, chinese},
#include "show/lesson/lesson_words.def"
    };
    return words[id][language];
}

void smc_lesson_say(enum smc_language language, enum smc_lesson_word_id id, const char *first,
                    const char *second, struct smc_text *out)
{
    for (const char *word = smc_lesson_word(language, id); *word; word++) {
        if (*word != '%' || !first) {
            smc_text_append_char(out, *word, 1);
            continue;
        }
        smc_text_append(out, first);
        first = second;
        second = NULL;
    }
}

void smc_lesson_say_value(enum smc_language language, const char *value, struct smc_text *out)
{
    static const char *const begins[][2] = {
        {"table ", "表格，"}, {"assumed ", "假定为 "}, {"given", "给定"}};
    for (size_t i = 0; language == SMC_LANGUAGE_CHINESE && i < sizeof begins / sizeof *begins; i++)
        if (smc_begins(value, begins[i][0])) {
            smc_text_append(out, begins[i][1]);
            value += strlen(begins[i][0]);
            break;
        }
    smc_text_append(out, value);
}

void smc_lesson_help(const char *program, struct smc_text *out)
{
    static const char help[] = "  % lesson\n"
                               "  % lesson 8800-gtx\n"
                               "  % lesson 8800-gtx --answer 12\n"
                               "  % lesson banks --html banks.html\n"
                               "  % lesson ./mine.md\n"
                               "\n"
                               "% lesson [课程] [选项]...\n"
                               "有计算数值的课程，每课以一个问题结束\n"
                               "\n"
                               "  课程是列表中的名字，或你自己的文件（smemcalc-lesson(5)）\n"
                               "\n"
                               "  --page N          只显示这一页\n"
                               "  --answer TEXT     检查问题的答案；答错时退出状态为 1\n"
                               "  --html FILE       把整课写成一个网页，不需要网络\n"
                               "  --language WORD   en 或 zh（简体中文）；默认由 LANG 决定\n"
                               "  --device NAME     课程所用的设备：GPU 名称或计算能力\n"
                               "  --device-file FILE  用文件描述的设备\n"
                               "  --no-nvrtc        不编译，寄存器数取自表格\n"
                               "  --no-cache        不读写编译缓存\n"
                               "  --help            显示本帮助\n"
                               "  --version         显示版本\n";
    for (const char *at = help; *at; at++)
        if (*at == '%')
            smc_text_append(out, program);
        else
            smc_text_append_char(out, *at, 1);
}

# Applies the rules of tests/layers.sh to a tree of sources. Reads the names of its files from
# standard input, and prints a line for each fault: its rule, a tab, where and what it is.
# From the environment: `wings`, in their order; `most_doors` of a wing; `longest`, lines of a file.

function complain(rule, what) {
    printf "%s\t%s\n", rule, what
}

function complain_of_line(rule) {
    complain(rule, path ":" number ":" raw)
}

# Faults that count only if the file has no main() of its own.
function complain_unless_tool(rule) {
    held[++held_count] = rule "\t" path ":" number ":" raw
}

# Sets `text`, the line without comments, and `code`, in which strings and characters are empty too.
function strip(rest,    token, quote) {
    text = code = ""
    while (rest != "") {
        if (in_comment) {
            if (!(token = index(rest, "*/")))
                return
            rest = substr(rest, token + 2)
            in_comment = 0
        }
        if (!match(rest, /"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|\/\/|\/\*/)) {
            text = text rest
            code = code rest
            return
        }
        text = text substr(rest, 1, RSTART - 1)
        code = code substr(rest, 1, RSTART - 1)
        token = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (token == "//")
            return
        if (token == "/*") {
            in_comment = 1
            text = text " "
            code = code " "
        } else {
            quote = substr(token, 1, 1)
            text = text token
            code = code quote quote
        }
    }
}

# --- Rules for a line -----------------------------------------------------------------------------

# Of the file's own wing, or a door of one before it.
function is_allowed(header,    part, count) {
    count = split(header, part, "/")
    return part[1] == wing || ((part[1] in order) && order[part[1]] < order[wing] && count == 2)
}

function check_include(    header) {
    if (!match(text, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/))
        return
    header = substr(text, RSTART, RLENGTH - 1)
    sub(/^[^"]*"(\.\.\/)?/, "", header)
    if (header != "config.h" && (wing in order) && index(header, "/") && !is_allowed(header))
        complain("includes of " wing, path " includes \"" header "\"")
}

# Comparing two capabilities, or with the range of what can be written as one, is not meant.
function check_capability(    compared) {
    compared = code
    gsub(/(^|[^a-zA-Z0-9_])cc *[<>]=? *(SMC_M(IN|AX)_CC|UINT16_MAX)/, " ", compared)
    gsub(/\/ *10 *== *([a-z_.>-]*[.>-])?cc *\/ *10/, " ", compared)
    if (compared ~ older || compared ~ newer)
        complain_of_line("capability")
}

# A backtrace shows the names of static functions: those of more than four lines have one of their
# own. `body` counts the lines between the braces of the function `named`.
function check_function() {
    if (raw ~ /^static /)
        named = ""
    if (raw ~ /^(static )?[^={;]*[a-z_0-9]\(/ && (raw ~ /^static / || is_split) &&
        match(raw, /[a-z][a-z_0-9]*\(/))
        named = substr(raw, RSTART, RLENGTH - 1)
    is_split = raw ~ /^static [^(={;]*$/
    body = raw ~ /^\{/ ? 0 : body + 1
    if (raw !~ /^\}/ || named == "")
        return
    if (body > 5)
        is_long[named] = 1
    if (!((named, path) in homes)) {
        homes[named, path] = 1
        home[named] = home[named] " " path
        home_count[named]++
    }
    named = ""
}

function check_line() {
    strip(raw)
    check_function()
    if (raw ~ /^int main\(/)
        is_tool = 1
    if (index(text, "#")) {
        check_include()
        if (!is_gpu && tolower(text) ~ cuda_header)
            complain_of_line("cuda")
        if (!is_screen && text ~ /#[ \t]*include[ \t]*["<](n?curses|term)\.h/)
            complain_of_line("curses")
        if (!is_for_linux && text ~ linux_header)
            complain_of_line("linux")
    }
    if (!is_for_linux && (index(text, "\"/proc/") || code ~ linux_word))
        complain_of_line("linux")
    if (!may_print && code ~ printing)
        complain_unless_tool("output")
    if (!may_allocate && code ~ allocating)
        complain_unless_tool("allocation")
    if (index(code, "cc"))
        check_capability()
}

# --- Files ----------------------------------------------------------------------------------------

function check_source(    i, status) {
    wing = path
    sub(/^src\//, "", wing)
    sub(/(\/.*|\.c)$/, "", wing)
    is_gpu = path ~ /^src\/hardware\/[a-z]*\/gpu/
    is_screen = path == screen
    is_for_linux = path ~ /^src\/guests\// || \
        path ~ /^src\/base\/(platform\.c|sandbox\.(c|def))$/
    may_print = path ~ /^src\/(show\/cli|guests\/shim)\// || is_screen
    may_allocate = path == "src/base/memory.c" || path == "src/guests/shim/shim_runtime.c"
    in_comment = is_tool = held_count = number = is_split = 0
    named = ""
    while ((status = (getline raw < path)) > 0) {
        number++
        check_line()
    }
    close(path)
    if (status < 0)
        complain("sources", path " cannot be read")
    if (number > longest)
        complain("length", path " has " number " lines, more than " longest)
    for (i = 1; i <= held_count && !is_tool; i++)
        print held[i]
    sources++
}

# A suite that is listed twice has its cases counted twice.
function check_makefile(    count, i, names, on) {
    while ((getline raw < path) > 0) {
        if (!on && !sub(/^TESTS *\+= */, "", raw))
            continue
        on = sub(/\\$/, "", raw)
        count = split(raw, names, " ")
        for (i = 1; i <= count; i++)
            if (seen[names[i]]++ == 1)
                complain("twice", names[i])
    }
    close(path)
}

# A header that lies in the wing's folder itself is a door; no two files have one name.
function check_place(    part, count, name, folder) {
    count = split(path, part, "/")
    name = part[count]
    folder = substr(path, 1, length(path) - length(name) - 1)
    if (name in place)
        complain("names", name ": " place[name] " " folder)
    place[name] = folder
    if (count == 3 && name ~ /\.h$/)
        doors[part[2]]++
    if (count > 2 && !(part[2] in order) && !unlisted[part[2]]++)
        complain("folders", "src/" part[2] " is no wing")
}

BEGIN {
    wing_count = split(ENVIRON["wings"], wing_of, " ")
    for (i = 1; i <= wing_count; i++)
        order[wing_of[i]] = i
    most_doors = ENVIRON["most_doors"] + 0
    longest = ENVIRON["longest"] + 0
    screen = ENVIRON["screen"]
    include = "#[ \t]*include[ \t]*"
    cuda_header = include "[\"<](cu(da|pti|blas|complex|fft|rand|solver|sparse)[a-z_]*|nvrtc" \
        "|driver_types|vector_types|nvml|nvptxcompiler)\\.h"
    linux_header = include "<(linux/.*|asm/.*|elf|link|features|malloc|mntent|sys/(auxv|epoll" \
        "|eventfd|inotify|prctl|sendfile|signalfd|syscall|sysinfo|sysmacros|timerfd|vfs|xattr))" \
        "\\.?h?>"
    start = "(^|[^a-zA-Z0-9_])"
    end = "([^a-zA-Z0-9_]|$)"
    linux_word = start "(pipe2|accept4|dup3|prctl|syscall|memfd_create|sigtimedwait|strchrnul" \
        "|strverscmp|qsort_r|dlinfo|dlvsym|pidfd_[a-z]*|SI_KERNEL|SOCK_CLOEXEC|O_TMPFILE)" end
    printing = start "((v?printf|puts|putchar|perror|exit|quick_exit|abort) *\\(|stdout|stderr)"
    allocating = "(^|[^a-zA-Z0-9_.>])(malloc|calloc|realloc|reallocarray|strdup|strndup" \
        "|aligned_alloc|v?asprintf|open_memstream|glob)\\("
    operator = " *(==|!=|<=|>=|<|>) *"
    older = start "cc( */ *10)?" operator "([1-9]|[A-Z])"
    newer = "[0-9]" operator "([a-z_.>-]*[.>-])?cc" end
}

{ path = $0 }
path ~ /^tests\/.*\.mk$/ { check_makefile() }
path ~ /^src\/.*\.([ch]|cc|def)$/ {
    check_source()
    check_place()
}

END {
    if (!sources)
        complain("sources", "there are none")
    for (wing in doors)
        if (doors[wing] > most_doors)
            complain("doors", "src/" wing " has " doors[wing] " doors, more than " most_doors)
    for (named in is_long)
        if (home_count[named] > 1)
            complain("functions", named ":" home[named])
}

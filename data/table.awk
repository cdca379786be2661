# Turns a CSV file with a header into C initialisers, one row a line: {.column = value, ...},
# The struct's members have the columns' names, so that the header of the CSV is the only list.
# Usage: awk -v text="COLUMN ..." [-v rename="COLUMN=MEMBER ..."] [-v within=MEMBER]
#            [-v cc=COLUMN] [-v flag=COLUMN=WORD] [-v kilobytes=COLUMN=COUNT:SIZES] -f table.awk FILE.csv
# The columns named in `text` become strings, the others numbers (an empty one is 0). What is not in
# `text` or `rename` belongs to the inner struct `within`. Three columns may be of other kinds: a
# compute capability (9.0 becomes 90), a word that stands for true, and sizes in KB joined by ';',
# which become a count and an array of bytes.

function split_row(line, fields,    i, c, n, field, quoted) {
    n = 0; field = ""; quoted = 0
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (quoted && c == "\"" && substr(line, i + 1, 1) == "\"") { field = field c; i++ }
        else if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) { fields[++n] = field; field = "" }
        else field = field c
    }
    fields[++n] = field
    return n
}

function sizes(value,    n, i, kb, bytes, names) {
    n = split(value, kb, ";")
    for (i = 1; i <= n; i++) bytes = bytes (i > 1 ? ", " : "") kb[i] * 1024
    split(members[2], names, ":")
    return "." inner names[1] " = " n ", ." inner names[2] " = {" bytes "}"
}

function initialiser(column, value,    member) {
    member = column in renamed ? renamed[column] : (column in is_text ? "" : inner) column
    if (column in is_text) {
        gsub(/\\/, "\\\\", value)
        gsub(/"/, "\\\"", value)
        return "." member " = \"" value "\""
    }
    if (column == cc) sub(/\./, "", value)
    if (column == word[1]) value = value == word[2]
    if (column == members[1]) return sizes(value)
    return "." member " = " (value == "" ? "0" : value)
}

BEGIN {
    n = split(text, names, " ")
    for (i = 1; i <= n; i++) is_text[names[i]] = 1
    n = split(rename, names, " ")
    for (i = 1; i <= n; i++) {
        split(names[i], pair, "=")
        renamed[pair[1]] = pair[2]
    }
    inner = within == "" ? "" : within "."
    split(flag, word, "=")
    split(kilobytes, members, "=")
}

{ sub(/\r$/, "") }

NR == 1 { columns = split_row($0, header); next }

NF {
    if (split_row($0, fields) != columns) {
        print "table.awk: " FILENAME ":" FNR ": not " columns " columns" > "/dev/stderr"
        exit 1
    }
    row = ""
    for (i = 1; i <= columns; i++) row = row (i > 1 ? ", " : "") initialiser(header[i], fields[i])
    print "{" row "},"
}

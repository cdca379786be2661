# Turns a CSV file with a header into C initialisers, one row a line: {.column = value, ...},
# The struct's members carry the columns' names, so that the header of the CSV is the only list.
# Usage: awk -v text="COLUMN ..." -f table.awk FILE.csv
# The columns named in `text` become strings, the others numbers (an empty one is 0).

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

function initialiser(column, value) {
    if (!(column in is_text))
        return "." column " = " (value == "" ? "0" : value)
    gsub(/\\/, "\\\\", value)
    gsub(/"/, "\\\"", value)
    return "." column " = \"" value "\""
}

BEGIN {
    n = split(text, names, " ")
    for (i = 1; i <= n; i++) is_text[names[i]] = 1
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

# Turns data/ptx.txt into C initialisers of struct smc_built_in_ptx: {"kernel", "defines", 13, 5, 75,
# 0xHASH, "PTX"}, for each.

!inside {
    n = split($0, field, ",")
    if (n != 6) {
        print "ptx.awk: " FILENAME ":" FNR ": not 6 fields" > "/dev/stderr"
        exit 1
    }
    printf "{\"%s\", \"%s\", %s, %s, %s, UINT64_C(%s),\n", field[1], field[2], field[3], field[4],
        field[5], field[6]
    inside = 1
    next
}
$0 == "." { print "}," ; inside = 0; next }
{ gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); print "\"" $0 "\\n\"" }

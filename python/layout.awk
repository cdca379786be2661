# Writes the layout of smemcalc.h (src/rules/model/public_layout.def) as a Python module.
BEGIN {
    FS = "[(), ]+"
    print "\"\"\"The layout of smemcalc.h, written by python/layout.awk.\"\"\""
    print ""
    print "from typing import Dict, List, Tuple"
    print ""
    print "VALUES: Dict[str, int] = {"
}
/^VALUE\(/ { printf "    \"%s\": %s,\n", $2, $3 }
/^STRUCT\(/ { structs = structs sprintf("    \"%s\": (%s, %s),\n", $2, $3, $4) }
/^MEMBER\(/ { # the type may have blanks
    split(substr($0, index($0, "(") + 1), part, ", ")
    members[part[1]] = members[part[1]] sprintf("        (\"%s\", \"%s\", %d, %d),\n", part[2], part[3], part[4], part[5])
    if (!(part[1] in seen))
        order[++count] = part[1]
    seen[part[1]] = 1
}
END {
    print "}"
    print ""
    print "# Size and alignment."
    print "STRUCTS: Dict[str, Tuple[int, int]] = {"
    printf "%s}\n\n", structs
    print "# Name, type, how many, offset."
    print "MEMBERS: Dict[str, List[Tuple[str, str, int, int]]] = {"
    for (i = 1; i <= count; i++)
        printf "    \"%s\": [\n%s    ],\n", order[i], members[order[i]]
    print "}"
}

# Turns files into C: TEXT("name", bytes) for each, the bytes as decimal numbers.
# Usage: od -An -v -tu1 FILE | awk -v name=NAME -f embed.awk

BEGIN { printf "TEXT(\"%s\"", name }
{ for (i = 1; i <= NF; i++) printf ",%s%s", (i == 1 ? "\n" : ""), $i }
END { print ")" }

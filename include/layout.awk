# Reads the preprocessed smemcalc.h and writes a program that prints its ABI as rows of public_layout.def:
#   cc -E smemcalc.h | awk -f layout.awk >rows.c

# Only what the library's own headers declare. A line is cut at what ends a declaration or a member.
/^# [0-9]+ "/ { ours = $3 ~ /smemcalc/; next }
/^#/ { next }
ours { text = text " " $0 }

function trimmed(s) {
    gsub(/[ \t]+/, " ", s)
    sub(/^ /, "", s)
    sub(/ $/, "", s)
    return s
}

# "const char *name[4]" of a struct: its type, how many, where. A struct without a name, which `group`
# stands for, is bytes.
function member(owner, type, declarator,    each) {
    declarator = trimmed(declarator)
    for (; declarator ~ /^\*/; declarator = trimmed(substr(declarator, 2)))
        type = trimmed(type " *")
    sub(/ *\[.*/, "", declarator)
    sub(/^_Bool$/, "bool", type)
    sub(/^group$/, "char", type)
    each = "((struct " owner " *)0)->" declarator
    printf "MEMBER(%s, %s, %s, (int)(sizeof(%s) / sizeof(%s)), offsetof(struct %s, %s))\n", owner,
        declarator, type, each, type, owner, declarator
}

function members(owner, body,    n, i, k, parts, declaration, type, declarators, all) {
    printf "STRUCT(%s, sizeof(struct %s), _Alignof(struct %s))\n", owner, owner, owner
    n = split(body, parts, ";")
    for (i = 1; i <= n; i++) {
        declaration = trimmed(parts[i])
        if (declaration == "")
            continue
        # The first declarator is the last word before a comma or the end.
        match(declaration, /^(const )?((struct|enum|unsigned) )?[A-Za-z_0-9]+/)
        type = substr(declaration, 1, RLENGTH)
        all = split(substr(declaration, RLENGTH + 1), declarators, ",")
        for (k = 1; k <= all; k++)
            member(owner, type, declarators[k])
    }
}

function values(body,    n, i, parts, name) {
    n = split(body, parts, ",")
    for (i = 1; i <= n; i++) {
        name = trimmed(parts[i])
        sub(/ *=.*/, "", name)
        if (name != "" && name !~ /_COUNT$/) # counts grow
            printf "VALUE(%s, %s)\n", name, name
    }
}

END {
    print "#include <smemcalc.h>"
    print "#include <stdio.h>"
    print "#define STRUCT(name, size, alignment) \\"
    print "    printf(\"STRUCT(\" #name \", %zu, %zu)\\n\", (size_t)(size), (size_t)(alignment));"
    print "#define MEMBER(owner, name, type, count, offset) \\"
    print "    printf(\"MEMBER(\" #owner \", \" #name \", \" #type \", %d, %zu)\\n\", count, offset);"
    print "#define VALUE(name, value) printf(\"VALUE(\" #name \", %ld)\\n\", (long)(value));"
    print "int main(void)\n{"
    gsub(/struct *\{[^{}]*\}/, "group", text)
    while (match(text, /(struct|enum)( [a-z_0-9]+)? *\{[^{}]*\}/)) {
        found = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        split(trimmed(substr(found, 1, index(found, "{") - 1)), words, " ")
        body = substr(found, index(found, "{") + 1)
        sub(/\}$/, "", body)
        if (words[1] == "struct")
            members(words[2], body)
        else
            values(body)
        words[2] = ""
    }
    print "    return 0;\n}"
}

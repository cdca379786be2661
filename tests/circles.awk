# Finds files that use each other in a circle. Reads `nm -A` of objects; prints the files of all circles
# on one line, and nothing if there is none. A file uses another whose symbol it needs.

function file_of(object) {
    sub(/:.*/, "", object)
    sub(/[A-Za-z0-9_]*_la-/, "", object)
    sub(/\.o$/, ".c", object)
    return object
}

{
    file = file_of($1)
    type = $(NF - 1)
    name = $NF
    sub(/.*:/, "", type)
}

type == "U" { needs[file, name] }

type ~ /^[TDBRVWCi]$/ {
    if (!(name in definer))
        definer[name] = file
    else if (definer[name] != file)
        definer[name] = "" # of several libraries
}

# A file that uses none of those left, or is used by none of them, is in no circle.
END {
    for (need in needs) {
        split(need, part, SUBSEP)
        to = part[2] in definer ? definer[part[2]] : ""
        if (to != "" && to != part[1] && !((part[1], to) in edge)) {
            edge[part[1], to]
            left[part[1]]
            left[to]
        }
    }
    do {
        split("", out)
        split("", in_)
        for (pair in edge) {
            split(pair, part, SUBSEP)
            out[part[1]]
            in_[part[2]]
        }
        changed = 0
        for (pair in edge) {
            split(pair, part, SUBSEP)
            if (!(part[2] in out) || !(part[1] in in_)) {
                delete edge[pair]
                changed = 1
            }
        }
    } while (changed)
    for (pair in edge) {
        split(pair, part, SUBSEP)
        circle[part[1]]
    }
    for (file in circle)
        print file | "sort | xargs"
}

#!/bin/sh
# The lessons' screen: golden screens of the list, a page and a checked question; a page is tried in
# the explorer. Run in the build folder. GENERATE=1 writes tests/golden/ anew.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

leave_out_keys

play() { # SCRIPT
    printf '%s\n' "$1" >script
    smemcalc tui --no-nvrtc --device H200 --script script
}

golden_screens() { # NAME SCRIPT
    printf '%s\n' "$2" >script
    golden "$1" tui --no-nvrtc --device H200 --script script
}

golden_screens tui-lessons-80x24.txt 'key F6
screen
key Enter 3
screen
key End
type 8
key Enter
screen
key Esc
screen'
printf 'size 60x16\nkey F6\nkey 1\nscreen\nkey PgDn\nscreen\n' >keys.txt
smemcalc tui --tile 8 --size 32 --device 9.0 --no-nvrtc --script keys.txt >out
empty "the line below a page of a lesson is whole on 60 columns" "$(
    [ "$(grep -c 'page [12] of 6; PgDn.*\(next\|explorer\) ' out)" -eq 2 ] || cat out)"
golden_screens tui-lessons-120x40.txt 'size 120x40
key F6
type 3
screen'
golden_screens tui-lessons-200x60.txt 'size 200x60
key F6
type 7
key Right
screen'

says() { # NAME WORDS SCRIPT
    empty "$1" "$(play "$3" | grep -qF "$2" || { echo "not shown: $2"; play "$3"; })"
}

printf -- '---\ntitle: My lesson\nsummary: of a teacher\n---\n# First page\n{= 1 + 1} warps\n' >mine.md
says "the user's lesson is opened as a file" "2 warps" 'key :
type open mine.md
key Enter
screen'
says "and is the last of the list" "9  My lesson" 'key :
type open mine.md
key Enter
key Esc
screen'
smemcalc tui mine.md --no-nvrtc --device H200 --script - >out 2>&1 <<'END'
screen
key y
screen
END
empty "tui FILE opens a lesson, y shows its command" "$(
    { grep -q 'First page' out && grep -q 'smemcalc lesson "mine.md"' out && grep -q 'page 1 of 1' out; } || cat out)"
echo 'no lesson' >bad.md
says "an error of the user's lesson names its line" "bad.md:1:" 'key :
type open bad.md
key Enter
screen'

says "a wrong answer to a lesson gets a hint" "Not 12." 'key F6
type 1
key G
type 12
key Enter
screen'
says "an answer to a lesson that is no number is refused" "is not a number" 'key F6
type 1
key G
type x
key Enter
screen'
says "a page of a lesson is tried in the explorer" "matmul-tiled on GeForce 8800 GTX" 'key F6
type 1
key Right
key t
screen'
says "a page that was tried in the explorer is undone there" "matmul-tiled on NVIDIA H200" 'key F6
type 1
key Right
key t
key u
screen'
says "the list of lessons is searched" "smemcalc lesson carveout" 'key F6
key /
type carve
key Enter
key y
screen'

finish_cases

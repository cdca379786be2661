# Draws a screen as SVG: a capture of a terminal with its escape sequences (`tmux capture-pane -e -p`,
# UTF-8) on standard input. Needs LC_ALL=C, where a character is a byte to every awk. Frames and bars
# are drawn, not written, and each word is stretched to its columns, so that whatever monospace font
# there is fits.

BEGIN {
    wide = 8; high = 17; font = 13.28; base = 12.5; edge = 8 # pixels; DejaVu's letters are as wide
    foreground = "#d8d8d8"; background = "#16181d"
    # Strokes from a cell's middle: up, right, down, left.
    strokes["─"] = "0101"; strokes["│"] = "1010"; strokes["┌"] = "0110"; strokes["┐"] = "0011"
    strokes["└"] = "1100"; strokes["┘"] = "1001"; strokes["├"] = "1110"; strokes["┤"] = "1011"
    strokes["┬"] = "0111"; strokes["┴"] = "1101"; strokes["┼"] = "1111"
    split("▁ ▂ ▃ ▄ ▅ ▆ ▇ █", lower, " ") # eighths, from below
    split("▏ ▎ ▍ ▌ ▋ ▊ ▉ █", left, " ")  # and from the left
    for (i = 1; i <= 8; i++) {
        tall[left[i]] = 8; broad[left[i]] = i
        tall[lower[i]] = i; broad[lower[i]] = 8
    }
    split("000000 cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd e5e5e5 " \
          "666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db ffffff", basic, " ")
}

# The 256 colours of terminals.
function colour_of(n) {
    if (n < 16)
        return "#" basic[n + 1]
    if (n >= 232)
        return sprintf("#%02x%02x%02x", 10 * n - 2312, 10 * n - 2312, 10 * n - 2312)
    n -= 16
    return sprintf("#%02x%02x%02x", of_cube(int(n / 36)), of_cube(int(n / 6) % 6), of_cube(n % 6))
}
function of_cube(level) { return level ? 55 + 40 * level : 0 }

# "1;38;5;231": one sequence's numbers.
function set_style(sequence, n, part, i) {
    n = split(sequence, part, ";")
    if (n == 0)
        part[n = 1] = 0
    for (i = 1; i <= n; i++) {
        if (part[i] == 0) { ink = paper = ""; bold = underline = reverse = 0 }
        else if (part[i] == 1) bold = 1
        else if (part[i] == 4) underline = 1
        else if (part[i] == 7) reverse = 1
        else if (part[i] == 38) { ink = colour_of(part[i + 2]); i += 2 }
        else if (part[i] == 48) { paper = colour_of(part[i + 2]); i += 2 }
        else if (part[i] == 39) ink = ""
        else if (part[i] == 49) paper = ""
        else if (part[i] >= 30 && part[i] <= 37) ink = colour_of(part[i] - 30)
    }
}

function bytes_of(character) {
    return character < "\300" ? 1 : character < "\340" ? 2 : character < "\360" ? 3 : 4
}

# Into cell[] and style[], "ink paper weight decoration" of each column.
function read_row(row, at, length_, columns, on, behind) {
    columns = 0
    for (at = 1; at <= length(row); at += length_) {
        length_ = 0
        if (match(substr(row, at), /^\033\[[0-9;]*m/)) {
            set_style(substr(row, at + 2, RLENGTH - 3))
            length_ = RLENGTH
            continue
        }
        length_ = bytes_of(substr(row, at, 1))
        on = ink ? ink : foreground
        behind = paper ? paper : background
        cell[columns] = substr(row, at, length_)
        style[columns] = (reverse ? behind " " on : on " " behind) (bold ? " bold" : " normal") \
            (underline ? " underline" : " none")
        columns++
    }
    return columns
}

function is_shape(glyph) { return glyph in strokes || glyph in tall }

function rectangle(x, y, width, height, colour) {
    return sprintf("<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" fill=\"%s\"/>\n",
                   x, y, width, height, colour)
}

function escaped(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    return text
}

# A bar or a dash may come `count` times.
function draw_shape(y, from, count, glyph, colour, x, i) {
    x = edge + from * wide
    if (glyph in tall) {
        areas = areas rectangle(x, y + high - high * tall[glyph] / 8,
            (count - 1 + broad[glyph] / 8) * wide, high * tall[glyph] / 8, colour)
        return
    }
    for (i = 1; i <= 4; i++)
        if (substr(strokes[glyph], i, 1) == 1)
            draw_stroke(x + wide / 2, y + high / 2, i, count, colour)
}

function draw_stroke(x, y, way, count, colour) {
    if (!(colour in frames))
        frame_colour[++frame_colours] = colour
    frames[colour] = frames[colour] sprintf("M%.6g %.6g%s%.6g", x, y, way % 2 ? "v" : "h",
        way == 1 ? -high / 2 : way == 2 ? (count - 0.5) * wide : way == 3 ? high / 2 : -wide / 2)
}

function draw_word(y, from, count, text, look, part) {
    split(look, part, " ")
    words = words sprintf("<text x=\"%d\" y=\"%.6g\" textLength=\"%d\" fill=\"%s\"%s%s>%s</text>\n",
        edge + from * wide, y + base, count * wide, part[1],
        part[3] == "bold" ? " font-weight=\"bold\"" : "",
        part[4] == "underline" ? " text-decoration=\"underline\"" : "", escaped(text))
}

function has_background(column, part) {
    split(style[column], part, " ")
    return part[2]
}

# Whether the next cell goes on with what this one begins.
function goes_on(glyph, next_glyph) {
    if (is_shape(glyph))
        return next_glyph == glyph && (glyph == "─" || broad[glyph] == 8)
    return glyph != " " && next_glyph != " " && !is_shape(next_glyph)
}

{
    columns = read_row($0)
    if (columns > most)
        most = columns
    y = edge + (NR - 1) * high
    for (from = 0; from < columns; from = to) {
        behind = has_background(from)
        for (to = from + 1; to < columns && has_background(to) == behind; to++) {
        }
        if (behind != background)
            areas = areas rectangle(edge + from * wide, y, (to - from) * wide, high, behind)
    }
    for (from = 0; from < columns; from = to) {
        text = cell[from]
        for (to = from + 1; to < columns && style[to] == style[from] && goes_on(cell[from], cell[to]); to++)
            text = text cell[to]
        if (is_shape(cell[from]))
            draw_shape(y, from, to - from, cell[from], substr(style[from], 1, 7))
        else if (text != " ")
            draw_word(y, from, to - from, text, style[from])
    }
}

END {
    width = most * wide + 2 * edge
    height = NR * high + 2 * edge
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"", width, height
    printf " viewBox=\"0 0 %d %d\">\n", width, height
    printf "<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\"/>\n", width, height, background
    printf "<g shape-rendering=\"crispEdges\">\n%s", areas
    for (i = 1; i <= frame_colours; i++)
        printf "<path stroke=\"%s\" fill=\"none\" d=\"%s\"/>\n", frame_colour[i], frames[frame_colour[i]]
    printf "</g>\n<g font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\""
    printf " font-size=\"%.6g\">\n%s</g>\n</svg>\n", font, words
}

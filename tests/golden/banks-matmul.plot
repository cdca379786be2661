matmul-tiled
block 16x16, CC 5.0 and later, 32 banks

a_tile[y][x], store of 8 bytes
2 wavefronts, the least possible: no conflict (warp 0)
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
 1 (0-15)   0   0   1   1   2   2   3   3   4   4   5   5   6   6   7   7
2 (16-31)  16  16  17  17  18  18  19  19  20  20  21  21  22  22  23  23

          bank
wavefront  16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31
 1 (0-15)   8   8   9   9  10  10  11  11  12  12  13  13  14  14  15  15
2 (16-31)  24  24  25  25  26  26  27  27  28  28  29  29  30  30  31  31

b_tile[y][x], store of 8 bytes
2 wavefronts, the least possible: no conflict (warp 0)
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
 1 (0-15)   0   0   1   1   2   2   3   3   4   4   5   5   6   6   7   7
2 (16-31)  16  16  17  17  18  18  19  19  20  20  21  21  22  22  23  23

          bank
wavefront  16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31
 1 (0-15)   8   8   9   9  10  10  11  11  12  12  13  13  14  14  15  15
2 (16-31)  24  24  25  25  26  26  27  27  28  28  29  29  30  30  31  31

a_tile[y][i], load of 8 bytes
2 wavefronts where 1 would do: 1 conflict (warp 0, turn 0 of the loop)
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
        1  0+* 0+*  .   .   .   .   .   .   .   .   .   .   .   .   .   .
        2 16+*16+*  .   .   .   .   .   .   .   .   .   .   .   .   .   .

banks 16 to 31 are idle
padded
pad each row of 16 elements of 8 B by 1 element: 1 wavefront, the least
possible: no conflict
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
        1   0+  0+ 16+ 16+  .   .   .   .   .   .   .   .   .   .   .   .

banks 16 to 31 are idle
swizzled
in rows of 16 elements of 8 B, put column c of row r at c ^ (r & 1): 1
wavefront, the least possible: no conflict
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
        1   0+  0+ 16+ 16+  .   .   .   .   .   .   .   .   .   .   .   .

banks 16 to 31 are idle
b_tile[i][x], load of 8 bytes
2 wavefronts, the least possible: no conflict (warp 0, turn 0 of the loop)
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
 1 (0-15)   0   0   1   1   2   2   3   3   4   4   5   5   6   6   7   7
2 (16-31)  16  16  17  17  18  18  19  19  20  20  21  21  22  22  23  23

          bank
wavefront  16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31
 1 (0-15)   8   8   9   9  10  10  11  11  12  12  13  13  14  14  15  15
2 (16-31)  24  24  25  25  26  26  27  27  28  28  29  29  30  30  31  31

A number is a lane, in the bank that serves it; * lanes that conflict in a bank,
which serves them one after another; + others are served with it; dots are idle
banks; in brackets the lanes that are served together.
exit status 0

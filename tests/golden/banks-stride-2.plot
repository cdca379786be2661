lane*2*4
load of 4 bytes a lane, block 32, CC 1.1, 16 banks

as it is
4 wavefronts where 2 would do: 2 conflicts (warp 0)
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
 1 (0-15)   0*  .   1*  .   2*  .   3*  .   4*  .   5*  .   6*  .   7*  .
 2 (0-15)   8*  .   9*  .  10*  .  11*  .  12*  .  13*  .  14*  .  15*  .
3 (16-31)  16*  .  17*  .  18*  .  19*  .  20*  .  21*  .  22*  .  23*  .
4 (16-31)  24*  .  25*  .  26*  .  27*  .  28*  .  29*  .  30*  .  31*  .

padded
pad each row of 2 elements by 1 element: 2 wavefronts, the least possible: no
conflict
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
 1 (0-15)   0  11   6   1  12   7   2  13   8   3  14   9   4  15  10   5
2 (16-31)  16  27  22  17  28  23  18  29  24  19  30  25  20  31  26  21

swizzled
in rows of 2 elements, put column c of row r at c ^ (r >> 3 & 1): 2 wavefronts,
the least possible: no conflict
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
 1 (0-15)   0   8   1   9   2  10   3  11   4  12   5  13   6  14   7  15
2 (16-31)  16  24  17  25  18  26  19  27  20  28  21  29  22  30  23  31

A number is a lane, in the bank that serves it; * lanes that conflict in a bank,
which serves them one after another; dots are idle banks; in brackets the lanes
that are served together.
exit status 0

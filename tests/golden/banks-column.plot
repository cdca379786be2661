(tx*32 + ty)*4
load of 4 bytes a lane, block 32x8, CC 5.0 and later, 32 banks

as it is
32 wavefronts where 1 would do: 31 conflicts (warp 0)
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
        1   0*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
        2   1*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
        3   2*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
        4   3*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
        5   4*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
        6   5*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
        7   6*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
        8   7*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
        9   8*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       10   9*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       11  10*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       12  11*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       13  12*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       14  13*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       15  14*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       16  15*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       17  16*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       18  17*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       19  18*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       20  19*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       21  20*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       22  21*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       23  22*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       24  23*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       25  24*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       26  25*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       27  26*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       28  27*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       29  28*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       30  29*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       31  30*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
       32  31*  .   .   .   .   .   .   .   .   .   .   .   .   .   .   .

banks 16 to 31 are idle
padded
pad each row of 32 elements by 1 element: 1 wavefront, the least possible: no
conflict
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
        1   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15

          bank
wavefront  16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31
        1  16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31

swizzled
in rows of 32 elements, put column c of row r at c ^ (r & 31): 1 wavefront, the
least possible: no conflict
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
        1   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15

          bank
wavefront  16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31
        1  16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31

A number is a lane, in the bank that serves it; * lanes that conflict in a bank,
which serves them one after another; dots are idle banks.
exit status 0

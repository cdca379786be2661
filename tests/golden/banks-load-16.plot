lane/2*16
load of 16 bytes a lane, block 32, CC 5.0 and later, 32 banks

as it is
2 wavefronts, the least possible: no conflict (warp 0)
          bank
wavefront   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
 1 (0-15)   0+  0+  0+  0+  2+  2+  2+  2+  4+  4+  4+  4+  6+  6+  6+  6+
2 (16-27)  16+ 16+ 16+ 16+ 18+ 18+ 18+ 18+ 20+ 20+ 20+ 20+ 22+ 22+ 22+ 22+

          bank
wavefront  16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31
 1 (0-15)   8+  8+  8+  8+ 10+ 10+ 10+ 10+ 12+ 12+ 12+ 12+ 14+ 14+ 14+ 14+
2 (16-27)  24+ 24+ 24+ 24+ 26+ 26+ 26+ 26+  .   .   .   .   .   .   .   .

A number is a lane, in the bank that serves it; + others are served with it;
dots are idle banks; in brackets the lanes that are served together.
exit status 0

matmul-tiled on NVIDIA H200, CC 9.0
Occupancy by tile: 100 % at best
matmul-tiled: float, 1024 x 1024 x 1024; 32 registers; registers: given

ww warps   bb block slots
warps per SM                                                           occupancy
                  100             100                              100
   64 |.........wwwwww.....94....wwwwww...........................wwwwww.  100 %
      |         wwwwww   wwwwww  wwwwww    81      84             wwwwww
      |         wwwwww   wwwwww  wwwwww  wwwwww  wwwwww     78    wwwwww
   48 |.........wwwwww...wwwwww..wwwwww..wwwwww..wwwwww...wwwwww..wwwwww.   75 %
      |         wwwwww   wwwwww  wwwwww  wwwwww  wwwwww   wwwwww  wwwwww
      |   50    wwwwww   wwwwww  wwwwww  wwwwww  wwwwww   wwwwww  wwwwww
   32 |.bbbbbb..wwwwww...wwwwww..wwwwww..wwwwww..wwwwww...wwwwww..wwwwww.   50 %
      | bbbbbb  wwwwww   wwwwww  wwwwww  wwwwww  wwwwww   wwwwww  wwwwww
      | bbbbbb  wwwwww   wwwwww  wwwwww  wwwwww  wwwwww   wwwwww  wwwwww
   16 |.bbbbbb..wwwwww...wwwwww..wwwwww..wwwwww..wwwwww...wwwwww..wwwwww.   25 %
      | bbbbbb  wwwwww   wwwwww  wwwwww  wwwwww  wwwwww   wwwwww  wwwwww
      | bbbbbb  wwwwww   wwwwww  wwwwww  wwwwww  wwwwww   wwwwww  wwwwww
    0 +-------------------------------------------------------------------   0 %
           4       8       12      16      20      24       28      32
                                 tile (elements)

exit status 0

matmul-tiled on NVIDIA H200, CC 9.0
Occupancy by tile: 100 % at best
matmul-tiled: float, 1024 x 1024 x 1024; 32 registers; registers: given

ww warps   rr registers   bb block slots
warps per SM                                                           occupancy
                  100             100                              100
   64 |.........bwrbwr.....94....wrwrwr...........................rwrwrw.  100 %
      |         wrbwrb   rwrwrw  rwrwrw    81      84             wrwrwr
      |         rbwrbw   wrwrwr  wrwrwr  wrwrwr  wrwrwr     78    rwrwrw
   48 |.........bwrbwr...rwrwrw..rwrwrw..rwrwrw..rwrwrw...wrwrwr..wrwrwr.   75 %
      |         wrbwrb   wrwrwr  wrwrwr  wrwrwr  wrwrwr   rwrwrw  rwrwrw
      |   50    rbwrbw   rwrwrw  rwrwrw  rwrwrw  rwrwrw   wrwrwr  wrwrwr
   32 |.bbbbbb..bwrbwr...wrwrwr..wrwrwr..wrwrwr..wrwrwr...rwrwrw..rwrwrw.   50 %
      | bbbbbb  wrbwrb   rwrwrw  rwrwrw  rwrwrw  rwrwrw   wrwrwr  wrwrwr
      | bbbbbb  rbwrbw   wrwrwr  wrwrwr  wrwrwr  wrwrwr   rwrwrw  rwrwrw
   16 |.bbbbbb..bwrbwr...rwrwrw..rwrwrw..rwrwrw..rwrwrw...wrwrwr..wrwrwr.   25 %
      | bbbbbb  wrbwrb   wrwrwr  wrwrwr  wrwrwr  wrwrwr   rwrwrw  rwrwrw
      | bbbbbb  rbwrbw   rwrwrw  rwrwrw  rwrwrw  rwrwrw   wrwrwr  wrwrwr
    0 +-------------------------------------------------------------------   0 %
           4       8       12      16      20      24       28      32
                                 tile (elements)

exit status 0

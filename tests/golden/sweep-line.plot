Your kernel on compute capability 8.0
Occupancy by registers per thread: 100 % at best
your own kernel: 256 threads

ww warps   rr registers
warps per SM                                                           occupancy
   64 |wwwwwwww..........................................................  100 %
      |wwwwwwww
      |wwwwwwww
   48 |wwwwwwwwrr........................................................   75 %
      |wwwwwwwwrrrr
      |wwwwwwwwrrrr
   32 |wwwwwwwwrrrrrrrrr.................................................   50 %
      |wwwwwwwwrrrrrrrrrrrrr
      |wwwwwwwwrrrrrrrrrrrrr
   16 |wwwwwwwwrrrrrrrrrrrrrrrrrrrrrrrrr.................................   25 %
      |wwwwwwwwrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr
      |w warps rrrrrrrrrrrrrrrrrrrrrrrr registers rrrrrrrrrrrrrrrrrrrrrrr
    0 +-------------------------------------------------------------------   0 %
              32      64       96      128     160     192     224
                              registers per thread

exit status 0

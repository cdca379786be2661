Your kernel on compute capability 8.0
Occupancy by registers per thread: 100 % at best
your own kernel: 256 threads

ww warps   rr registers
warps per SM                                                           occupancy
   64 |wwwwwwrw..........................................................  100 %
      |wwwwwwwr
      |wwwwwwrw
   48 |wwwwwwwrrr........................................................   75 %
      |wwwwwwrwrrrr
      |wwwwwwwrrrrr
   32 |wwwwwwrwrrrrrrrrr.................................................   50 %
      |wwwwwwwrrrrrrrrrrrrrr
      |wwwwwwrwrrrrrrrrrrrrr
   16 |wwwwwwwrrrrrrrrrrrrrrrrrrrrrrrrrr.................................   25 %
      |wwwwwwrwrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr
      |wwwwwwwrrrrrrrrrrrrrrrrrrrrrrrrr registers rrrrrrrrrrrrrrrrrrrrrrr
    0 +-------------------------------------------------------------------   0 %
              32      64       96      128     160     192     224
                              registers per thread

exit status 0

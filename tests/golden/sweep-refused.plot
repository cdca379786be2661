Your kernel on compute capability 7.5
cannot launch: a block of 2000 threads; this device allows 1024; and 81920
registers per block; this device has 65536
2000 threads per block, 40 registers per thread, 0 B static shared memory

Areas: the limits that bind there, all else as it is.
// cannot launch   ww warps   rr registers   bb block slots
O the present launch

Block size                                        the device allows 1024 threads
warps per SM                                  2000 threads: no launch  occupancy
   32 |..wbwwwwwww..ww.ww........www........................rwrwrw//////:  100 %
      |  bwwwwwwwwwwwwwww    wwwwwww                 rwrwrwrwrwrwr//////:
   24 |..wbwwwwwwwwwwwwwwwwwwwwwwwww.........wwwwwwwrwrwrwrwrwrwrw//////:   75 %
      |  bwwwwwwwwwwwwwwwwwwwwwwwwww  wwwwwwwwwwwwwrwrwrwrwrwrwrwr//////:
   16 |bbwbwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwrwrwrwrwrwrwrw//////:   50 %
      |bbbwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwrwrwrwrwrwrwrwr//////:
    8 |bbwbwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwrwrwrwrwrwrwrw//////:   25 %
      |bbbwwwwwwwwwwwwwwwww warps wwwwwwwwwwwwwwwwwrwrwrwrwrwrwrwr//////O
    0 +-------------------------------------------------------------------   0 %
       0            256            512            768           1024
                                threads per block

Registers
warps per SM  40 registers: no launch                                  occupancy
   32 |//////////:///////////////////////////////////////////////////////  100 %
      |//////////:///////////////////////////////////////////////////////
   24 |//////////:///////////////////////////////////////////////////////   75 %
      |//////////:///////////////////////////////////////////////////////
   16 |//////////:///////////////////////////////////////////////////////   50 %
      |//////////:///////////////////////////////////////////////////////
    8 |//////////:///////////////////////////////////////////////////////   25 %
      |//////////O/////////////// cannot launch /////////////////////////
    0 +-------------------------------------------------------------------   0 %
       0      32       64      96      128     160     192     224
                              registers per thread

Shared memory
warps per SM  0 bytes: no launch                                       occupancy
   32 |://///////////////////////////////////////////////////////////////  100 %
      |://///////////////////////////////////////////////////////////////
   24 |://///////////////////////////////////////////////////////////////   75 %
      |://///////////////////////////////////////////////////////////////
   16 |://///////////////////////////////////////////////////////////////   50 %
      |://///////////////////////////////////////////////////////////////
    8 |://///////////////////////////////////////////////////////////////   25 %
      |O///////////////////////// cannot launch /////////////////////////
    0 +-------------------------------------------------------------------   0 %
       0      8K      16K     24K      32K     40K     48K     56K      64K
         bytes of shared memory per block, static and dynamic (K = 1024)

exit status 0

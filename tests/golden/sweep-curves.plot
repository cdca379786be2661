Your kernel on compute capability 8.9
4 blocks per SM, occupancy 25 % (12 of 48 warps), limited by shared memory
96 threads per block, 40 registers per thread, 3000 B static and 20480 B dynamic
shared memory

Areas: the first limit that binds there, all else as it is.
ww warps   rr registers   ss shared memory   O the present launch

Block size                                                        no cliff above
warps per SM  96 threads: 25 %                                         occupancy
   48 |......:................ww....wwww............wwww.................  100 %
      |      :            wwwwwwwwwwwwww      wwwwwwwwww
   36 |......:.........ssswwwwwwwwwwwwwwwwwwwwwwwwwwwwww.................   75 %
      |      :     ssssssswwwwwwwwwwwwwwwwwwwwwwwwwwwwww     wwwwwwwwwwww
   24 |......:...ssssssssswwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww   50 %
      |      :sssssssssssswwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww
   12 |....ssOsssssssssssswwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww   25 %
      |sss shared memory swwwwwwwwwwwwwwwwwwww warps wwwwwwwwwwwwwwwwwwww
    0 +-------------------------------------------------------------------   0 %
       0      128     256     384      512     640     768     896     1024
                                threads per block

Registers                            next cliff: more than 168 registers, 12.5 %
warps per SM  40 registers: 25 %                                       occupancy
   48 |..........:.......................................................  100 %
      |          :
   36 |..........:.......................................................   75 %
      |          :
   24 |..........:.......................................................   50 %
      |          :
   12 |ssssssssssOssssssssssssssssssssssrrrrrrrrrr.......................   25 %
      |sssssssss shared memory sssssssssrrrrrrrrrrr registers rrrrrrrrrrr
    0 +-------------------------------------------------------------------   0 %
       0      32       64      96      128     160     192     224
                              registers per thread

Shared memory                          next cliff: more than 24576 bytes, 18.8 %
warps per SM  23480 bytes: 25 %                                        occupancy
   48 |wwws...........:..................................................  100 %
      |wwws           :
   36 |wwwss..........:..................................................   75 %
      |wwwssss        :
   24 |wwwssssss......:..................................................   50 %
      |wwwssssssssss  :
   12 |wwwssssssssssssOsssss.............................................   25 %
      |wwwssssssss shared memory ssssssssssssssssssssssssssssssssssssssss
    0 +-------------------------------------------------------------------   0 %
       0        16K        32K        48K       64K        80K        96K
         bytes of shared memory per block, static and dynamic (K = 1024)

exit status 0

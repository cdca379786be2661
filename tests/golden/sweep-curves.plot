Your kernel on compute capability 8.9
4 blocks per SM, occupancy 25 % (12 of 48 warps), limited by shared memory
96 threads per block, 40 registers per thread, 3000 B static and 20480 B dynamic
shared memory

Areas: the limits that bind there, all else as it is.
ww warps   rr registers   ss shared memory   O the present launch

Block size                                                        no cliff above
warps per SM  96 threads: 25 %                                         occupancy
   48 |......:................rs....wrwr............wrwr.................  100 %
      |      :            rswrswrwrwrwrw      rwrwrwrwrw
   36 |......:.........sssswrswrwrwrwrwrwrwrwrwrwrwrwrwr.................   75 %
      |      :     ssssssswrswrsrwrwrwrwrwrwrwrwrwrwrwrw     wrwrwrwrwrwr
   24 |......:...sssssssssrswrswwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrw   50 %
      |      :ssssssssssssswrswrrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwr
   12 |....ssOsssssssssssswrswrswrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrwrw   25 %
      |sss shared memory srswrswrwrwrwrwrw warps and registers wrwrwrwrwr
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
   12 |ssssssssssOssssssssssssssssssssssrsrsrsrsrs.......................   25 %
      |sssssssss shared memory ssssssssssrsrsrsrsrrrrrrr registers rrrrrr
    0 +-------------------------------------------------------------------   0 %
       0      32       64      96      128     160     192     224
                              registers per thread

Shared memory                          next cliff: more than 24576 bytes, 18.8 %
warps per SM  23480 bytes: 25 %                                        occupancy
   48 |rwrs...........:..................................................  100 %
      |wrws           :
   36 |rwrss..........:..................................................   75 %
      |wrwssss        :
   24 |rwrssssss......:..................................................   50 %
      |wrwssssssssss  :
   12 |rwrssssssssssssOsssss.............................................   25 %
      |wrwssssssss shared memory ssssssssssssssssssssssssssssssssssssssss
    0 +-------------------------------------------------------------------   0 %
       0        16K        32K        48K       64K        80K        96K
         bytes of shared memory per block, static and dynamic (K = 1024)

exit status 0

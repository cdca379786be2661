Your kernel on 3 devices
Occupancy by device: 100 % at best
your own kernel: 256 threads, 40 registers

ww warps   rr registers
occupancy   0 %           25 %           50 %           75 %           100 %
CC 1.0        cannot launch
CC 7.5       wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww 100 %
NVIDIA H200  rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr 75 %
exit status 0

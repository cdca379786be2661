course.json on NVIDIA H200
Occupancy 66.7 % on average over the time
2 kernels, 2 configurations, 3 launches, 3.00 ms; recorded by a Chrome trace

rr registers 66.7 %  ## full occupancy 33.3 %

Kernels                                                dashed: 66.7 % on average
occupancy
100 % |                                               ####### 2 full #######
      |                                               ######################
      |                                               ######################
      |                                               ######################
      | - - - - - - - - - - - - - - - - - - - - - - - ######################
      |                    1 half                     ######################
 50 % |rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr ######################
      |rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr ######################
      |rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr ######################
      |rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr ######################
      |rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr ######################
  0 % |rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr ######################
      +-----------------------------------------------------------------------
      0 %                               50 %                              100 %
                  share of the GPU's time, the longest kernel first

    kernel                   share     time  launches  occup.  limited by
  1 half                    66.7 %  2.00 ms         2    50 %  registers
  2 full                    33.3 %  1.00 ms         1   100 %  full occupancy

Course                                                      busy 75 % of 4.00 ms
busy   @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@=                 %@@@@@@@@@@@@@@@@@
occupancy; idle time counts as empty
100 % |#################
      |#################r
      |##################
      |##################
 50 % |##################rrrrrrrrrrrrrrrrr                   rrrrrrrrrrrrrrrrr
      |##################rrrrrrrrrrrrrrrrr                  rrrrrrrrrrrrrrrrrr
      |##################rrrrrrrrrrrrrrrrrr                 rrrrrrrrrrrrrrrrrr
  0 % |##################rrrrrrrrrrrrrrrrrr                 rrrrrrrrrrrrrrrrrr
      +------------------------------------------------------------------------
       0               1 ms              2 ms             3 ms              4 ms
                             time since the first launch

exit status 0

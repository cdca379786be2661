step.json on 2 GPUs
Occupancy 19.8 % on average over the time; 15.4 % with small grids and last
waves
5 kernels, 11 configurations, 47009 launches, 4.06 s; recorded by CUPTI, in the
process

rr registers 94.3 %  gg small grid 3.4 %  ?? unknown 2.2 %
## full occupancy 0 %  .. left empty by small grids and last waves

Kernels                                                dashed: 19.8 % on average
occupancy
100 % |                                                                  ..?4
      |                                                                  ..??
      |                                                                  ..??
      |                                                                  ..??
      |                                                              2   ..??
      |                                                           ...... ..??
 50 % |                                                           rrrrrr ..??
      |                                                           rrrrrr ..??
      |                                                           rrrrrr ..??
      | - - - - - - - - - - - 1 Kernel2<..> - - - - - - - - - - - rrrrrr-..??
      |.......................................................... rrrrrr ..??
  0 % |rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr rrrrrr ..??
      +-----------------------------------------------------------------------
      0 %                               50 %                              100 %
                  share of the GPU's time, the longest kernel first

    kernel                   share     time  launches  occup.  limited by
  1 Kernel2<..>             84.5 %   3.43 s      1296  12.5 %  registers +1
  2 vectorized_layer_norm_… 10.1 %   410 ms       600  56.3 %  registers
  3 scale_kernel<float>      3.1 %   127 ms     45100   100 %  small grid +1
  4 ncclDevKernel_AllReduce  2.2 %  90.0 ms         1       -  unknown
  5 softmax                    0 % 0.600 ms        12   100 %  full occupancy

Course                                                      busy 50 % of 3.00 us
busy   %%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%
occupancy; idle time counts as empty
100 % |
      |
      |
      |
 50 % |.......................................................................
      |#######################################################################
      |#######################################################################
  0 % |#######################################################################
      +------------------------------------------------------------------------
       0                     1 us                   2 us                    3 us
                             time since the first launch

exit status 0

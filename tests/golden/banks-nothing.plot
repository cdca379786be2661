lane*2*4
load of 4 bytes a lane, block 32, CC 5.0 and later, 32 banks

as it is
no lane is active (warp 0)
A number is a lane, in the bank that serves it.
exit status 0

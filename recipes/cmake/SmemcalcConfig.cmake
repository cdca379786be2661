# find_package(Smemcalc) sets Smemcalc_EXECUTABLE and defines the function smemcalc_gate.
find_program(Smemcalc_EXECUTABLE smemcalc HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin"
             DOC "the CUDA occupancy calculator")
if(NOT Smemcalc_EXECUTABLE)
    set(Smemcalc_FOUND FALSE)
    set(Smemcalc_NOT_FOUND_MESSAGE "the program smemcalc was not found")
    return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/SmemcalcGate.cmake")

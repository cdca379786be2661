# find_package(Smemcalc) defines the target Smemcalc::smemcalc, which is the library, and the function
# smemcalc_gate, and sets Smemcalc_EXECUTABLE. Without the library's development files there is no
# target.
get_filename_component(_smemcalc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(Smemcalc_EXECUTABLE smemcalc HINTS "${_smemcalc_prefix}/bin"
             DOC "the CUDA occupancy calculator")
find_path(Smemcalc_INCLUDE_DIR smemcalc.h HINTS "${_smemcalc_prefix}/include"
          DOC "the folder of smemcalc.h")
find_library(Smemcalc_LIBRARY smemcalc HINTS "${_smemcalc_prefix}"
             PATH_SUFFIXES "lib/${CMAKE_LIBRARY_ARCHITECTURE}" lib64 lib DOC "libsmemcalc")
mark_as_advanced(Smemcalc_INCLUDE_DIR Smemcalc_LIBRARY)
if(NOT Smemcalc_EXECUTABLE AND NOT Smemcalc_LIBRARY)
    set(Smemcalc_FOUND FALSE)
    set(Smemcalc_NOT_FOUND_MESSAGE "neither the program smemcalc nor libsmemcalc was found")
    return()
endif()
if(Smemcalc_LIBRARY AND Smemcalc_INCLUDE_DIR AND NOT TARGET Smemcalc::smemcalc)
    add_library(Smemcalc::smemcalc UNKNOWN IMPORTED)
    set_target_properties(
        Smemcalc::smemcalc PROPERTIES IMPORTED_LOCATION "${Smemcalc_LIBRARY}"
                                      INTERFACE_INCLUDE_DIRECTORIES "${Smemcalc_INCLUDE_DIR}")
    if(Smemcalc_LIBRARY MATCHES "\\.a$")
        set_target_properties(Smemcalc::smemcalc PROPERTIES INTERFACE_LINK_LIBRARIES utf8proc)
    endif()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/SmemcalcGate.cmake")

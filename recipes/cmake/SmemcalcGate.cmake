# smemcalc_gate(TARGET [GATE file] [DEVICES name...] [OPTIONS option...] [REPORT file] [ALL])
#
# Checks the kernels of a target against a gate file: in the test smemcalc.TARGET if tests are
# enabled, and in the target TARGET_gate, which ALL adds to every build. GATE is by default
# smemcalc.toml in the target's source folder, or else in the project's. TARGET_gate writes REPORT,
# whose suffix determines the format: .sarif, .xml (JUnit), .md, .json or .csv.
#
# Machine code has no record of spills: for max_spill_bytes inspect the output of ptxas.
include_guard(GLOBAL)

if(NOT Smemcalc_EXECUTABLE)
    find_program(Smemcalc_EXECUTABLE smemcalc DOC "the CUDA occupancy calculator")
endif()

function(_smemcalc_find_gate target given result)
    get_target_property(folder ${target} SOURCE_DIR)
    if(given)
        get_filename_component(gate "${given}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    elseif(EXISTS "${folder}/smemcalc.toml")
        set(gate "${folder}/smemcalc.toml")
    else()
        set(gate "${PROJECT_SOURCE_DIR}/smemcalc.toml")
    endif()
    if(NOT EXISTS "${gate}")
        message(FATAL_ERROR "smemcalc_gate(${target}): gate file not found: ${gate}")
    endif()
    set(${result} "${gate}" PARENT_SCOPE)
endfunction()

function(_smemcalc_format report result)
    get_filename_component(ending "${report}" LAST_EXT)
    set(formats .sarif sarif .xml junit .md markdown .json json .csv csv)
    list(FIND formats "${ending}" at)
    if(at LESS 0)
        message(FATAL_ERROR "smemcalc_gate: REPORT ${report} does not end in .sarif, .xml, .md, "
                            ".json or .csv")
    endif()
    math(EXPR at "${at} + 1")
    list(GET formats ${at} format)
    set(${result} ${format} PARENT_SCOPE)
endfunction()

function(smemcalc_gate target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "ALL" "GATE;REPORT" "DEVICES;OPTIONS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "smemcalc_gate(${target}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT TARGET ${target})
        message(FATAL_ERROR "smemcalc_gate(${target}): unknown target")
    endif()
    if(NOT Smemcalc_EXECUTABLE)
        message(FATAL_ERROR "smemcalc_gate(${target}): the program smemcalc was not found")
    endif()
    _smemcalc_find_gate(${target} "${arg_GATE}" gate)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL OBJECT_LIBRARY)
        set(files "$<TARGET_OBJECTS:${target}>")
    else()
        set(files "$<TARGET_FILE:${target}>")
    endif()
    set(command "${Smemcalc_EXECUTABLE}" inspect "${files}" --gate "${gate}" ${arg_OPTIONS})
    foreach(device IN LISTS arg_DEVICES)
        list(APPEND command --device "${device}")
    endforeach()
    add_test(NAME smemcalc.${target} COMMAND ${command} COMMAND_EXPAND_LISTS)
    set(all)
    if(arg_ALL)
        set(all ALL)
    endif()
    set(into)
    if(arg_REPORT)
        _smemcalc_format("${arg_REPORT}" format)
        get_filename_component(report "${arg_REPORT}" ABSOLUTE BASE_DIR
                               "${CMAKE_CURRENT_BINARY_DIR}")
        list(APPEND command --format ${format})
        set(into sh -c "report=$1 && shift && exec \"$@\" >\"$report\"" sh "${report}")
    endif()
    add_custom_target(
        ${target}_gate ${all}
        COMMAND ${into} ${command}
        DEPENDS ${target} "${gate}"
        WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
        COMMENT "Checking the kernels of ${target}"
        COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

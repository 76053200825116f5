# Manual pages, made of what the programs' --help says.
find_program(HELP2MAN help2man)
if(NOT HELP2MAN)
    message(STATUS "help2man is missing: manual pages are left out")
    return()
endif()

set(programs tilescope)
if(TILESCOPE_GUI)
    list(APPEND programs tilescope-gui)
endif()
add_custom_command(OUTPUT man.stamp
    COMMAND ${CMAKE_COMMAND} "-DPROGRAMS=${programs}" -DHELP2MAN=${HELP2MAN} -DGZIP=${GZIP}
        -DVERSION=${PROJECT_VERSION} -DINCLUDES=${CMAKE_CURRENT_SOURCE_DIR}/man
        -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/man1 -P ${CMAKE_CURRENT_SOURCE_DIR}/man/pages.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_CURRENT_BINARY_DIR}/man.stamp
    # Called where the programs lie, so that a blank in the path does no harm.
    WORKING_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
    DEPENDS ${programs} man/pages.cmake man/tilescope.inc man/tilescope-gui.inc man/command.inc VERBATIM)
list(APPEND generated man.stamp)
install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})

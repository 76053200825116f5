# Script: a compressed manual page in OUTPUT for each of PROGRAMS (in the working directory) and for each command of
# a program, found in its --help, down to "tilescope op matmul".
cmake_minimum_required(VERSION 3.25)

# finish(FILE PAGE CALL): what help2man does not know: that "tilescope run" is described in tilescope-run(1), and the
# parser's way to write things.
function(finish file page call)
    file(READ ${file} text)
    string(TOUPPER "${page}" title)
    string(REGEX REPLACE "\n.TH [^ ]+" "\n.TH ${title}" text "${text}")
    # Ragged, as lists without blanks cannot be adjusted.
    string(REPLACE "\n.SH NAME\n${call} " "\n.ad l\n.SH NAME\n${page} " text "${text}")
    string(REPLACE "Subcommands:" "Commands:" text "${text}")
    string(REPLACE "Positionals:" "Arguments:" text "${text}")
    # "-h,--help" with both in bold.
    string(REGEX REPLACE [[\\fR,([-\a-z]+)]] [[\\fR, \\fB\1\\fR]] text "${text}")
    # A list of choices has no blanks: \: lets a line end after a bar.
    string(REGEX REPLACE "[|]([a-z0-9\\])" "|\\\\:\\1" text "${text}")
    file(WRITE ${file} "${text}")
endfunction()

# make_page(WORD...): the page of "./WORD ..." and those of its commands.
function(make_page)
    list(JOIN ARGN "-" page)
    list(JOIN ARGN " " call)
    execute_process(COMMAND ./${ARGN} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
    set(include ${INCLUDES}/command.inc)
    if(EXISTS ${INCLUDES}/${page}.inc)
        set(include ${INCLUDES}/${page}.inc)
    endif()
    # The help begins with what the command does; that of the window with how it is called.
    string(REGEX MATCH "^[^\n]+" summary "${help}")
    if(summary MATCHES "^Usage:")
        string(REGEX MATCH "\n\n([^\n]+)" ignored "${help}")
        set(summary "${CMAKE_MATCH_1}")
    endif()
    string(REGEX REPLACE "\\.$" "" summary "${summary}")
    # A page has all options, also where the help has only their topics.
    set(whole --help)
    if(help MATCHES "--help-all")
        set(whole --help-all)
    endif()
    execute_process(COMMAND ${HELP2MAN} --no-info --help-option=${whole} --locale=C.UTF-8 --source=TileScope "--name=${summary}"
            --version-string=${VERSION} --include=${include} --output=${OUTPUT}/${page}.1 "./${call}"
        COMMAND_ERROR_IS_FATAL ANY)
    finish(${OUTPUT}/${page}.1 ${page} "${call}")
    execute_process(COMMAND ${GZIP} -9nf ${OUTPUT}/${page}.1 COMMAND_ERROR_IS_FATAL ANY)

    string(REGEX MATCH "\nSubcommands:\n.*" commands "${help}")
    string(REGEX MATCHALL "\n  [a-z][a-z_-]*" commands "${commands}")
    foreach(command IN LISTS commands)
        string(STRIP "${command}" command)
        make_page(${ARGN} ${command})
    endforeach()
endfunction()

file(REMOVE_RECURSE ${OUTPUT})
file(MAKE_DIRECTORY ${OUTPUT})
foreach(program IN LISTS PROGRAMS)
    make_page(${program})
endforeach()

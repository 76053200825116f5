# The icon in the sizes that desktops without SVG ask for.
if(NOT TILESCOPE_GUI)
    return()
endif()
find_program(RSVG_CONVERT rsvg-convert)
if(NOT RSVG_CONVERT)
    message(STATUS "rsvg-convert is missing: the icon is installed as SVG only")
    return()
endif()

foreach(pixels 48 256)
    set(icon icon-${pixels}.png)
    set(source ${CMAKE_SOURCE_DIR}/resources/icons/tilescope.svg)
    add_custom_command(OUTPUT ${icon}
        COMMAND ${RSVG_CONVERT} --width=${pixels} --height=${pixels} --output=${icon} ${source}
        DEPENDS ${source} VERBATIM)
    list(APPEND generated ${icon})
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${icon} DESTINATION ${icons}/${pixels}x${pixels}/apps
        RENAME tilescope.png)
endforeach()

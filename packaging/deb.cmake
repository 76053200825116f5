# The Debian package: `cpack` in a build of the preset "deb" makes it; deb.sh does all of that.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilescope)
set(CPACK_PACKAGE_CONTACT "TileScope maintainers <maintainers@tilescope.invalid>")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler of memory and cycles on a simulated Graphcore IPU")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"TileScope compiles an ONNX model, or one of its built-in models, for an
IPU that it simulates, writes a profile, and shows where every byte and
cycle goes: memory of each tile, liveness, the program tree, the execution
trace, and two runs side by side. No IPU is needed.
.
The package has the command line program tilescope and the window
tilescope-gui.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Without any font a picture would have no text; libzip is loaded on demand; the rest is found by the linked libraries.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "fonts-dejavu-core, libzip4")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qt6-wayland, openssh-client")

# The Python packages are a package of their own, if they were built.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tilescope)
# The first line, the summary, is that of all packages.
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "${CPACK_DEBIAN_PACKAGE_DESCRIPTION}")
if(TARGET tilescope_python)
    list(APPEND CPACK_COMPONENTS_ALL python)
    # The module is of one version of the interpreter.
    math(EXPR next_minor "${TILESCOPE_PYTHON_MINOR} + 1")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tilescope)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
        "python3 (>= 3.${TILESCOPE_PYTHON_MINOR}~), python3 (<< 3.${next_minor}), python3-numpy, libzip4")
    # For poptorch, popart, and training over several instances; without them these say so.
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-torch, python3-onnx, python3-mpi4py, openmpi-bin")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "tilescope (= ${PROJECT_VERSION}), python3-pandas")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/debian/python/postinst
        ${CMAKE_CURRENT_SOURCE_DIR}/debian/python/prerm)
    set(CPACK_DEBIAN_PYTHON_DESCRIPTION "TileScope compiles a model for an IPU that it simulates and writes a profile.
This package has the modules tilescope (reports as pandas frames) and pva
(the object model of Graphcore's libpva), for scripts that read profiles, and
poptorch, popart, popdist and libpvti, with which PyTorch and PopART scripts for
the IPU run on the simulated one.")
endif()
include(CPack)

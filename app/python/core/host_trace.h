// Traces of programs on the host for Python.
#pragma once

#include "app/python/core/profile.h"

namespace tilescope::python {

/// Adds `host_trace(path)`.
void bindHostTrace(py::module_& module);

} // namespace tilescope::python

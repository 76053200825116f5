// Iterating over executed steps from Python.
#pragma once

#include "app/python/core/profile.h"
#include "core/trace/step_walk.h"

namespace tilescope::python {

/// Creates the objects of steps one at a time from batches.
class StepIterator {
public:
    /// The classes of steps and of IPUs are subclasses of _core.Step and _core.StepIpu; `owner` is
    /// the object that the steps belong to.
    StepIterator(const ProfileHandle& profile, std::int64_t first, std::int64_t end,
                 py::object owner, py::object stepClass, py::object ipuClass);

    /// Null after the last step.
    py::object next();

private:
    StepWalk walk_;
    std::int32_t ipus_;
    py::object owner_;
    py::object stepClass_;
    py::object ipuClass_;
    py::object batch_;
    std::size_t at_ = 0;
};

} // namespace tilescope::python

// The Python module's handle of a profile, and helpers shared by its parts.
#pragma once

#include <cstdint>
#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/table/unit.h"
#include "core/view/profile_view.h"

namespace tilescope::python {

namespace py = pybind11;

/// The class `tilescope._core.Profile`: each part of the file is read on first use.
class ProfileHandle {
public:
    explicit ProfileHandle(const std::string& file)
        : view_(std::make_shared<const ProfileView>(std::filesystem::path(file))) {}

    [[nodiscard]] const ProfileView& view() const { return *view_; }
    [[nodiscard]] const ProfileInfo& info() const { return view_->info(); }
    [[nodiscard]] std::int32_t tiles() const { return info().target.totalTiles(); }

    /// Returns `read(view)`; other Python threads can run meanwhile.
    template <class Read> auto load(Read read) const {
        const py::gil_scoped_release released;
        return read(*view_);
    }

private:
    ProfileViewPtr view_;
};

/// The class tilescope._core.ProfileError, into which UserError is translated.
extern PyObject* profileError;

using ProfileClass = py::class_<ProfileHandle>;

/// The item with an id; throws IndexError if the profile does not have it.
template <class IdType, class T>
const T& itemOf(const IdVector<IdType, T>& items, std::int64_t id, const char* what) {
    if (id < 0 || id >= static_cast<std::int64_t>(items.size()))
        throw py::index_error("there is no " + std::string(what) + " " + std::to_string(id));
    return items[IdType(static_cast<std::int32_t>(id))];
}

/// A cell or field: None, a number or a string; for a change both of its sides.
py::object valueOf(const Cell& cell);

/// A value for each tile.
py::array_t<std::int64_t> arrayOf(const TileSeries& series, std::int32_t tiles);
py::array_t<std::int64_t> arrayOf(const std::vector<std::int64_t>& values);
template <class Tag> py::array_t<std::int64_t> arrayOf(const std::vector<Id<Tag>>& ids) {
    py::array_t<std::int64_t> array(static_cast<py::ssize_t>(ids.size()));
    auto values = array.mutable_unchecked<1>();
    for (std::size_t i = 0; i < ids.size(); ++i)
        values(static_cast<py::ssize_t>(i)) = ids[i].value();
    return array;
}

/// The parts of the class, each in its own file.
void bindInfo(ProfileClass& profile);
void bindMemory(ProfileClass& profile);
void bindPrograms(ProfileClass& profile);
void bindVariables(ProfileClass& profile);
void bindOperations(ProfileClass& profile);
void bindReports(py::module_& module, ProfileClass& profile);
void bindSteps(py::module_& module, ProfileClass& profile);

} // namespace tilescope::python

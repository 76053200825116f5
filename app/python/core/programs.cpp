// Programs and the compute sets, exchanges and streams that they run.
#include <map>
#include <set>

#include "app/python/core/profile.h"

namespace tilescope::python {
namespace {

auto programsOf(const ProfileHandle& profile) {
    return profile.load([](const ProfileView& view) { return view.programs(); });
}
auto computeSetsOf(const ProfileHandle& profile) {
    return profile.load([](const ProfileView& view) { return view.computeSets(); });
}
auto exchangesOf(const ProfileHandle& profile) {
    return profile.load([](const ProfileView& view) { return view.exchanges(); });
}

py::tuple program(const ProfileHandle& profile, std::int64_t id) {
    const auto programs = programsOf(profile);
    const Program& of = itemOf(*programs, id, "program");
    py::list children;
    for (const ProgramId child : of.children)
        children.append(child.value());
    return py::make_tuple(std::string(of.kindText()), of.name, of.parent.value(), children,
                          of.count, of.target.value(), of.computeSet.value(), of.exchange.value(),
                          of.stream.value(), of.operation.value());
}

py::list roots(const std::vector<ProgramId>& ids) {
    py::list list;
    for (const ProgramId id : ids)
        list.append(id.value());
    return list;
}

/// Code of a program and everything below it, which excludes called functions.
py::array_t<std::int64_t> controlCode(const ProfileHandle& profile, std::int64_t id) {
    const auto programs = programsOf(profile);
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(profile.tiles()), 0);
    std::vector<const Program*> open{&itemOf(*programs, id, "program")};
    for (std::size_t visited = 0; !open.empty() && visited < programs->size(); ++visited) {
        const Program& of = *open.back();
        open.pop_back();
        of.controlCode.addTo(bytes);
        for (const ProgramId child : of.children)
            open.push_back(&itemOf(*programs, child.value(), "program"));
    }
    return arrayOf(bytes);
}

py::array_t<std::int64_t> programVariables(const ProfileHandle& profile, std::int64_t id) {
    const auto programs = programsOf(profile);
    const Program& of = itemOf(*programs, id, "program");
    std::set<VariableId> all(of.variablesRead.begin(), of.variablesRead.end());
    all.insert(of.variablesWritten.begin(), of.variablesWritten.end());
    return arrayOf(std::vector<VariableId>(all.begin(), all.end()));
}

/// Each vertex type with the bytes of state of one of its vertices: the rounded average, as
/// vertices with lists differ.
py::list vertexTypes(const ProfileHandle& profile) {
    const auto types = profile.load([](const ProfileView& view) { return view.vertexTypes(); });
    const auto sets = computeSetsOf(profile);
    std::vector<std::int64_t> counts(types->size(), 0);
    std::vector<std::int64_t> bytes(types->size(), 0);
    for (const ComputeSet& set : *sets)
        for (const VertexInstances& vertices : set.vertices) {
            counts.at(vertices.type.index()) += vertices.count.sum();
            bytes.at(vertices.type.index()) += vertices.stateBytes.sum();
        }
    py::list list;
    for (std::size_t i = 0; i < types->size(); ++i)
        list.append(py::make_tuple((*types)[VertexTypeId(i)].name,
                                   counts[i] > 0 ? (bytes[i] + counts[i] / 2) / counts[i] : 0));
    return list;
}

/// Vertex types with code on a tile.
py::list tileVertices(const ProfileHandle& profile, std::int32_t tile) {
    const auto types = profile.load([](const ProfileView& view) { return view.vertexTypes(); });
    py::list list;
    for (std::size_t i = 0; i < types->size(); ++i)
        if (const std::int64_t bytes = (*types)[VertexTypeId(i)].codeBytes.at(TileId(tile));
            bytes != 0)
            list.append(py::make_tuple(i, bytes));
    return list;
}

/// Each vertex type once, with the count and the bytes of state of its vertices on each tile.
py::list computeSetVertices(const ProfileHandle& profile, std::int64_t id) {
    const auto sets = computeSetsOf(profile);
    std::map<VertexTypeId, std::pair<TileSeries, TileSeries>> byType;
    for (const VertexInstances& vertices : itemOf(*sets, id, "compute set").vertices) {
        auto& [count, state] = byType[vertices.type];
        count += vertices.count;
        state += vertices.stateBytes;
    }
    py::list list;
    for (const auto& [type, of] : byType)
        list.append(py::make_tuple(type.value(), arrayOf(of.first, profile.tiles()),
                                   arrayOf(of.second, profile.tiles())));
    return list;
}

py::tuple computeSet(const ProfileHandle& profile, std::int64_t id) {
    const auto sets = computeSetsOf(profile);
    const ComputeSet& set = itemOf(*sets, id, "compute set");
    return py::make_tuple(set.name, set.operation.value());
}

py::array_t<std::int64_t> computeSetCycles(const ProfileHandle& profile, std::int64_t id) {
    const auto sets = computeSetsOf(profile);
    return arrayOf(itemOf(*sets, id, "compute set").cycles, profile.tiles());
}

py::tuple exchange(const ProfileHandle& profile, std::int64_t id) {
    const auto exchanges = exchangesOf(profile);
    const Exchange& of = itemOf(*exchanges, id, "exchange");
    return py::make_tuple(of.name, of.operation.value(), of.runBytes);
}

py::array_t<std::int64_t> exchangeSeries(const ProfileHandle& profile, std::int64_t id,
                                         const std::string& what) {
    static const std::map<std::string, TileSeries Exchange::*> fields{
        {"received", &Exchange::bytesReceived},
        {"sent", &Exchange::bytesSent},
        {"code", &Exchange::codeBytes},
        {"cycles", &Exchange::cycles}};
    const auto field = fields.find(what);
    if (field == fields.end())
        throw py::key_error("an exchange has 'received', 'sent', 'code' and 'cycles', not '" +
                            what + "'");
    const auto exchanges = exchangesOf(profile);
    return arrayOf(itemOf(*exchanges, id, "exchange").*(field->second), profile.tiles());
}

py::tuple stream(const ProfileHandle& profile, std::int64_t id) {
    const auto streams = profile.load([](const ProfileView& view) { return view.streams(); });
    const Stream& of = itemOf(*streams, id, "stream");
    return py::make_tuple(of.name, of.toDevice, arrayOf(of.bytes, profile.tiles()));
}

} // namespace

void bindPrograms(ProfileClass& profile) {
    profile
        .def(
            "program_count", [](const ProfileHandle& p) { return programsOf(p)->size(); },
            "Programs of the tree.")
        .def("program", program, py::arg("id"),
             "(kind, name, parent, children, count, called function, compute set, exchange, "
             "stream, operation) of a program; ids are -1 where there is none.")
        .def(
            "control_programs",
            [](const ProfileHandle& p) {
                return roots(*p.load([](const ProfileView& v) { return v.controlPrograms(); }));
            },
            "Ids of the control programs, in the order of their index.")
        .def(
            "functions",
            [](const ProfileHandle& p) {
                return roots(*p.load([](const ProfileView& v) { return v.functions(); }));
            },
            "Ids of the roots of functions.")
        .def("control_code", controlCode, py::arg("program"),
             "Bytes of control code of a program and its children, an array[tiles].")
        .def("program_variables", programVariables, py::arg("program"),
             "Ids of the variables that a program reads or writes itself, ascending.")
        .def(
            "compute_set_count", [](const ProfileHandle& p) { return computeSetsOf(p)->size(); },
            "Compute sets.")
        .def("compute_set", computeSet, py::arg("id"), "(name, operation) of a compute set.")
        .def("compute_set_cycles", computeSetCycles, py::arg("id"),
             "Estimated cycles of one execution, an array[tiles].")
        .def("compute_set_vertices", computeSetVertices, py::arg("id"),
             "(vertex type, array[tiles] of counts, array[tiles] of bytes of state) of each type.")
        .def("vertex_types", vertexTypes,
             "(name, bytes of state of one vertex, on average) of each vertex type.")
        .def("tile_vertices", tileVertices, py::arg("tile"),
             "(vertex type, bytes of code) of the types with code on a tile.")
        .def(
            "exchange_count", [](const ProfileHandle& p) { return exchangesOf(p)->size(); },
            "Exchanges inside an IPU.")
        .def("exchange", exchange, py::arg("id"), "(name, operation, bytes of a run) of one.")
        .def("exchange_series", exchangeSeries, py::arg("id"), py::arg("what"),
             "'received', 'sent' or 'code' bytes, or 'cycles', an array[tiles].")
        .def("stream", stream, py::arg("id"), "(name, to the device?, bytes: array[tiles]).");
}

} // namespace tilescope::python

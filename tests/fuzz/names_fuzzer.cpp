// Names and patterns of users: a small model with these names is compiled and runs, and every
// report is made of it; what is printed commands no terminal, tables of them keep their shape.
#include <boost/json.hpp>
#include <cstdlib>
#include <onnx/onnx_pb.h>
#include <sstream>

#include "app/cli/document.h"
#include "app/cli/report/report_json.h"
#include "core/base/error.h"
#include "core/base/pattern.h"
#include "core/base/suggest.h"
#include "core/report/report.h"
#include "core/store/profile_relations.h"
#include "core/store/profile_writer.h"
#include "simulator/frontend/import.h"
#include "simulator/simulate.h"
#include "tests/fuzz/scratch_file.h"

using namespace tilescope;

namespace {

void require(bool holds) {
    if (!holds)
        std::abort();
}

bool commandsNothing(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
        if (byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next >= 0x80 && next <= 0x9F))
            return false;
    }
    return true;
}

void printed(const std::string& name) {
    require(commandsNothing(printable(name)));
    Table table;
    table.columns = {{"name", "Name"}, {"value", "Value"}};
    table.add({name, std::int64_t{1}});
    std::ostringstream text;
    cli::writeText(text, table);
    std::ostringstream csv;
    writeCsv(csv, table);
    std::ostringstream json;
    cli::write(json, table, cli::Format::Json);
}

void addNode(onnx::GraphProto& graph, const char* type, const std::string& name,
             const std::vector<std::string>& inputs) {
    auto& node = *graph.add_node();
    node.set_op_type(type);
    node.set_name(name);
    for (const std::string& input : inputs)
        node.add_input(input);
    node.add_output(name + "y");
}

onnx::TypeProto shapeOf(std::initializer_list<std::int64_t> sizes) {
    onnx::TypeProto type;
    type.mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t size : sizes)
        type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(size);
    return type;
}

/// A product, an addition and a function, each named after the text.
onnx::ModelProto modelOf(const std::string& name) {
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name("g" + name);
    auto& input = *graph.add_input();
    input.set_name(name + "x");
    *input.mutable_type() = shapeOf({4, 8});
    auto& weight = *graph.add_initializer();
    weight.set_name(name + "w");
    weight.set_data_type(onnx::TensorProto::FLOAT);
    weight.add_dims(8);
    weight.add_dims(8);
    for (int i = 0; i < 64; ++i)
        weight.add_float_data(0.1F);
    addNode(graph, "MatMul", name, {name + "x", name + "w"});
    addNode(graph, "Transpose", name + "/t", {name + "w"});
    addNode(graph, "MatMul", name + "/2", {name + "y", name + "/ty"});
    addNode(graph, "Relu", name + "#", {name + "/2y"});
    auto& output = *graph.add_output();
    output.set_name(name + "#y");
    *output.mutable_type() = shapeOf({4, 8});
    return model;
}

void compiled(const std::string& name, bool training) {
    RunOptions options;
    constexpr std::int32_t tiles = 16;
    options.machine.target.tilesPerIpu = tiles;
    options.batch.mode = training ? "training" : "inference";
    sim::ImportOptions import;
    import.training = training;
    const Profile profile =
        sim::simulate(sim::importOnnx(modelOf(name), "named.onnx", import), options);
    checkRelations(profile);
    // Reports read files; the names come back from one as they were.
    static const fuzz::ScratchFile file("names.pop");
    writeProfile(profile, file.path());
    const ProfileView view(file.path());
    for (const Report& report : allReports()) {
        const ReportRequest request;
        static_cast<void>(makeReport(report, view, request));
        static_cast<void>(cli::reportJson(report, view, request));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string pattern = text.substr(0, text.find('\0'));
    printed(text);
    require(shortened(text).size() <= text.size() + 3);
    static_cast<void>(didYouMean(text, {"model", "batchSize", pattern}));
    try {
        static_cast<void>(Pattern(pattern).isIn(text));
    } catch (const UserError&) {
    }
    try {
        compiled(text, size % 4 == 0);
    } catch (const UserError&) {
    }
    return 0;
}

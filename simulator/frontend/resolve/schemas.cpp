#include "simulator/frontend/resolve/schemas.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <onnx/defs/operator_sets.h>
#include <string_view>
#include <utility>

namespace tilescope::sim {
namespace {

struct Made {
    std::string_view type;
    int since;
    onnx::OpSchema (*make)();
};

constexpr auto all = std::to_array<Made>({
#define TILESCOPE_SCHEMA(type, since)                                                              \
    {#type, since, onnx::GetOpSchema<onnx::ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME(Onnx, since, type)>},
#include "simulator/frontend/resolve/schemas.def"
#undef TILESCOPE_SCHEMA
});

/// The newest operator set that schemas.def knows: a later library may have more versions.
constexpr int newest = 17;

int newestOfLibrary() {
    return onnx::OpSchemaRegistry::DomainToVersionRange::Instance()
        .Map()
        .at(onnx::ONNX_DOMAIN)
        .second;
}

} // namespace

const onnx::OpSchema* Schemas::ownOf(const std::string& type, int opset) {
    if (opset > newest || newestOfLibrary() > newest)
        return nullptr;
    // Versions of an operator increase.
    const auto known = std::find_if(all.rbegin(), all.rend(), [&](const Made& one) {
        return one.type == type && one.since <= opset;
    });
    if (known == all.rend())
        return nullptr;
    const std::string name = fmt::format("{} {}", type, known->since);
    if (const auto found = made_.find(name); found != made_.end())
        return &found->second;
    onnx::OpSchema schema = known->make();
    schema.Finalize(); // as the registry does
    return &made_.emplace(name, std::move(schema)).first->second;
}

const onnx::OpSchema* Schemas::of(const std::string& type, int opset) {
    if (const onnx::OpSchema* own = ownOf(type, opset))
        return own;
    return onnx::OpSchemaRegistry::Schema(type, opset, onnx::ONNX_DOMAIN);
}

} // namespace tilescope::sim

#include "scopes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "simulator/cost/footprint.h"
#include "simulator/simulate.h"
#include "tests/support/scope_memory.h"

namespace tilescope::fidelity {
namespace {

constexpr std::array categories{"vertex state", "vertex code", "exchange code", "control code",
                                "variables"};
using Figures = std::array<double, categories.size()>;

std::vector<std::vector<std::string>> readTable(const std::string& file) {
    std::ifstream in(file);
    if (!in)
        throw UserError(fmt::format("'{}' cannot be read", file));
    std::vector<std::vector<std::string>> rows;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::vector<std::string> fields;
        std::istringstream words(line);
        for (std::string field; std::getline(words, field, ',');)
            fields.push_back(field);
        rows.push_back(std::move(fields));
    }
    return rows;
}

/// The five categories of a row, which begin at a column.
Figures figuresFrom(const std::vector<std::string>& row, std::size_t first) {
    Figures figures{};
    for (std::size_t i = 0; i < figures.size(); ++i)
        figures[i] = std::stod(row.at(first + i));
    return figures;
}

Figures medianOf(const std::vector<std::vector<std::string>>& rows, std::size_t first) {
    Figures medians{};
    for (std::size_t i = 0; i < medians.size(); ++i) {
        std::vector<double> values;
        for (const auto& row : rows)
            values.push_back(figuresFrom(row, first)[i]);
        std::sort(values.begin(), values.end());
        medians[i] = values[values.size() / 2];
    }
    return medians;
}

/// Code of a scope by itself: a profile has what codelets have in common with the first that uses
/// it on a tile, which may be another part's.
std::int64_t codeOf(const Profile& profile, const std::string& scope) {
    std::map<std::string, TileSeries> counts, common;
    std::map<std::string, std::int64_t> bytes;
    for (const ComputeSet& set : profile.computeSets) {
        if (!set.operation.valid() ||
            !test::isInScope(profile.operations[set.operation].name, scope))
            continue;
        for (const VertexInstances& use : set.vertices) {
            const std::string name(profile.vertexTypes[use.type].name);
            counts[name] += use.count;
            for (const sim::SharedCode& shared : sim::sharedCode(name)) {
                common[shared.name] += use.count;
                bytes[shared.name] = shared.bytes;
            }
        }
    }
    std::int64_t sum = 0;
    for (const auto& [name, count] : counts)
        sum += sim::codeletBytes(name) * count.tilesUsed();
    for (const auto& [name, count] : common)
        sum += bytes[name] * count.tilesUsed();
    return sum;
}

void print(const Profile& profile, const std::string& title, const std::string& scope,
           const Figures& published, std::ostream& out) {
    const test::ScopeMemory memory = test::scopeMemory(profile, scope);
    const std::array<std::int64_t, categories.size()> simulated{
        memory.vertexState, codeOf(profile, scope), memory.exchangeCode, memory.controlCode,
        memory.variables};
    for (std::size_t i = 0; i < categories.size(); ++i) {
        const std::string ratio =
            published[i] == 0
                ? "-"
                : fmt::format("{:.2f}", static_cast<double>(simulated[i]) / published[i]);
        fmt::print(out, "| {} | {} | {:.0f} | {} | {} |\n", title, categories[i], published[i],
                   simulated[i], ratio);
    }
}

/// Published names of operations and the scopes of the same operations in the built-in model.
struct Pair {
    const char* published;
    const char* scope;
};
constexpr std::array operations{
    Pair{"Layer0/Attention/MatMul", "Layer0/Attention/QKV"},
    Pair{"Layer0/Attention/Z/Softmax", "Layer0/Attention/Z/Softmax"},
    Pair{"Layer0/Attention/Z/Mask/Cast", "Layer0/Attention/Z/Mask/Cast"},
    Pair{"Layer0/Attention/Z/Mask/Sub", "Layer0/Attention/Z/Mask/Sub"}};

} // namespace

void compareBertLarge(const std::string& layersFile, const std::string& operationsFile,
                      std::ostream& out) {
    const auto layers = readTable(layersFile);
    const auto rows = readTable(operationsFile);
    // As published: SQuAD inference, 128 tokens, batch 1, all layers on one IPU; half partials and
    // attention without biases (graphcore/examples, applications/popart/bert:
    // squad_large_128_inf.json and the defaults of bert_model.py).
    RunOptions options;
    options.model.precision = Precision::Half;
    options.batch.batchSize = 1;
    options.outline.enabled = false; // the published rows list each layer's code
    options.planning.partialsType = Precision::Half;
    options.model.sizes = {{"head", "squad"}, {"sequenceLength", "128"}, {"attentionBias", "off"}};
    const Profile profile = sim::simulateModel("bert-large", options);
    fmt::print(out, "| part | category | published | simulated | ratio |\n|---|---|---|---|---|\n");
    print(profile, "layer (median of 1 to 18, here 5)", "Layer5", medianOf(layers, 1), out);
    for (const Pair& pair : operations) {
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& fields) {
            return fields.size() > 7 && fields[2] == pair.published;
        });
        if (row != rows.end())
            print(profile, pair.published, pair.scope, figuresFrom(*row, 3), out);
    }
    fmt::print(out, "\nfits: {}; largest tile {} B\n", profile.info.fits,
               std::max_element(profile.tileMemory.begin(), profile.tileMemory.end(),
                                [](const TileMemory& a, const TileMemory& b) {
                                    return a.includingGaps < b.includingGaps;
                                })
                   ->includingGaps);
}

} // namespace tilescope::fidelity

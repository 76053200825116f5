#include "core/export/flame_graph.h"

#include <algorithm>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <map>
#include <ostream>

namespace tilescope {
namespace {

std::string plain(std::string name) {
    for (char& c : name)
        if (c == ';')
            c = ',';
        else if (static_cast<unsigned char>(c) < ' ')
            c = ' ';
    return name;
}

std::string ipuName(IpuId ipu) {
    return fmt::format("IPU {}", std::max(0, ipu.value()));
}

/// An IPU's stacks as indices of the file's frames.
struct Samples {
    boost::json::array stacks;
    boost::json::array weights;
    std::int64_t total = 0;
};

} // namespace

void writeCollapsed(std::ostream& out, const std::vector<FlameStack>& stacks) {
    for (const FlameStack& stack : stacks) {
        out << ipuName(stack.ipu);
        for (const std::string& frame : stack.frames)
            out << ';' << plain(frame);
        out << ' ' << stack.weight << '\n';
    }
}

void writeSpeedscope(std::ostream& out, const std::string& name,
                     const std::vector<FlameStack>& stacks, FlameWeight weight) {
    boost::json::array frames;
    std::map<std::string, std::int64_t> known;
    std::map<IpuId, Samples> byIpu;
    for (const FlameStack& stack : stacks) {
        boost::json::array sample;
        for (const std::string& frame : stack.frames) {
            const auto [at, isNew] =
                known.try_emplace(frame, static_cast<std::int64_t>(known.size()));
            if (isNew)
                frames.push_back(boost::json::object{{"name", frame}});
            sample.push_back(at->second);
        }
        Samples& samples = byIpu[stack.ipu];
        samples.stacks.push_back(std::move(sample));
        samples.weights.push_back(stack.weight);
        samples.total += stack.weight;
    }
    const bool isBytes = weight == FlameWeight::Code || weight == FlameWeight::AlwaysLive;
    boost::json::array profiles;
    for (auto& [ipu, samples] : byIpu)
        profiles.push_back(boost::json::object{{"type", "sampled"},
                                               {"name", ipuName(ipu)},
                                               {"unit", isBytes ? "bytes" : "none"},
                                               {"startValue", 0},
                                               {"endValue", samples.total},
                                               {"samples", std::move(samples.stacks)},
                                               {"weights", std::move(samples.weights)}});
    const boost::json::object file{
        {"$schema", "https://www.speedscope.app/file-format-schema.json"},
        {"name", fmt::format("{}, {}", name, toString(weight))},
        {"shared", boost::json::object{{"frames", std::move(frames)}}},
        {"profiles", std::move(profiles)}};
    out << boost::json::serialize(file) << '\n';
}

} // namespace tilescope

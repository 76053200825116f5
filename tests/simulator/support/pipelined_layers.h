// A model of equal layers, and the options that make a stage of a pipeline of each.
#pragma once

#include <string>

#include "core/options/run_options.h"
#include "support/graph_builder.h"

namespace tilescope::test {

/// As many equal layers as stages, with the names s0, s1, ...
inline sim::Graph equalLayers(int count, std::int64_t rows, std::int64_t width) {
    GraphBuilder b;
    sim::TensorId x = b.input({rows, width});
    for (int i = 0; i < count; ++i) {
        const std::string scope = "s" + std::to_string(i);
        x = b.matMul(scope + "/fc", x, b.weight({width, width}));
        x = b.unary(scope + "/relu", sim::ElementwiseFunction::Relu, x);
    }
    return b.finish({x});
}

inline RunOptions pipelinedLayers(Schedule schedule, int stages, std::int64_t microBatches,
                                  bool training) {
    RunOptions options;
    options.machine.target.ipus = stages;
    options.machine.target.tilesPerIpu = 4;
    options.execution.scheme = Execution::Pipelined;
    options.execution.schedule = schedule;
    options.batch.mode = training ? "training" : "inference";
    (training ? options.batch.gradientAccumulation : options.batch.deviceIterations) = microBatches;
    for (int i = 1; i < stages; ++i)
        options.execution.split.push_back("s" + std::to_string(i));
    return options;
}

} // namespace tilescope::test

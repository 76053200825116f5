// Buffers that a model changes as it runs: state of the compiled model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace tilescope::python {

/// An initialiser that the model overwrites.
struct Buffer {
    std::string name;
    std::vector<std::int64_t> shape;
};

/// Takes the last outputs off the model, as many as there are `buffers`: each
/// micro-batch ends with these values in the buffers. Whoever reads a buffer reads what it was when
/// the micro-batch began, in the backward pass, too.
void updateState(onnx::ModelProto& model, const std::vector<Buffer>& buffers);

/// Batch normalisations are PyTorch's: running variances are those of samples, and what the module
/// has in evaluation mode keeps its statistics while the rest trains.
void markBatchNormalizations(onnx::ModelProto& model);

} // namespace tilescope::python

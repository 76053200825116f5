// Buffers that a model changes as it runs: state of the compiled model.
#pragma once

#include <string>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace tilescope::python {

/// Takes the last outputs off the model, as many as there are `buffers` (names of initialisers):
/// each micro-batch ends with these values in the buffers. Whoever reads a buffer reads what it was
/// when the micro-batch began, in the backward pass, too.
void updateState(onnx::ModelProto& model, const std::vector<std::string>& buffers);

/// Batch normalisations are PyTorch's: running variances are those of samples, and what the module
/// has in evaluation mode keeps its statistics while the rest trains.
void markBatchNormalizations(onnx::ModelProto& model);

} // namespace tilescope::python

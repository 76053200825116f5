// Buffers that a model changes while running: state of the compiled model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace tilescope::python {

/// An initialiser overwritten by the model.
struct Buffer {
    std::string name;
    std::vector<std::int64_t> shape;
};

/// Removes the last outputs of the model, as many as there are `buffers`, and stores their values
/// in the buffers at the end of each micro-batch. Readers of a buffer get its value at the start of
/// the micro-batch, also in the backward pass. Throws a UserError for a buffer that is read in one
/// stage or phase and changed in another one.
void updateState(onnx::ModelProto& model, const std::vector<Buffer>& buffers);

/// Makes batch normalisations follow PyTorch: running variances are sample variances, and those in
/// evaluation mode keep their statistics while the rest trains. Throws a UserError for statistics
/// that several stages update.
void markBatchNormalizations(onnx::ModelProto& model);

} // namespace tilescope::python

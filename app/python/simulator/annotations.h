// Annotations that a Python program makes on parts of its model, as found in the exported ONNX
// model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace tilescope::python {

/// Where a block runs; -1 where not specified.
struct BlockPlace {
    std::int64_t stage = -1, ipu = -1, phase = -1;
};

/// Begins the part of a node's scope that names its block by number: "/net/tilescope-block-3/conv".
/// Exporters include scopes of modules in the names of nodes; poptorch changes names of modules
/// that happen to have this form.
inline constexpr std::string_view blockMarker = "tilescope-block-";

/// Number of the operations before the first block.
inline constexpr std::int64_t beforeBlocks = -1;

/// Gives each node within a block PopART's attributes for its placement (the innermost block
/// counts), and removes the markers from all names. Stages are renumbered so that none is empty.
void placeBlocks(onnx::ModelProto& model, const std::map<std::int64_t, BlockPlace>& blocks);

/// Domain of nodes that only annotate their operand.
inline constexpr std::string_view noteDomain = "ai.tilescope";

/// Removes the nodes "Note" of noteDomain: the node that makes their operand gets an attribute
/// named `key` with `value` (a number) or `count` (a whole number). A memory proportion goes to the
/// nearest product or convolution before it.
void applyNotes(onnx::ModelProto& model);

/// The value that training minimises. There must be one loss operator on which no other loss
/// depends (ONNX's losses, PopART's Nll, L1 and IdentityLoss). As with PyTorch's backward(), the
/// trained value is a result of forward(): the one among the outputs `numbers` (of one number each)
/// that is the loss or is made from it with a gradient. If several are or none is, a loss marked by
/// the program itself is trained, and becomes an output of the model if it is not one. Throws
/// UserError if the choice is ambiguous.
std::string lossOf(onnx::ModelProto& model, const std::vector<int>& numbers);

} // namespace tilescope::python

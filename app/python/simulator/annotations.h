// What a Python program says about parts of its model, found again in the exported ONNX model.
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

/// Where a block runs; -1 where nothing is said.
struct BlockPlace {
    std::int64_t stage = -1, ipu = -1, phase = -1;
};

/// Begins the part of a node's scope that names its block by number: "/net/tilescope-block-3/conv".
/// Exporters take scopes of modules into the names of nodes; poptorch writes a module's own name of
/// this form in another way.
inline constexpr std::string_view blockMarker = "tilescope-block-";

/// Number of what comes before the first block.
inline constexpr std::int64_t beforeBlocks = -1;

/// Gives each node within a block PopART's attributes for where it runs (the innermost block
/// counts), and takes the markers out of all names again. Stages that no node belongs to are left
/// out: those after them get the numbers before.
void placeBlocks(onnx::ModelProto& model, const std::map<std::int64_t, BlockPlace>& blocks);

/// Domain of nodes that only say something about their operand.
inline constexpr std::string_view noteDomain = "ai.tilescope";

/// Takes out the nodes "Note" of noteDomain: their attribute `key` names what the node that makes
/// the operand gets as an attribute, `value` (a number) or `count` (a whole one). A share of memory
/// goes to the nearest product or convolution behind it.
void applyNotes(onnx::ModelProto& model);

/// The value that training makes small. There is one loss operator that no other loss reads from
/// (ONNX's losses, PopART's Nll, L1 and IdentityLoss). What is trained is what forward() returns of
/// it, as PyTorch's backward() would: the one of the outputs `numbers` (of one number each) that is
/// the loss or made from it with a gradient. A loss that the program has marked itself is trained
/// where several are or none is; it becomes an output of the model if it is none. Throws UserError
/// where that leaves it open.
std::string lossOf(onnx::ModelProto& model, const std::vector<int>& numbers);

} // namespace tilescope::python

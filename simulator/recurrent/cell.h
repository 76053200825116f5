// Recurrent cells as PopLibs computes them (popnn/Lstm.cpp, Gru.cpp, Rnn.cpp): what one step of the
// loop over time does, for models and for single layers alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

enum class CellKind : std::uint8_t { Lstm, Gru, Rnn };

/// A layer of one direction. Gates are in ONNX's order: input, output, forget and cell of an LSTM;
/// update, reset and hidden of a GRU.
struct RecurrentCell {
    CellKind kind = CellKind::Lstm;
    std::int64_t batch = 1, inputs = 1, units = 1;
    DataType type = DataType::Float;
    bool bias = true;
    /// The input is multiplied for all steps at once before the loop (PopLibs option
    /// preCalcWeights); else with the state, each step by itself.
    bool preWeighted = false;
    bool resetAfter = false; ///< of a GRU: the reset gate acts on the product with the state
    bool peepholes = false;  ///< of an LSTM: gates see the cell, too
    bool sequence = true;    ///< the states of all steps are kept, not only the last
    /// A second sequence [batch, 1] marks the steps in which a sample is running: in others its
    /// state stays, and its row is zeros.
    bool masked = false;
    double clip = 0; ///< bound of the activations' operands; 0: none
    /// Of the gates, of the candidate, and of an LSTM's output; none: the value itself.
    std::vector<std::optional<ElementwiseAttributes>> functions;
    TrainingPass pass = TrainingPass::None;
    std::string name; ///< prefix of the operations' names

    [[nodiscard]] std::int64_t gates() const {
        return kind == CellKind::Lstm ? 4 : (kind == CellKind::Gru ? 3 : 1);
    }
    [[nodiscard]] std::int32_t states() const { return kind == CellKind::Lstm ? 2 : 1; }
};

/// Weights of a cell: gates [firstGate, firstGate + gates) of a product, a bias or a peephole.
struct CellWeight {
    enum class Use : std::uint8_t { Product, InputBias, HiddenBias, Peephole };
    Use use = Use::Product;
    std::string name;
    Shape shape; ///< of a product: rows for its operand, columns for its gates
    bool ofInput = false, ofHidden = false;
    std::int64_t firstGate = 0, gates = 0;
    bool outside = false; ///< multiplies the input before the loop
};

/// The weights of a cell. All gates that take the same operand are one product, and input and state
/// are joined as its operand (popnn basicLstmUnitsNlInput), so that an LSTM has one. The reset gate
/// of a GRU makes two: of the gates, and of the candidate with the state that was reset.
std::vector<CellWeight> weightsOf(const RecurrentCell& cell);

/// One step as the function of a Loop (LoopAttributes): states hidden and, of an LSTM, cell; a row
/// of the input [batch, inputs], or of its products [gates, batch, units] if they come before the
/// loop; the mask's row; the weights that are not outside.
/// Its row is the new hidden state, if that is kept.
Graph stepOf(const RecurrentCell& cell);

/// The loop over `steps` of a cell whose step is function number `function`.
LoopAttributes loopOf(const RecurrentCell& cell, std::int32_t function, std::int64_t steps);

/// Gives the functions of loops the graph's properties of their operands: role and name of operands
/// that every step reads, so that a weight is stored as one; stage, IPUs and pass of the loop.
/// Before lowering.
void describeLoopBodies(Graph& graph);

} // namespace tilescope::sim

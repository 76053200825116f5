// Loops over the rows of sequences.
#pragma once

#include <optional>
#include <utility>

#include "simulator/lowering/places/context.h"

namespace tilescope::sim {

/// A Repeat of a function's operations (popnn::rnn::Rnn): a counter is incremented, the rows of
/// this step are cut out of the sequences (popops::dynamicSlice), the body runs, its rows are put
/// into the resulting sequences (popops::dynamicUpdate), and the new states are copied to where the
/// next step reads them. The body exists once, however many steps there are. Sequences are laid out
/// so that a row is on the same tiles in every step.
void lowerLoop(LoweringContext& context, const Op& op);

/// Where popnn puts a row [batch, size] of a sequence or a state: groups of up to 16 elements,
/// those of all samples of a group one after the other, over as many tiles as there are groups,
/// evenly apart (popnn/Rnn.cpp, createMultiDynamicSliceTensor). Several of them [n, batch, size]
/// are consecutive on the same tiles; other shapes are laid out linearly.
std::pair<Storage, ViewDims> recurrentPlace(const Shape& row, std::int64_t elementBytes,
                                            std::int32_t tiles);
/// The storage of [batch, size].
Storage recurrentStorage(const Shape& row, std::int64_t elementBytes, std::int32_t tiles);

/// The storage of a sequence whose rows lie as `row`: all steps on the tiles of one.
Storage sequenceStorage(const Storage& row, std::int64_t steps);

/// The view of a sequence whose row has this view.
ViewDims sequenceView(const ViewDims& row);

/// The same storage and view without atoms of one index.
std::pair<Storage, ViewDims> withoutUnitAtoms(Storage storage, ViewDims view);

/// The row of a sequence whose steps are not spread over tiles, and the view of it; none if they
/// are. `view` is that of the sequence.
std::optional<std::pair<Storage, ViewDims>> rowOfSequence(const Storage& sequence,
                                                          const ViewDims& view);

} // namespace tilescope::sim

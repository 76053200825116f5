// The vertices that multiply in a planned convolution.
#pragma once

#include <string>
#include <vector>

#include "simulator/lowering/operations/conv_pieces.h"
#include "simulator/lowering/program/builder.h"

namespace tilescope::sim {

/// One vertex per tile that has work. Keeps references to its arguments.
class ConvVertices {
public:
    /// `target`: the tiles that compute.
    ConvVertices(const Target& target, const ConvPlan& plan, const ConvPieces& pieces);

    [[nodiscard]] TileSeries cycles() const;
    /// Lists of offsets for each worker: their bytes, and a text of the grains and positions by
    /// tile that decide their content.
    [[nodiscard]] TileSeries worklistBytes() const;
    [[nodiscard]] std::string worklistContent() const;
    /// Memory that vertices of SLIC and VMAC have to themselves while they run, bytes; empty for
    /// the others.
    [[nodiscard]] TileSeries scratchBytes() const;
    /// On the tiles where `active` is not zero. Vertices of the AMP list the blocks of each channel
    /// group that they read and write; those with equally many are one entry.
    [[nodiscard]] std::vector<VertexUse> uses(const TileSeries& active) const;
    /// Where operands and partials have to lie (PopLibs poplin/codelets, the vertices'
    /// constraints): the units store two vectors of partials at once, in interleaved memory; of
    /// other vertices, what they access in one cycle is kept apart.
    void constrain(ProgramBuilder& builder, VariableId input, VariableId weights,
                   VariableId partials) const;

private:
    /// Values by tile, the first of which is the plan's first.
    [[nodiscard]] TileSeries fromFirstTile(const std::vector<std::int64_t>& values) const;
    /// Sizes with which each tile chooses between ConvPartial1x1Out and ConvPartialnx1.
    [[nodiscard]] ConvTileSizes withRows(const ConvTileSizes& sizes) const;
    [[nodiscard]] bool isOneByOne(const ConvTileSizes& sizes) const;
    [[nodiscard]] std::int64_t worklistBytesOf(const ConvTileSizes& sizes) const;
    [[nodiscard]] std::string name(bool oneByOne) const;

    const Target& target_;
    const ConvPlan& plan_;
    const ConvPieces& pieces_;
};

} // namespace tilescope::sim

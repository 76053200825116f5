// A plan's blockings: every tile finds just what its piece of the convolution reads.
#include <algorithm>
#include <map>
#include <set>

#include <QtTest>

#include "core/base/ceil_div.h"
#include "simulator/lowering/operations/conv_orders.h"
#include "simulator/lowering/operations/conv_pieces.h"
#include "simulator/lowering/operations/conv_regions.h"
#include "simulator/lowering/operations/conv_tiling.h"
#include "simulator/operations/operations.h"
#include "support/element_sets.h"
#include "support/holds.h"
#include "tests/support/test_main.h"

namespace conv_tiling_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

/// A plan with random splits: legal, not good.
ConvPlan anyPlan() {
    ConvPlan plan;
    ConvProblem& p = plan.problem;
    p.groups = anyFrom(1, 3);
    p.batch = anyFrom(1, 3);
    p.inChans = anyFrom(1, 9);
    p.outChans = anyFrom(1, 9);
    for (std::int64_t d = anyFrom(1, 2); d > 0; --d) {
        FieldDim dim;
        dim.kernel = anyFrom(1, 3);
        dim.stride = anyFrom(1, 2);
        dim.dilation = anyFrom(1, 2);
        dim.padBegin = anyFrom(0, dim.kernel - 1);
        dim.out = anyFrom(1, 5);
        dim.in = std::max<std::int64_t>(
            1, (dim.out - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1 - 2 * dim.padBegin);
        p.field.push_back(dim);
        plan.splits.field.push_back(anyFrom(1, dim.out));
        plan.splits.kernel.push_back(anyFrom(1, dim.kernel));
    }
    plan.grains.inChans = anyFrom(1, 4);
    plan.grains.outChans = anyFrom(1, 4);
    plan.splits.groups = anyFrom(1, p.groups);
    plan.splits.batch = anyFrom(1, p.batch);
    plan.splits.inChans = anyFrom(1, ceilDiv(p.inChans, plan.grains.inChans));
    plan.splits.outChans = anyFrom(1, ceilDiv(p.outChans, plan.grains.outChans));
    return plan;
}

/// Atoms 0.. of an operand, one for each dimension.
struct Named {
    ConvAtoms atoms;
    std::vector<std::int64_t> sizes;

    std::vector<int> next(std::int64_t size) {
        sizes.push_back(size);
        return {static_cast<int>(sizes.size()) - 1};
    }
};

Named inputOf(const ConvProblem& p) {
    Named n;
    n.atoms.groups = n.next(p.groups);
    n.atoms.batch = n.next(p.batch);
    n.atoms.inChans = n.next(p.inChans);
    for (const FieldDim& dim : p.field)
        n.atoms.field.push_back(n.next(dim.in));
    return n;
}

Named weightsOf(const ConvProblem& p) {
    Named n;
    n.atoms.groups = n.next(p.groups);
    n.atoms.outChans = n.next(p.outChans);
    n.atoms.inChans = n.next(p.inChans);
    for (const FieldDim& dim : p.field)
        n.atoms.kernel.push_back(n.next(dim.kernel));
    return n;
}

Named outputOf(const ConvProblem& p) {
    Named n;
    n.atoms.groups = n.next(p.groups);
    n.atoms.batch = n.next(p.batch);
    n.atoms.outChans = n.next(p.outChans);
    for (const FieldDim& dim : p.field)
        n.atoms.field.push_back(n.next(dim.out));
    return n;
}

std::int64_t at(const Element& element, const std::vector<int>& atom) {
    return element[static_cast<std::size_t>(atom[0])];
}

ElementSet all(const std::vector<std::int64_t>& sizes) {
    const std::vector<Element> elements = allElements(sizes);
    return {elements.begin(), elements.end()};
}

/// The elements that each tile has of blocks that tiles share, spelled out: these follow each other
/// in the storage's order, in the order of the tiles or in the opposite one.
std::map<std::int32_t, ElementSet> ownElements(const Storage& storage) {
    std::map<std::int64_t, Element> byIndex;
    std::vector<int> identity;
    for (std::size_t atom = 0; atom < storage.atomSizes.size(); ++atom)
        identity.push_back(static_cast<int>(atom));
    for (const Element& element : allElements(storage.atomSizes))
        byIndex[flatIndex(element, identity, storage.atomSizes)] = element;
    std::map<ElementSet, std::vector<std::int32_t>> sharers;
    for (const auto& [tile, block] : elementsByTile(storage.layout.blocking, storage.atomSizes))
        sharers[block].push_back(tile);
    const TileSeries shares = storage.layout.blocking.elements();
    const std::vector<std::int64_t> sequence = enumerate(storage.layout.order, storage, identity);
    std::map<std::int32_t, ElementSet> own;
    for (auto& [block, tiles] : sharers) {
        if (storage.layout.blocking.sharing.fromLast)
            std::reverse(tiles.begin(), tiles.end());
        auto next = sequence.begin();
        for (const std::int32_t tile : tiles)
            for (ElementSet& mine = own[tile];
                 static_cast<std::int64_t>(mine.size()) < shares.at(TileId(tile)); ++next)
                if (block.contains(byIndex.at(*next)))
                    mine.insert(byIndex.at(*next));
    }
    return own;
}

/// Counts what tiles have of the regions that they need, element by element, and compares.
void compareRegions(const Storage& storage, const Blocking& needed,
                    const std::vector<RegionDim>& regions) {
    const TileSeries found = wholeRegions(storage, needed, storage.layout.order, regions);
    const bool padded = std::any_of(regions.begin(), regions.end(), [&](const RegionDim& region) {
        return storage.atomSizes[static_cast<std::size_t>(region.atoms[0])] % region.grain != 0;
    });
    if (padded) { // a vertex does not read past the last channel
        RC_ASSERT(found.sum() == 0);
        return;
    }
    const auto own = ownElements(storage);
    const bool isNeeded = elementsByTile(storage.layout.blocking, storage.atomSizes) ==
                          elementsByTile(needed, storage.atomSizes);
    for (const auto& [tile, read] : elementsByTile(needed, storage.atomSizes)) {
        std::map<std::vector<std::int64_t>, std::vector<Element>> byRegion;
        for (const Element& element : read) {
            std::vector<std::int64_t> key;
            for (const RegionDim& region : regions)
                key.push_back(at(element, region.atoms) / region.grain);
            byRegion[key].push_back(element);
        }
        std::int64_t whole = 0;
        for (const auto& [key, elements] : byRegion) {
            const auto mine = own.find(tile);
            const bool has = mine != own.end() &&
                             std::all_of(elements.begin(), elements.end(), [&](const Element& e) {
                                 return mine->second.contains(e);
                             });
            whole += has ? static_cast<std::int64_t>(elements.size()) : 0;
        }
        const bool shared = storage.layout.blocking.copyCount() > 1;
        RC_ASSERT(found.at(TileId(tile)) == (isNeeded && shared ? whole : 0));
    }
}

} // namespace

class ConvTilingTest : public QObject {
    Q_OBJECT

private slots:
    /// Every output with every weight that makes it is worked on by exactly one tile, which has the
    /// input element that the two multiply.
    void eachProductOnce() {
        QVERIFY(holds("products", 150, [] {
            const ConvPlan plan = anyPlan();
            const ConvProblem& p = plan.problem;
            const ConvTiling tiling(plan);
            const Named in = inputOf(p), weights = weightsOf(p), out = outputOf(p);
            const auto inputs = elementsByTile(tiling.inputNeed(in.atoms), in.sizes);
            const auto filters = elementsByTile(tiling.weightsNeed(weights.atoms), weights.sizes);
            Blocking outputs = tiling.outputStorage(out.atoms, 1, true);
            outputs.copiesShare = false;
            const auto results = elementsByTile(outputs, out.sizes);
            RC_ASSERT(static_cast<std::int32_t>(results.size()) == tiling.tiles());
            std::set<std::pair<Element, Element>> products;
            for (const auto& [tile, made] : results)
                for (const Element& o : made)
                    for (const Element& w : filters.at(tile)) {
                        if (at(o, out.atoms.groups) != at(w, weights.atoms.groups) ||
                            at(o, out.atoms.outChans) != at(w, weights.atoms.outChans))
                            continue;
                        RC_ASSERT(products.emplace(o, w).second);
                        Element i(in.sizes.size());
                        bool padding = false;
                        const auto set = [&](const std::vector<int>& atom, std::int64_t value) {
                            i[static_cast<std::size_t>(atom[0])] = value;
                        };
                        set(in.atoms.groups, at(o, out.atoms.groups));
                        set(in.atoms.batch, at(o, out.atoms.batch));
                        set(in.atoms.inChans, at(w, weights.atoms.inChans));
                        for (std::size_t d = 0; d < p.field.size(); ++d) {
                            const FieldDim& dim = p.field[d];
                            const std::int64_t index =
                                at(o, out.atoms.field[d]) * dim.stride +
                                at(w, weights.atoms.kernel[d]) * dim.dilation - dim.padBegin;
                            padding = padding || index < 0 || index >= dim.in;
                            set(in.atoms.field[d], index);
                        }
                        RC_ASSERT(padding || inputs.at(tile).contains(i));
                    }
            std::size_t macs = 1;
            for (const std::int64_t size : {p.groups, p.batch, p.inChans, p.outChans})
                macs *= static_cast<std::size_t>(size);
            for (const FieldDim& dim : p.field)
                macs *= static_cast<std::size_t>(dim.out * dim.kernel);
            RC_ASSERT(products.size() == macs);
        }));
    }

    void storagesHoldEverythingOnce() {
        QVERIFY(holds("storages", 150, [] {
            const ConvPlan plan = anyPlan();
            const ConvTiling tiling(plan);
            const std::int64_t grain = anyFrom(1, 4);
            const Named in = inputOf(plan.problem), weights = weightsOf(plan.problem),
                        out = outputOf(plan.problem);
            const auto check = [](const Blocking& storage, const std::vector<std::int64_t>& sizes) {
                ElementSet covered;
                for (const auto& [tile, held] : elementsByTile(storage, sizes))
                    covered.insert(held.begin(), held.end());
                RC_ASSERT(covered == all(sizes));
                RC_ASSERT(storage.elements().sum() == static_cast<std::int64_t>(covered.size()));
            };
            check(tiling.inputStorage(in.atoms, true), in.sizes);
            check(tiling.weightsStorage(weights.atoms, true), weights.sizes);
            check(tiling.outputStorage(out.atoms, grain, true), out.sizes);
        }));
    }

    /// A vertex reads regions in place that its tile has in whole.
    void wholeRegionsAreOwn() {
        QVERIFY(holds("regions", 300, [] {
            ConvPlan plan = anyPlan();
            for (FieldDim& dim : plan.problem.field) {
                dim.stride = dim.dilation = 1; // blocks without a halo more often
                dim.padBegin = 0;
                dim.kernel = anyFrom(1, 2);
                dim.in = dim.out + dim.kernel - 1;
            }
            plan.splits.kernel.assign(plan.problem.field.size(), 1);
            const ConvTiling tiling(plan);
            const Named in = inputOf(plan.problem), weights = weightsOf(plan.problem);
            Storage input;
            input.atomSizes = in.sizes;
            input.layout.blocking = tiling.inputStorage(in.atoms, true);
            input.layout.order = inputOrder(in.atoms, plan);
            compareRegions(input, tiling.inputNeed(in.atoms), inputRegions(in.atoms, plan.grains));
            Storage filter;
            filter.atomSizes = weights.sizes;
            filter.layout.blocking = tiling.weightsStorage(weights.atoms, true);
            filter.layout.order = weightsOrder(weights.atoms, plan);
            compareRegions(filter, tiling.weightsNeed(weights.atoms),
                           weightRegions(weights.atoms, plan.grains));
        }));
    }

    /// Partials are what the vertices write: outputs of the tile's piece, in whole channel grains.
    void partialsAreWhatVerticesWrite() {
        QVERIFY(holds("partials", 300, [] {
            const ConvPlan plan = anyPlan();
            const ConvTiling tiling(plan);
            const TileSeries partials = tiling.partials().elements();
            std::int64_t largest = 0;
            for (std::int32_t nth = 0; nth < tiling.tiles(); ++nth) {
                const ConvTileSizes sizes = tiling.sizesOf(nth);
                RC_ASSERT(partials.at(TileId(tiling.tileOf(nth))) == sizes.partialElements());
                largest = std::max(largest, sizes.partialElements());
            }
            // The planner costs the largest piece.
            RC_ASSERT(largest <=
                      tileSizes(plan.problem, plan.grains, plan.splits).partialElements());
        }));
    }

    void piecesAreTheSizesOfAllTiles() {
        QVERIFY(holds("pieces", 300, [] {
            const ConvPlan plan = anyPlan();
            const ConvTiling tiling(plan);
            const ConvPieces pieces(tiling);
            RC_ASSERT(static_cast<std::int32_t>(pieces.tiles().size()) == tiling.tiles());
            for (std::int32_t nth = 0; nth < tiling.tiles(); ++nth)
                RC_ASSERT(pieces.distinct()[pieces.tiles()[static_cast<std::size_t>(nth)]] ==
                          tiling.sizesOf(nth));
            const std::vector<std::int64_t> chans =
                pieces.byTile([](const ConvTileSizes& sizes) { return sizes.outChans; });
            for (std::int32_t nth = 0; nth < tiling.tiles(); ++nth)
                RC_ASSERT(chans[static_cast<std::size_t>(nth)] == tiling.sizesOf(nth).outChans);
        }));
    }

    /// Two rows of six cut in three, of a result that has eight rows of twelve.
    void zerosLieBesideTheOutputs() {
        Blocking planned;
        planned.dims.push_back({{0, 1, 2}, 24, evenBlocks(24, 3), {{3, 1}}});
        planned.dims.push_back({{3}, 8, evenBlocks(8, 2), {{2, 3}}});
        const std::vector<std::int64_t> sizes{2, 4, 12, 8};
        const Blocking all = withZerosBetween(planned, sizes);
        QCOMPARE(all.dims[0].blocks, (std::vector<Interval>{{0, 32}, {32, 64}, {64, 96}}));
        QCOMPARE(all.elements(), planned.elements().scaled(4));
        QVERIFY(withZerosBetween(all, sizes) == all);
    }

    /// The gradient of a strided 1x1 convolution is computed without its zeros.
    void stridesOfSinglePositions() {
        SingleConvLayer layer;
        layer.field = {8, 8};
        layer.kernel = {1, 1};
        layer.stride = {2, 2};
        layer.paddingLower = layer.paddingUpper = {0, 0};
        layer.dilation = {1, 1};
        layer.inputChannels = layer.outputChannels = 16;
        OperationOptions options;
        options.target = targetPreset("mk2");
        Profile profile;
        runOperation(graphOf(layer, DataType::Half), options, &profile);
        std::int64_t bytes = 0, computed = 0;
        for (const Variable& variable : profile.variables) {
            if (variable.name.find("activationsPostDilate") != std::string::npos)
                bytes = variable.bytes.sum();
            if (variable.name.starts_with("bwd") && variable.name.ends_with("stride2x2/partials"))
                computed = variable.bytes.sum();
        }
        QCOMPARE(bytes, std::int64_t(8 * 8 * 16 * 2));
        QCOMPARE(computed, bytes / 4);
    }

    void neighboursShareTheirInput() {
        ConvPlan plan;
        plan.problem.field = {{4, 4, 1, 1, 1, 0}};
        plan.problem.outChans = 8;
        plan.splits.outChans = 2;
        plan.splits.field = {4};
        plan.splits.kernel = {1};
        const ConvTiling tiling(plan);
        const Named in = inputOf(plan.problem);
        const auto inputs = elementsByTile(tiling.inputNeed(in.atoms), in.sizes);
        for (std::int32_t tile = 0; tile < 8; tile += 2)
            QVERIFY(inputs.at(tile) == inputs.at(tile + 1));
        QVERIFY(inputs.at(1) != inputs.at(2));
    }
};

TILESCOPE_TEST(ConvTilingTest)

} // namespace conv_tiling_test

#include "conv_tiling_test.moc"

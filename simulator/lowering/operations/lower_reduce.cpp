#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/base/ceil_div.h"
#include "simulator/cost/reduce_cycles.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/operations/staged_reduction.h"
#include "simulator/planner/reduce_plan.h"

namespace tilescope::sim {
namespace {

/// The result's storage: the kept atoms, renumbered.
struct KeptAtoms {
    Storage storage;
    std::vector<int> newAtom; ///< by old atom; -1 for reduced ones
    ViewDims view;
};

class ReduceLowering {
public:
    ReduceLowering(LoweringContext& context, const Op& op)
        : context_(context)
        , b_(context.builder())
        , op_(op)
        , attributes_(std::get<ReduceAttributes>(op.attributes))
        , function_(attributes_.function)
        , in_(op.inputs[0])
        , type_(context.tensor(in_).type)
        , outType_(context.tensor(op.outputs[0]).type)
        , partialType_(reducePartialType(function_, outType_))
        , stages_(context, op.name, function_, outType_, reducedElements(), keptShape()) {
        context.ensurePlace(in_);
        collectAtoms();
    }

    void run() {
        const Blocking& blocking = context_.storageOf(in_).storage.layout.blocking;
        // Atoms of one index are neither kept nor reduced.
        const auto isReduced = [&](int atom) { return reduced_.contains(atom); };
        const auto isKept = [&](int atom) {
            return kept_.newAtom[static_cast<std::size_t>(atom)] >= 0;
        };
        const bool mixed =
            std::any_of(blocking.dims.begin(), blocking.dims.end(), [&](const BlockedDim& dim) {
                return std::any_of(dim.atoms.begin(), dim.atoms.end(), isReduced) &&
                       std::any_of(dim.atoms.begin(), dim.atoms.end(), isKept);
            });
        if (mixed)
            reduceAcrossDims(blocking);
        else
            reduceWhereItLies(blocking);
    }

private:
    [[nodiscard]] bool reduces(std::size_t dim) const {
        return std::find(attributes_.axes.begin(), attributes_.axes.end(),
                         static_cast<std::int64_t>(dim)) != attributes_.axes.end();
    }
    /// The input's dimensions that stay.
    [[nodiscard]] Shape keptShape() const {
        const Shape& shape = context_.tensor(in_).shape;
        Shape kept;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (!reduces(d))
                kept.push_back(shape[d]);
        return kept;
    }
    [[nodiscard]] std::int64_t reducedElements() const {
        return context_.tensor(in_).elements() /
               std::max<std::int64_t>(1, sim::elementsOf(keptShape()));
    }

    void collectAtoms() {
        const ViewDims& view = context_.viewOf(in_);
        const Storage& storage = context_.storageOf(in_).storage;
        kept_.newAtom.assign(storage.atomSizes.size(), -1);
        kept_.storage.elementBytes = bytesOf(outType_);
        for (std::size_t d = 0; d < view.size(); ++d) {
            const bool isReduced = reduces(d);
            std::vector<int> outAtoms;
            for (const int atom : withoutOnes(view[d], storage)) {
                if (isReduced) {
                    reduced_.insert(atom);
                    continue;
                }
                kept_.newAtom[static_cast<std::size_t>(atom)] =
                    static_cast<int>(kept_.storage.atomSizes.size());
                outAtoms.push_back(static_cast<int>(kept_.storage.atomSizes.size()));
                kept_.storage.atomSizes.push_back(
                    storage.atomSizes[static_cast<std::size_t>(atom)]);
            }
            if (!isReduced || attributes_.keepDims)
                kept_.view.push_back(outAtoms);
        }
        for (const OrderLevel& level : storage.layout.order)
            if (const int atom = kept_.newAtom[static_cast<std::size_t>(level.atom)]; atom >= 0)
                kept_.storage.layout.order.push_back({atom, level.extent});
    }

    /// Every tile reduces what it has; tiles with partials of the same results then share them.
    void reduceWhereItLies(const Blocking& blocking) {
        Blocking out;
        out.copiesShare = true;
        out.copies = blocking.copies;
        out.firstTile = blocking.firstTile;
        for (const BlockedDim& dim : blocking.dims) {
            BlockedDim mapped = dim;
            mapped.atoms.clear();
            bool isReduced = false;
            for (const int atom : dim.atoms) {
                isReduced = isReduced || reduced_.contains(atom);
                if (const int kept = kept_.newAtom[static_cast<std::size_t>(atom)]; kept >= 0)
                    mapped.atoms.push_back(kept);
            }
            if (isReduced)
                out.copies.insert(out.copies.end(), dim.digits.begin(), dim.digits.end());
            else if (!mapped.atoms.empty() || mapped.size == 1)
                out.dims.push_back(std::move(mapped));
        }
        Blocking wholeBlocks = out;
        wholeBlocks.copiesShare = false;
        const bool isLocal = out.copyCount() == 1;
        const DataType to = isLocal ? outType_ : partialType_;
        const ReduceWork work = blockWork(blocking.elements(), wholeBlocks.elements(), to);
        if (!isLocal) {
            reduceInStages(work);
            return;
        }
        kept_.storage.layout.blocking = std::move(out);
        const VariableId input = context_.variableOf(in_);
        const std::string name = op_.name + "/Reduce/ReduceOnTile/InToOutNoExchange/Reduce";
        const VariableId second = stages_.secondPartials(name, work, to);
        const VariableId result = makeResult();
        stages_.onTile(name, work, type_, to, {input}, second, {result});
    }

    /// The storage is cut across kept and reduced indices: each tile reduces its run of elements to
    /// as many partials as results it touches.
    void reduceAcrossDims(const Blocking& blocking) {
        reduceInStages(blocking.dims.size() == 1 ? runWork(blocking)
                                                 : crossingWork(blocking.elements()));
    }

    /// Work of tiles that hold runs of the storage's elements in row-major order.
    [[nodiscard]] ReduceWork runWork(const Blocking& blocking) const {
        const Storage& storage = context_.storageOf(in_).storage;
        const BlockedDim& dim = blocking.dims.front();
        std::vector<std::int64_t> sizes;
        std::vector<bool> reduced;
        for (const int atom : dim.atoms) {
            sizes.push_back(storage.atomSizes[static_cast<std::size_t>(atom)]);
            reduced.push_back(reduced_.contains(atom));
        }
        ReduceRegions regions(reduceLevels(sizes, reduced));
        ReduceWorkList list(context_.target(), function_, type_, partialType_);
        std::map<std::int32_t, Interval> runs;
        std::vector<std::int32_t> index(blocking.dims.size());
        for (std::int32_t nth = 0; nth < blocking.tiles(); ++nth) {
            blocking.blockIndex(nth, index);
            runs[blocking.tileOf(nth)] = dim.blocks[static_cast<std::size_t>(index.front())];
        }
        for (const auto& [tile, run] : runs)
            if (run.size() > 0)
                list.add(tile, regions.next(run));
        return list.take();
    }

    /// The same where blocks are cut across in another way: as many results as a run of that length
    /// would touch.
    [[nodiscard]] ReduceWork crossingWork(const TileSeries& inputs) const {
        const TileSeries touched = inputs.mapped([&](std::int64_t n) { return resultsTouched(n); });
        return blockWork(inputs, touched, partialType_);
    }

    /// Work of tiles that hold `inputs` elements of `results` results each.
    [[nodiscard]] ReduceWork blockWork(const TileSeries& inputs, const TileSeries& results,
                                       DataType to) const {
        const std::int64_t inner = contiguous(true);
        const std::int64_t kept = contiguous(false);
        ReduceWorkList list(context_.target(), function_, type_, to);
        const std::int32_t tiles = context_.target().totalTiles();
        const std::vector<std::int64_t> n = inputs.toDense(tiles);
        const std::vector<std::int64_t> outputs = results.toDense(tiles);
        for (std::int32_t tile = 0; tile < tiles; ++tile) {
            const std::int64_t held = n[static_cast<std::size_t>(tile)];
            const std::int64_t made = outputs[static_cast<std::size_t>(tile)];
            if (held == 0 || made == 0)
                continue;
            TileReductions reductions;
            const std::int64_t depth = ceilDiv(held, made);
            const std::int64_t run = std::min(inner, depth);
            const std::int64_t columns = run > 1 ? made : std::min(kept, made);
            reductions.regions.push_back(
                {columns, ceilDiv(depth, run), run, std::max<std::int64_t>(1, made / columns)});
            if (made % columns != 0)
                reductions.regions.push_back({made % columns, ceilDiv(depth, run), run});
            list.add(tile, reductions);
        }
        return list.take();
    }

    /// Approximate number of results that a run of `elements` elements of the storage touches.
    [[nodiscard]] std::int64_t resultsTouched(std::int64_t elements) const {
        const Storage& storage = context_.storageOf(in_).storage;
        std::int64_t span = elements;
        std::int64_t results = 1;
        for (std::size_t atom = storage.atomSizes.size(); atom-- > 0 && span > 1;) {
            const std::int64_t size = storage.atomSizes[atom];
            const std::int64_t covered = std::min(span, size);
            if (!reduced_.contains(static_cast<int>(atom)))
                results *= covered;
            span = ceilDiv(span, size);
        }
        return results;
    }

    /// Reduced (or kept) elements that lie next to each other on a tile.
    [[nodiscard]] std::int64_t contiguous(bool reduced) const {
        const Storage& storage = context_.storageOf(in_).storage;
        const auto sizes = blockSizes(storage.layout.blocking, storage.atomSizes);
        std::int64_t run = 1;
        for (auto level = storage.layout.order.rbegin(); level != storage.layout.order.rend();
             ++level) {
            const std::int64_t held = sizes[static_cast<std::size_t>(level->atom)];
            const std::int64_t extent = level->extent == 0 ? held : std::min(level->extent, held);
            if (extent == 1)
                continue;
            if (reduced_.contains(level->atom) != reduced)
                break;
            run *= extent;
        }
        return run;
    }

    /// Partials where the inputs lie, then sums of sums on ever fewer tiles until the results can
    /// be made where they are mapped (PopLibs popops/reduction/Reduction.cpp).
    void reduceInStages(const ReduceWork& work) {
        TilePartials partials{context_.variableOf(in_), type_, work.results, work.columns};
        if (work.reduces) {
            const std::string name =
                op_.name + "/Reduce/ReduceOnTile/InToIntermediateNoExchange/Reduce";
            const VariableId second = stages_.secondPartials(name, work, partialType_);
            partials.variable = intermediate("/Reduce/intermediate", work.results);
            partials.type = partialType_;
            if (work.rotated.empty()) {
                stages_.onTile(name, work, type_, partialType_, {context_.variableOf(in_)}, second,
                               {partials.variable});
            } else {
                const VariableId written = intermediate("/Reduce/unordered", work.rotated);
                stages_.onTile(name, work, type_, partialType_, {context_.variableOf(in_)}, second,
                               {written, partials.variable});
                putInOrder(name, work.rotated, written, partials.variable);
            }
            stages_.elementsAreIn();
        }
        std::int64_t results = 1;
        for (const std::int64_t size : kept_.storage.atomSizes)
            results *= size;
        stages_.addUp(partials, results);
        BlockedDim flat;
        for (std::size_t atom = 0; atom < kept_.storage.atomSizes.size(); ++atom)
            flat.atoms.push_back(static_cast<int>(atom));
        flat.size = results;
        const ResultSpread spread = spreadResults(context_.target(), partials.type, results);
        flat.blocks = evenBlocks(flat.size, spread.tiles, spread.grain);
        flat.digits = {{static_cast<std::int32_t>(spread.tiles), 1}};
        kept_.storage.layout.blocking = {};
        kept_.storage.layout.blocking.dims = {std::move(flat)};
        stages_.finish(partials, kept_.storage.layout.blocking.elements(),
                       [&] { return makeResult(); });
    }

    VariableId intermediate(std::string_view name, const TileSeries& elements) {
        return b_.variable(op_.name + std::string(name), MemoryCategory::Variable,
                           elements.scaled(bytesOf(partialType_)),
                           std::string(toString(partialType_)));
    }

    void putInOrder(const std::string& name, const TileSeries& rotated, VariableId from,
                    VariableId to) {
        const TileSeries cycles = rotated.mapped([&](std::int64_t n) {
            return localCopyCycles(context_.options().machine, n * bytesOf(partialType_));
        });
        b_.keepApart(to, from);
        b_.execute(name + "/OnTileCopyPost", cycles, {{copyVertex(8), rotated.ones()}},
                   {{from}, {to}});
    }

    VariableId makeResult() {
        return context_.makeResult(op_.outputs[0], op_.name + "/out", kept_.storage, kept_.view);
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const Op& op_;
    const ReduceAttributes& attributes_;
    ReduceFunction function_;
    TensorId in_;
    DataType type_, outType_, partialType_;
    StagedReduction stages_;
    std::set<int> reduced_;
    KeptAtoms kept_;
};

} // namespace

void lowerReduce(LoweringContext& context, const Op& op) {
    ReduceLowering(context, op).run();
}

} // namespace tilescope::sim

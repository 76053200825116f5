#include "core/analysis/compare/body_pieces.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "core/base/error.h"
#include "core/trace/lane_cursor.h"

namespace tilescope {
namespace {

constexpr std::size_t mostPieces = 500'000; // their places take tens of megabytes
constexpr std::size_t looksForStop = 4096;  // entries between two looks

bool onlyWaits(ProgramKind kind) {
    return kind == ProgramKind::Sync || kind == ProgramKind::StreamCopyBegin ||
           kind == ProgramKind::StreamCopyMid || kind == ProgramKind::StreamCopyEnd;
}

/// Entries of all IPUs, the earliest first.
class Entries {
public:
    Entries(const TraceLanes& lanes, TraceBodyId body) {
        for (std::int32_t ipu = 0; ipu < lanes.ipus(); ++ipu)
            lanes_.push_back({LaneCursor(lanes, body, IpuId(ipu), TraceLanes::Keep::No), 0});
        for (std::size_t i = 0; i < lanes_.size(); ++i)
            queue(i);
    }
    /// None at the end.
    std::optional<LaneEntry> next() {
        if (heads_.empty())
            return {};
        const auto at = static_cast<std::size_t>(heads_.top().second);
        heads_.pop();
        const LaneEntry entry = lanes_[at].cursor.at(lanes_[at].next++);
        queue(at);
        return entry;
    }

private:
    void queue(std::size_t lane) {
        Reading& of = lanes_[lane];
        if (of.next < of.cursor.lane().count)
            heads_.emplace(of.cursor.at(of.next).begin, static_cast<std::int64_t>(lane));
    }
    struct Reading {
        LaneCursor cursor;
        std::size_t next = 0;
    };
    using Head = std::pair<std::int64_t, std::int64_t>; // begin and lane
    std::vector<Reading> lanes_;
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
};

/// Collects pieces; neighbours that are steps of one operation become one.
class Cutter {
public:
    Cutter(const TraceLanes& lanes, TraceBodyId body, std::span<const std::int32_t> keys)
        : lanes_(lanes)
        , body_(body)
        , keys_(keys) {}

    void add(const LaneEntry& entry) {
        // A call of what another IPU does takes no time on this one.
        if ((onlyWaits(entry.kind) && entry.call < 0) || entry.end <= entry.begin)
            return;
        const TraceCall* call = lanes_.callOf(body_, entry);
        const std::int32_t key = call != nullptr ? callKey(call->program) : keyOf(entry.program);
        if (!open_ || (entry.begin >= end_ && pieces_.size() < mostPieces))
            begin(entry, key, call);
        else if (key != open_->key || entry.call != openCall_)
            pure_ = false;
        if (call != nullptr && entry.call == openCall_)
            repeat(lanes_.repetition(body_, entry));
        end_ = std::max(end_, entry.end);
    }
    std::vector<BodyPiece> finish() {
        close();
        if (pieces_.empty())
            pieces_.push_back({0, anyCall, {}}); // waits alone
        pieces_.front().begin = 0;
        return std::move(pieces_);
    }

private:
    [[nodiscard]] std::int32_t keyOf(ProgramId program) const {
        return program.valid() && program.index() < keys_.size() ? keys_[program.index()] : -1;
    }
    [[nodiscard]] std::int32_t callKey(ProgramId program) const {
        const std::int32_t key = keyOf(program);
        return key < 0 ? anyCall : key;
    }
    void begin(const LaneEntry& entry, std::int32_t key, const TraceCall* call) {
        close();
        open_ = BodyPiece{entry.begin, key, {}};
        openCall_ = entry.call;
        pure_ = true;
        if (call != nullptr)
            open_->call = PieceCall{call->callee, entry.begin, call->count, 0};
    }
    void repeat(const Repetition& repetition) {
        if (open_->call)
            open_->call->period = std::max(open_->call->period, repetition.period);
    }
    void close() {
        if (!open_)
            return;
        if (!pure_)
            open_->call.reset();
        const bool plain = pure_ && !open_->call;
        if (!(plain && lastIsPlain_ && pieces_.back().key == open_->key))
            pieces_.push_back(*open_);
        lastIsPlain_ = plain;
        open_.reset();
    }

    const TraceLanes& lanes_;
    TraceBodyId body_;
    std::span<const std::int32_t> keys_;
    std::vector<BodyPiece> pieces_;
    std::optional<BodyPiece> open_;
    std::int32_t openCall_ = -1;
    bool pure_ = true;         ///< the open piece is of one operation, or one call
    bool lastIsPlain_ = false; ///< the last piece is of one operation
    std::int64_t end_ = 0;     ///< of all entries so far
};

} // namespace

std::vector<BodyPiece> piecesOf(const TraceLanes& lanes, TraceBodyId body,
                                std::span<const std::int32_t> keys, const std::stop_token& stop) {
    Entries entries(lanes, body);
    Cutter cutter(lanes, body, keys);
    std::size_t count = 0;
    while (const auto next = entries.next()) {
        if (++count % looksForStop == 0 && stop.stop_requested())
            throw Cancelled();
        cutter.add(*next);
    }
    return cutter.finish();
}

std::int64_t lengthOf(const TraceLanes& lanes, TraceBodyId body) {
    std::int64_t length = 0;
    for (std::int32_t ipu = 0; ipu < lanes.ipus(); ++ipu)
        length = std::max(length, lanes.lane(body, IpuId(ipu)).length);
    return length;
}

} // namespace tilescope

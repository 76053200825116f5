#include "core/view/profile_view.h"

#include <utility>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/base/rewritten_file.h"
#include "core/trace/lanes_in_memory.h"

namespace tilescope {

ProfileView::ProfileView(const ProfileReader& opened)
    : file_(opened.file())
    , info_(opened.info())
    , stamp_(opened.stamp()) {}

ProfileView::ProfileView(ProfileReader&& opened)
    : ProfileView(std::as_const(opened)) {
    readers_.push_back(std::move(opened));
}

ProfileView::ProfileView(const std::filesystem::path& file)
    : ProfileView(ProfileReader(file)) {}

ProfileView::ProfileView(std::shared_ptr<const Profile> profile)
    : memory_(std::move(profile))
    , info_(memory_->info) {}

ProfileReader ProfileView::reader(Stop stop) const {
    if (memory_)
        throw InternalError("a profile in memory has no file to read");
    // SQLite checks for a stop only now and then: small reads would not notice.
    if (stop.stop_requested())
        throw Cancelled();
    ProfileReader reader(file_, stamp_);
    reader.stopWith(stop);
    return reader;
}

ProfileReader ProfileView::takeReader() const {
    {
        const std::lock_guard lock(readersMutex_);
        if (!readers_.empty() && !readers_.back().isUnchanged())
            readers_.clear(); // opening the file again says why
        if (!readers_.empty()) {
            ProfileReader reader = std::move(readers_.back());
            readers_.pop_back();
            return reader;
        }
    }
    return {file_, stamp_};
}

template <class Use> auto ProfileView::read(Stop stop, const Use& use) const {
    // SQLite checks for a stop only now and then: small reads would not notice.
    if (stop.stop_requested())
        throw Cancelled();
    const auto readIt = [&] {
        ProfileReader reader = takeReader();
        reader.stopWith(stop);
        auto result = use(std::as_const(reader));
        reader.stopWith({});
        constexpr std::size_t mostKept = 2; // each has a cache of some megabytes
        const std::lock_guard lock(readersMutex_);
        if (readers_.size() < mostKept)
            readers_.push_back(std::move(reader));
        return result;
    };
    return noticingChange(file_, stamp_, [&] { return namingFile(file_.string(), readIt); });
}

template <class T, class Read>
ProfileView::Part<T> ProfileView::load(const LazyPart<T>& part, Stop stop, Read read,
                                       T Profile::*member) const {
    if (memory_)
        return {memory_, &(memory_.get()->*member)};
    return part.get(
        [&] { return this->read(stop, [&](const ProfileReader& r) { return (r.*read)(); }); });
}

#define TILESCOPE_PART(name)                                                                       \
    ProfileView::Part<decltype(Profile::name)> ProfileView::name(Stop stop) const {                \
        return load(name##_, stop, &ProfileReader::name, &Profile::name);                          \
    }
TILESCOPE_PROFILE_PARTS(TILESCOPE_PART)
#undef TILESCOPE_PART

ProfileView::Part<LivenessCurve> ProfileView::livenessCurve(Stop stop) const {
    return livenessCurve_.get([&] {
        if (memory_)
            return livenessCurveOf(*memory_);
        return read(stop, [](const ProfileReader& from) { return from.livenessCurve(); });
    });
}

ProfileView::Part<std::vector<std::int64_t>> ProfileView::notAlwaysLive(Stop stop) const {
    return notAlwaysLive_.get([&] {
        if (memory_)
            return livenessCurve(stop)->notAlwaysLive;
        return read(stop, [](const ProfileReader& from) { return from.notAlwaysLive(); });
    });
}

ProfileView::Part<LiveCells> ProfileView::liveCells(Stop stop) const {
    return liveCells_.get([&] {
        return memory_ ? LiveCells()
                       : read(stop, [](const ProfileReader& from) { return from.liveCells(); });
    });
}

ProfileView::Part<TraceIndex> ProfileView::trace(Stop stop) const {
    return trace_.get([&] {
        if (memory_)
            return TraceIndex(std::make_shared<LanesInMemory>(wholeTrace(stop), machine().ipus),
                              machine().tilesPerIpu);
        return read(stop, [](const ProfileReader& from) { return from.traceIndex(); });
    });
}

ProfileView::Part<Trace> ProfileView::wholeTrace(Stop stop) const {
    if (memory_)
        return {memory_, &memory_->trace};
    const auto readIt = [&] { return std::make_shared<const Trace>(reader(stop).trace()); };
    return noticingChange(file_, stamp_, [&] { return namingFile(file_.string(), readIt); });
}

ProfileView::Part<std::vector<ProgramExecutions>> ProfileView::executions(Stop stop) const {
    return executions_.get([&] {
        return info_.hasExecution ? trace(stop)->executions(programs(stop)->size())
                                  : std::vector<ProgramExecutions>{};
    });
}

} // namespace tilescope

// A profile for reports and analyses: from a file or from memory, in parts that are loaded on first
// use.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "core/store/profile_reader.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// A value that the first caller makes and the others wait for. A call that throws leaves it empty,
/// so a cancelled query does not spoil the next.
template <class T> class LazyPart {
public:
    template <class Load> std::shared_ptr<const T> get(Load load) const {
        const std::lock_guard lock(mutex_);
        if (!value_)
            value_ = std::make_shared<const T>(load());
        return value_;
    }

private:
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const T> value_;
};

/// Shared by threads: each part is read once, by its own reader, and lives as long as the view or
/// anybody who holds it. Calls throw UserError for a damaged file and Cancelled after a stop.
class ProfileView {
public:
    template <class T> using Part = std::shared_ptr<const T>;
    using Stop = const std::stop_token&;

    /// For a file that has been opened. If it is rewritten, later reads throw UserError, rather
    /// than returning a part of another profile.
    explicit ProfileView(const ProfileReader& opened);
    /// The same; the reader is kept for the parts.
    explicit ProfileView(ProfileReader&& opened);
    /// Throws UserError if the file is not a profile, see ProfileReader.
    explicit ProfileView(const std::filesystem::path& file);
    /// For a profile that was never written; `file()` is empty and there is no reader.
    explicit ProfileView(std::shared_ptr<const Profile> profile);
    /// For a profile in memory that outlives the view and its parts.
    static std::shared_ptr<const ProfileView> of(const Profile& profile) {
        return std::make_shared<const ProfileView>(
            std::shared_ptr<const Profile>(std::shared_ptr<const Profile>(), &profile));
    }
    static std::shared_ptr<const ProfileView> of(const Profile&&) = delete;

    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    [[nodiscard]] const ProfileInfo& info() const { return info_; }
    [[nodiscard]] const Target& machine() const { return info_.target; }

    /// A reader of the file for the calling thread. Throws InternalError without a file.
    [[nodiscard]] ProfileReader reader(Stop stop = {}) const;

    // variables(stop) is a Part<IdVector<VariableId, Variable>>, and so on.
#define TILESCOPE_PART(name) [[nodiscard]] Part<decltype(Profile::name)> name(Stop stop = {}) const;
    TILESCOPE_PROFILE_PARTS(TILESCOPE_PART)
#undef TILESCOPE_PART
    [[nodiscard]] Part<LivenessCurve> livenessCurve(Stop stop = {}) const;
    /// LivenessCurve::notAlwaysLive alone: the bytes of each IPU are many times as many.
    [[nodiscard]] Part<std::vector<std::int64_t>> notAlwaysLive(Stop stop = {}) const;
    /// Empty without a file.
    [[nodiscard]] Part<LiveCells> liveCells(Stop stop = {}) const;
    [[nodiscard]] Part<TraceIndex> trace(Stop stop = {}) const;
    /// Every step, of long traces too; read anew each time.
    [[nodiscard]] Part<Trace> wholeTrace(Stop stop = {}) const;
    /// How often each program runs, see TraceIndex::executions(); empty without a trace.
    [[nodiscard]] Part<std::vector<ProgramExecutions>> executions(Stop stop = {}) const;

    /// The result of an analysis of the profile, computed once: by the first caller's `make()`,
    /// which may request parts and derived values of other types. T identifies the analysis.
    template <class T, class Make> Part<T> derived(Make make) const {
        const std::shared_ptr<const LazyPart<T>> part = derivedPart<T>();
        return part->get(make);
    }

private:
    /// Calls use(reader) with a reader that is kept for later parts: opening the file takes longer
    /// than reading most of them.
    template <class Use> auto read(Stop stop, const Use& use) const;
    [[nodiscard]] ProfileReader takeReader() const;
    template <class T, class Read>
    Part<T> load(const LazyPart<T>& part, Stop stop, Read read, T Profile::*member) const;

    template <class T> std::shared_ptr<const LazyPart<T>> derivedPart() const {
        const std::lock_guard lock(derivedMutex_);
        std::shared_ptr<const void>& slot = derived_[std::type_index(typeid(T))];
        if (!slot)
            slot = std::make_shared<const LazyPart<T>>();
        return std::static_pointer_cast<const LazyPart<T>>(slot);
    }

    std::filesystem::path file_;
    std::shared_ptr<const Profile> memory_; ///< none if the profile is in a file
    ProfileInfo info_;
    FileStamp stamp_;
    mutable std::mutex readersMutex_;
    mutable std::vector<ProfileReader> readers_; ///< that nobody uses just now
#define TILESCOPE_PART(name) LazyPart<decltype(Profile::name)> name##_;
    TILESCOPE_PROFILE_PARTS(TILESCOPE_PART)
#undef TILESCOPE_PART
    LazyPart<LivenessCurve> livenessCurve_;
    LazyPart<std::vector<std::int64_t>> notAlwaysLive_;
    LazyPart<LiveCells> liveCells_;
    LazyPart<TraceIndex> trace_;
    LazyPart<std::vector<ProgramExecutions>> executions_;
    mutable std::mutex derivedMutex_;
    mutable std::unordered_map<std::type_index, std::shared_ptr<const void>> derived_;
};

using Stop = ProfileView::Stop;
using ProfileViewPtr = std::shared_ptr<const ProfileView>;

} // namespace tilescope

// The one or two profiles that are open.
#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QString>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/analysis/compare/profile_pair.h"
#include "core/remote/profile_place.h"
#include "core/target/target_file.h"
#include "views/query/background_query.h"
#include "views/session/profile_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {

/// Model and target: "resnet50 on mk2".
inline QString profileTitle(const ProfileView& profile) {
    const QString model = shownName(profile.info().model);
    const QString machine = shownName(machineName(profile.machine()));
    return machine.isEmpty()
               ? model
               : QCoreApplication::translate("ProfileView", "%1 on %2").arg(model, machine);
}

/// The same for one of the open profiles: two runs of one model are distinguished by their names,
/// see shortNames().
inline QString profileTitle(const ProfilePair& open, const ProfileView& profile) {
    const QString title = profileTitle(profile);
    if (!open.comparing() || profileTitle(*open.source) != profileTitle(*open.target))
        return title;
    const auto [source, target] = shortNames(open.source->file(), open.target->file());
    const QString& name = &profile == open.target.get() ? target : source;
    return name.isEmpty() ? title
                          : QCoreApplication::translate("ProfileView", "%1 (%2)").arg(title, name);
}

/// The name that opens it again: an absolute path, that of the capture it was made of, or the
/// address of a remote file.
QString openedName(const ProfileView& profile);

/// Opens profiles in the background and tells the views which are open.
class ReportPair : public QObject {
    Q_OBJECT
public:
    explicit ReportPair(Workers& workers, QObject* parent = nullptr);

    [[nodiscard]] const ProfilePair& profiles() const { return profiles_; }
    [[nodiscard]] const ProfileViewPtr& source() const { return profiles_.source; }
    [[nodiscard]] const ProfileViewPtr& target() const { return profiles_.target; }
    /// How often profiles were opened: data read under another count belongs to others.
    [[nodiscard]] std::uint64_t changes() const { return changes_; }

    /// The clock of the machines (Hz), to write cycles as time; 0 if none is open or the two run at
    /// different clocks.
    [[nodiscard]] double clockHz() const;

    /// Opens one profile, or two to compare if `target` is not empty. Open profiles stay open until
    /// the new ones have been read successfully.
    void open(const std::filesystem::path& source, const std::filesystem::path& target = {});
    /// Opens traces of several programs of a host as one profile.
    void openTraces(const std::vector<std::filesystem::path>& traces);
    /// Shows profiles that have been opened; `target` may be missing.
    void show(const ProfileViewPtr& source, const ProfileViewPtr& target) {
        show(ProfilePair(source, target));
    }
    /// Likewise, with the matches that the pair already knows.
    void show(const ProfilePair& profiles);
    /// Reads the open profiles again; profiles that are being opened, if there are any, instead.
    void reload();
    void closeTarget();
    void swap();
    void close();
    void cancelOpening() { opening_.cancel(); }
    [[nodiscard]] bool isOpening() const { return opening_.running(); }
    /// How remote files are reached.
    void setSsh(SshProgram ssh) { ssh_ = std::move(ssh); }
    [[nodiscard]] const SshProgram& ssh() const { return ssh_; }

signals:
    /// Other profiles were opened (or all were closed).
    void changed();
    void openingIsSlow(const QString& file);
    /// A remote file is being copied, or one of another tool imported.
    void preparing(const QString& file, tilescope::Preparing what, int percent);
    void openingEnded();
    void failed(const QString& file, const QString& text);

private:
    void replaceBy(ProfilePair profiles);
    PrepareProgress prepareProgress();

    Workers& workers_;
    BackgroundQuery opening_;
    SshProgram ssh_;
    QString openingFile_;
    /// Of the last call of open() or openTraces().
    std::filesystem::path wantedSource_, wantedTarget_;
    std::vector<std::filesystem::path> wantedTraces_; ///< of openTraces(), if that was the last
    ProfilePair profiles_;
    std::uint64_t changes_ = 0;
};

} // namespace tilescope::views

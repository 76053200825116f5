// The base of all reports.
#pragma once

#include <QWidget>
#include <map>
#include <optional>
#include <string>

#include "views/session/view_context.h"
#include "views/widgets/control_states.h"

namespace tilescope::views {

/// A report that reads its profiles when it is first seen, and again after others were opened.
class ReportView : public QWidget {
    Q_OBJECT
public:
    explicit ReportView(ViewContext& context, QWidget* parent = nullptr);

    /// '/' and Ctrl+F: the search or filter box of the report.
    virtual void focusSearch() {}
    /// Brings a part of the report to the front by its name, such as the title of a tab; false if
    /// it has no such part.
    bool showSection(const QString& name) { return chooseByText(*this, name); }
    /// Shows where the source's execution spends most on an operation, or the target's, whose ids
    /// these are then. Only the execution trace does.
    virtual void goToOperation(OperationId, bool /*target*/) {}
    /// The horizontal axis of the report's plots; null if it has none, or no data for it.
    [[nodiscard]] virtual ZoomRange* axis() { return nullptr; }

signals:
    /// What the pointer is on, for the status bar.
    void status(const QString& text);
    /// The user goes on in another report: its name on the command line, "name:section", or a
    /// section of Memory.
    void reportWanted(const QString& name);
    /// The user goes to an operation's place in the execution trace; see goToOperation().
    void traceWanted(tilescope::OperationId operation, bool target);
    /// The user wants the run of a profile again with one option changed, or the key "model", and
    /// with those that it needs as well; an empty value leaves it to the user.
    void runAgainWanted(const tilescope::ProfileViewPtr& profile, const std::string& key,
                        const std::string& value, const std::map<std::string, std::string>& with);
    /// The user wants all suggestions for a profile to be simulated.
    void tryAllWanted(const tilescope::ProfileViewPtr& profile);

protected:
    /// Reads the profiles that are open now; there is at least a source.
    virtual void reload() = 0;
    /// Shows what is selected, also when the report has come to the front with profiles it knows.
    virtual void followSelection() {}
    /// Theme or units have changed, maybe while the report was hidden.
    virtual void restyle() {}
    void showEvent(QShowEvent* event) override;

    [[nodiscard]] ViewContext& context() const { return context_; }
    /// Those that the report has read: what it shows and what it asks about are the same, also
    /// while others are opened or after they were closed.
    [[nodiscard]] const ProfilePair& profiles() const { return profiles_; }
    [[nodiscard]] bool comparing() const { return profiles().comparing(); }

private:
    void reloadIfSeen();
    void restyleIfSeen();

    [[nodiscard]] bool stale() const { return read_ != context_.reports.changes(); }

    ViewContext& context_;
    ProfilePair profiles_;
    std::optional<std::uint64_t> read_; ///< ReportPair::changes() when they were opened
    bool styleStale_ = false;
};

} // namespace tilescope::views

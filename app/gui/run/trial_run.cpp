#include "app/gui/run/trial_run.h"

#include <QRegularExpression>
#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/gui/run/simulation_run.h"
#include "core/base/error.h"
#include "core/sweep/trials.h"

namespace tilescope::gui {
namespace json = boost::json;
namespace {

Cell cellFrom(const json::value& value) {
    if (value.is_string())
        return std::string(value.get_string());
    if (value.is_bool())
        return value.get_bool();
    if (value.is_int64())
        return value.get_int64();
    return value.is_number() ? Cell(value.to_number<double>()) : Cell();
}

} // namespace

Table tableFromJson(Table columns, std::string_view text) {
    boost::system::error_code error;
    const json::value root = json::parse(text, error);
    const json::value* rows =
        !error && root.is_object() ? root.get_object().if_contains(columns.key) : nullptr;
    if (rows == nullptr || !rows->is_array())
        throw UserError(fmt::format("the program printed no table '{}'", columns.key));
    columns.rows.clear();
    for (const json::value& row : rows->get_array()) {
        if (!row.is_object())
            throw UserError(fmt::format("a row of '{}' is not an object", columns.key));
        std::vector<Cell> cells;
        for (const Column& column : columns.columns) {
            const json::value* value = row.get_object().if_contains(column.key);
            cells.push_back(value == nullptr ? Cell() : cellFrom(*value));
        }
        columns.add(std::move(cells), static_cast<std::int32_t>(columns.rows.size()));
    }
    return columns;
}

TrialRun::TrialRun(QString program, QObject* parent)
    : QObject(parent)
    , program_(std::move(program)) {}

TrialRun::~TrialRun() {
    cancel();
}

void TrialRun::start(const QString& profile, const QString& folder) {
    if (!available() || running())
        return;
    errors_.clear();
    process_ = new QProcess(this);
    connect(process_, &QProcess::readyReadStandardError, this, &TrialRun::readErrors);
    connect(process_, &QProcess::finished, this, &TrialRun::programEnded);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            programEnded();
    });
    process_->start(program_, {QStringLiteral("try"), profile, QStringLiteral("-o"), folder,
                               QStringLiteral("--json"), QStringLiteral("--progress")});
}

void TrialRun::cancel() {
    if (process_ == nullptr)
        return;
    process_->disconnect(this);
    // When asked to end, it ends its own workers.
    endProcess(*process_);
    process_->deleteLater();
    process_ = nullptr;
}

void TrialRun::readErrors() {
    static const QRegularExpression progress(QStringLiteral(R"(^progress: (\d+) % (.*)$)"));
    errors_ += process_->readAllStandardError();
    for (qsizetype end = errors_.indexOf('\n'); end >= 0; end = errors_.indexOf('\n')) {
        const QRegularExpressionMatch match = progress.match(QString::fromUtf8(errors_.left(end)));
        if (!match.hasMatch())
            return; // an error: everything after it belongs to it
        errors_.remove(0, end + 1);
        emit progressed(match.captured(1).toDouble() / 100, match.captured(2));
    }
}

void TrialRun::programEnded() {
    readErrors();
    const QByteArray out = process_->readAllStandardOutput();
    QString problem = QString::fromUtf8(errors_).trimmed();
    if (process_->error() == QProcess::FailedToStart)
        problem = process_->errorString();
    process_->deleteLater();
    process_ = nullptr;
    try {
        emit finished(tableFromJson(trialsTable({}), out.toStdString()));
    } catch (const UserError& error) {
        emit failed(problem.isEmpty() ? QString::fromStdString(error.what()) : problem);
    }
}

} // namespace tilescope::gui

// Profiles on disk for tests of the window: good ones, and every kind of bad one.
#pragma once

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

#include "core/store/profile_writer.h"
#include "core/view/profile_view.h"
#include "tests/support/sample_profile.h"

namespace tilescope::test {

/// A folder of sample profiles that goes away with the object.
class SampleFiles {
public:
    /// Writes a sample profile and returns its path.
    QString write(const QString& name, const SampleOptions& options = {}) const {
        const QString file = path(name);
        tilescope::writeProfile(sampleProfile(options), file.toStdString());
        return file;
    }

    QString writeProfile(const QString& name, const Profile& profile) const {
        const QString file = path(name);
        tilescope::writeProfile(profile, file.toStdString());
        return file;
    }

    QString writeBytes(const QString& name, const QByteArray& bytes) const {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
        return file.fileName();
    }

    /// A good profile without its last part.
    QString writeTruncated(const QString& name) const {
        QFile good(write(name + QStringLiteral(".whole")));
        if (!good.open(QIODevice::ReadOnly))
            qFatal("cannot read the sample");
        return writeBytes(name, good.readAll().left(good.size() / 2));
    }

    QString path(const QString& name) const { return folder_.filePath(name); }

private:
    QTemporaryDir folder_;
};

/// Opens a sample for queries, without a session.
inline ProfileViewPtr openSample(const QString& file) {
    const ProfileReader reader{std::filesystem::path(file.toStdString())};
    return std::make_shared<const ProfileView>(reader);
}

} // namespace tilescope::test

// Copies of the sample profile to change or to damage.
#pragma once

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

#include "core/store/profile_writer.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"

namespace tilescope::test {

/// A folder with the sample in good.pop; to be inherited by a test.
class SampleCopies {
protected:
    SampleCopies() { writeProfile(sampleProfile({.withCopy = true}), file("good.pop")); }

    [[nodiscard]] std::filesystem::path file(const char* name) const {
        return std::filesystem::path(directory_.path().toStdString()) / name;
    }
    /// A fresh copy of the sample.
    [[nodiscard]] std::filesystem::path copy(const char* name) const {
        std::filesystem::copy_file(file("good.pop"), file(name),
                                   std::filesystem::copy_options::overwrite_existing);
        return file(name);
    }
    static void execute(const std::filesystem::path& file, const char* sql) {
        QCOMPARE(text(changeProfile(file, sql)), "");
    }

private:
    QTemporaryDir directory_;
};

} // namespace tilescope::test

// Many tests in one program: each is registered under the name by which CTest calls it.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QTest>

namespace tilescope::test {

/// Stands for the application of a test that wants none.
struct NoApplication {
    NoApplication(int& /*argc*/, char** /*argv*/) {}
};

/// Makes a test's application and its object and runs it, as Qt Test's own main functions do.
template <class Test, class Application = NoApplication> int runTest(int argc, char** argv) {
    const Application application(argc, argv);
    QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

using TestRun = int (*)(int argc, char** argv);

/// Adds a test to those of the program. Its name is the folder's and the file's path in it:
/// engine/timing_test.cpp in tests/simulator is simulator_engine_timing_test. True, to initialise a
/// variable with.
bool registerTest(const char* folder, const char* file, TestRun run);

// What differs from build to build is asked when a test runs: its object may be linked in several.

/// The folder of the programs that were built with this test.
QString programFolder();
/// One of them, such as "tilescope".
QString programPath(const QString& name);
/// Whether this build is watched by the address sanitizer.
bool hasAddressSanitizer();

} // namespace tilescope::test

/// TILESCOPE_TEST(Class), TILESCOPE_TEST(Class, QCoreApplication), TILESCOPE_TEST(Class,
/// QApplication): once in a file, in the file's own namespace.
#define TILESCOPE_TEST(...)                                                                        \
    [[maybe_unused]] const bool registered = tilescope::test::registerTest(                        \
        TILESCOPE_TEST_FOLDER, __FILE__, tilescope::test::runTest<__VA_ARGS__>);

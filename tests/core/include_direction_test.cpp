#include <QTest>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/test_main.h"

namespace include_direction_test {
namespace fs = std::filesystem;

namespace {

/// An #include of a file: where it is written, and what follows the word.
struct Include {
    std::string where; ///< "core/base/digest.cpp:4"
    std::string from;  ///< the folder of the file
    std::string what;  ///< with its quotes or brackets
};

/// Those of every file below a folder of the sources.
std::vector<Include> includesBelow(const std::string& folder) {
    const fs::path root = TILESCOPE_SOURCE_DIR;
    const std::regex directive("^\\s*#\\s*include\\s*([\"<].*)");
    std::vector<Include> includes;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp")
            continue;
        const fs::path file = fs::relative(entry.path(), root);
        std::ifstream in(entry.path());
        std::string line;
        std::smatch match;
        for (int number = 1; std::getline(in, line); ++number)
            if (std::regex_match(line, match, directive))
                includes.push_back({file.string() + ":" + std::to_string(number),
                                    file.parent_path().string(), match[1]});
    }
    return includes;
}

/// The includes by which folders depend on each other: from a folder to another one.
using FolderGraph = std::map<std::string, std::map<std::string, std::vector<std::string>>>;

FolderGraph graphOf(const std::vector<Include>& includes, const std::string& top) {
    FolderGraph graph;
    for (const Include& include : includes) {
        if (!include.what.starts_with('"' + top + '/'))
            continue;
        const std::string file = include.what.substr(1, include.what.find('"', 1) - 1);
        const std::string to = fs::path(file).parent_path().string();
        if (to != include.from)
            graph[include.from][to].push_back(include.where + " includes " + file);
    }
    return graph;
}

std::set<std::string> reachedFrom(const FolderGraph& graph, const std::string& folder) {
    std::set<std::string> reached;
    std::vector<std::string> open = {folder};
    while (!open.empty()) {
        const auto at = graph.find(open.back());
        open.pop_back();
        if (at == graph.end())
            continue;
        for (const auto& [to, files] : at->second)
            if (reached.insert(to).second)
                open.push_back(to);
    }
    return reached;
}

/// A line for each include that closes a cycle of folders.
std::string circlesOf(const FolderGraph& graph) {
    std::string circles;
    for (const auto& [from, targets] : graph)
        for (const auto& [to, files] : targets)
            if (reachedFrom(graph, to).contains(from))
                for (const std::string& file : files)
                    circles += "\n  " + file;
    return circles;
}

} // namespace

/// Allowed includes: core includes none of the other folders, simulator only core, views only core
/// and Qt; and folders must not include each other, directly or through others.
class IncludeDirectionTest : public QObject {
    Q_OBJECT

private slots:
    void foldersIncludeOnlyWhatTheyMay_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("forbidden");
        const char* qt = "<Q[A-Za-z0-9/]*>|<Qt|qcustomplot";
        QTest::newRow("core") << "core" << QString("\"(simulator|views|app|tests)/|%1").arg(qt);
        QTest::newRow("simulator") << "simulator" << QString("\"(views|app|tests)/|%1").arg(qt);
        QTest::newRow("views") << "views"
                               << "\"(simulator|app|tests)/";
        QTest::newRow("app/cli") << "app/cli" << QString("\"(views|app/gui|tests)/|%1").arg(qt);
        QTest::newRow("app/python")
            << "app/python" << QString("\"(views|app/gui|app/cli|tests)/|%1").arg(qt);
        QTest::newRow("app/gui") << "app/gui"
                                 << "\"(simulator|app/cli|tests)/";
    }
    void foldersIncludeOnlyWhatTheyMay() {
        QFETCH(QString, folder);
        QFETCH(QString, forbidden);
        const std::regex wrong("^(" + forbidden.toStdString() + ")");
        for (const Include& include : includesBelow(folder.toStdString()))
            QVERIFY2(!std::regex_search(include.what, wrong),
                     (include.where + " includes " + include.what).c_str());
    }

    void circlesAreFound() {
        const FolderGraph graph = graphOf({{"core/a/x.cpp:1", "core/a", "\"core/b/y.h\""},
                                           {"core/b/y.h:1", "core/b", "\"core/c/z.h\""},
                                           {"core/c/z.h:1", "core/c", "\"core/a/x.h\""},
                                           {"core/c/z.h:2", "core/c", "\"core/d/w.h\""},
                                           {"core/c/z.h:3", "core/c", "<vector>"}},
                                          "core");
        QCOMPARE(QString::fromStdString(circlesOf(graph)), "\n  core/a/x.cpp:1 includes core/b/y.h"
                                                           "\n  core/b/y.h:1 includes core/c/z.h"
                                                           "\n  core/c/z.h:1 includes core/a/x.h");
    }

    void foldersMakeNoCircle_data() {
        QTest::addColumn<QString>("top");
        for (const char* top : {"core", "simulator", "views", "app/cli", "app/gui", "app/python"})
            QTest::newRow(top) << top;
    }
    void foldersMakeNoCircle() {
        QFETCH(QString, top);
        const std::string folder = top.toStdString();
        const std::string circles = circlesOf(graphOf(includesBelow(folder), folder));
        QVERIFY2(circles.empty(), ("folders include each other:" + circles).c_str());
    }
};

TILESCOPE_TEST(IncludeDirectionTest)

} // namespace include_direction_test

#include "include_direction_test.moc"

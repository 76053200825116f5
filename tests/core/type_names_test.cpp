#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <re2/re2.h>
#include <set>
#include <string>
#include <vector>

#include "tests/support/test_main.h"

namespace type_names_test {
namespace fs = std::filesystem;

namespace {

/// Source text without comments, literals and preprocessor lines, which may hold any brace.
std::string withoutTexts(std::string source) {
    // Not raw texts themselves: moc would not find the class below.
    static const RE2 rawTexts("(?s)R\"[a-z]*\\(.*?\\)[a-z]*\"");
    static const RE2 texts("//[^\\n]*|/\\*(?s:.*?)\\*/|\"(?:[^\"\\\\\\n]|\\\\.)*\"|"
                           "'(?:[^'\\\\\\n]|\\\\.)+'|(?m:^[ \\t]*#[^\\n]*)");
    RE2::GlobalReplace(&source, rawTexts, " ");
    RE2::GlobalReplace(&source, texts, " ");
    return source;
}

/// Types with a body at namespace scope, with their namespaces: "tilescope::views::Theme". What is
/// in an unnamed namespace belongs to its file alone and is left out.
std::vector<std::string> typesOf(const std::string& source) {
    // A namespace with its name, a type with its name and what it derives from, or a brace.
    static const RE2 token("(\\bnamespace\\b\\s*([A-Za-z0-9_:]*)\\s*\\{)|"
                           "(?:\\b(?:struct|class|enum|union)(?:\\s+class)?\\s+"
                           "([A-Za-z0-9_:]+(?:<[^;{}()]*>)?)(?:\\s+final)?\\s*(?::[^;{}]*)?\\{)|"
                           "\\{|(\\})");
    struct Scope {
        bool isNamespace = false;
        std::string name; ///< empty: unnamed, or no namespace
    };
    const std::string text = withoutTexts(source);
    re2::StringPiece rest(text);
    re2::StringPiece inNamespace, space, type, closing;
    std::vector<Scope> scopes;
    std::vector<std::string> types;
    while (RE2::FindAndConsume(&rest, token, &inNamespace, &space, &type, &closing)) {
        if (!closing.empty()) {
            if (!scopes.empty())
                scopes.pop_back();
            continue;
        }
        const bool shared = std::all_of(scopes.begin(), scopes.end(), [](const Scope& scope) {
            return scope.isNamespace && !scope.name.empty();
        });
        if (!type.empty() && shared) {
            std::string name;
            for (const Scope& scope : scopes)
                name += scope.name + "::";
            types.push_back(name + std::string(type));
        }
        scopes.push_back({!inNamespace.empty(), std::string(space)});
    }
    return types;
}

/// Files by the type that they define.
using Definitions = std::map<std::string, std::set<std::string>>;

void addTypesBelow(Definitions& definitions, const std::string& folder) {
    const fs::path root = TILESCOPE_SOURCE_DIR;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp")
            continue;
        std::ifstream in(entry.path());
        const std::string source(std::istreambuf_iterator<char>(in), {});
        for (const std::string& type : typesOf(source))
            definitions[type].insert(fs::relative(entry.path(), root).string());
    }
}

} // namespace

/// A name with two definitions breaks a program without a message from the compiler, as each file
/// sees only one of them. Whether unity builds hide it depends on how files are grouped.
class TypeNamesTest : public QObject {
    Q_OBJECT

private slots:
    void typesAreFound() {
        const std::vector<std::string> types = typesOf(
            "// struct No {};\n#define X struct No {\nnamespace a::b {\nstruct One : Two<int> "
            "{ struct Inner {}; };\nenum class Three : char { A };\nnamespace {\nclass No "
            "{};\n}\nvoid f() { struct No {}; }\nclass Declared;\ntemplate <class T> struct "
            "Four final { const char* s = \"}\"; };\n} namespace c { struct One {}; }");
        QCOMPARE(types,
                 (std::vector<std::string>{"a::b::One", "a::b::Three", "a::b::Four", "c::One"}));
    }

    void everyTypeIsDefinedOnce() {
        Definitions definitions;
        for (const char* folder : {"core", "simulator", "views", "app"})
            addTypesBelow(definitions, folder);
        QVERIFY2(definitions.size() > 500, "types are not found");
        for (const auto& [type, files] : definitions) {
            std::string where;
            for (const std::string& file : files)
                where += "\n  " + file;
            QVERIFY2(files.size() == 1, (type + " is defined in" + where).c_str());
        }
    }
};

TILESCOPE_TEST(TypeNamesTest)

} // namespace type_names_test

#include "type_names_test.moc"

// Descriptions of operators that are made one by one: those of the library's registry.
#include <QTest>

#include "simulator/frontend/resolve/schemas.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace schemas_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

class SchemasTest : public QObject {
    Q_OBJECT

private slots:
    void versionsAreThoseOfTheRegistry() {
        const int newest = onnx::OpSchemaRegistry::DomainToVersionRange::Instance()
                               .Map()
                               .at(onnx::ONNX_DOMAIN)
                               .second;
        Schemas schemas;
        int own = 0;
        for (const onnx::OpSchema& listed : onnx::OpSchemaRegistry::get_all_schemas())
            for (int opset = 1; listed.domain().empty() && opset <= newest; ++opset) {
                const onnx::OpSchema* made = schemas.ownOf(listed.Name(), opset);
                if (made == nullptr)
                    continue;
                const auto* expected =
                    onnx::OpSchemaRegistry::Schema(listed.Name(), opset, onnx::ONNX_DOMAIN);
                QVERIFY(expected != nullptr);
                QCOMPARE(made->SinceVersion(), expected->SinceVersion());
                QCOMPARE(text(made->Name()), text(expected->Name()));
                QCOMPARE(made->max_input(), expected->max_input());
                QVERIFY(made->has_type_and_shape_inference_function());
                ++own;
            }
        // Every set from 11 on has those of the table, if the library is the one it was made for.
        QVERIFY(newest != 17 || own > 45 * 7);
    }

    void othersAreTheRegistrys() {
        Schemas schemas;
        QVERIFY(schemas.ownOf("Conv", 13) == schemas.ownOf("Conv", 11));
        QVERIFY(schemas.ownOf("NonZero", 13) == nullptr);
        QVERIFY(schemas.of("NonZero", 13) ==
                onnx::OpSchemaRegistry::Schema("NonZero", 13, onnx::ONNX_DOMAIN));
        QCOMPARE(schemas.of("Add", 6)->SinceVersion(), 6);
        QVERIFY(schemas.of("NoSuchOperator", 13) == nullptr);
    }
};

TILESCOPE_TEST(SchemasTest)

} // namespace schemas_test

#include "schemas_test.moc"

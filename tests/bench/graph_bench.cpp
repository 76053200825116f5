// How long the model's graph takes: scopes, layout and frames, without a display:
//   graph_bench [PROFILE ...]
// prints a line for random models of several sizes, or for the graphs of profiles.
#include <QApplication>
#include <QWheelEvent>
#include <chrono>
#include <cstdio>

#include "core/store/profile_reader.h"
#include "tests/support/random_model.h"
#include "views/operations/graph/graph_canvas.h"

using namespace tilescope;
using namespace tilescope::views;

namespace {

template <class Work> double milliseconds(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

std::shared_ptr<GraphModel> modelOf(const ModelGraph& graph) {
    MergedGraph merged;
    merged.graph = graph;
    merged.edges = modelEdges(graph);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        merged.source.add(ModelNodeId(i));
        merged.target.add({});
    }
    auto model = std::make_shared<GraphModel>(std::move(merged), usualGrouping(graph));
    model->source = test::randomCosts(1, graph.nodes.size());
    model->sourceSums = scopeCosts(model->tree, model->source);
    return model;
}

double slowestFrame(GraphCanvas& canvas) {
    double slowest = 0;
    for (int i = 0; i < 12; ++i) {
        QWheelEvent event(QPointF(400, 300), canvas.mapToGlobal(QPointF(400, 300)), {}, {0, 120},
                          Qt::NoButton, {}, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&canvas, &event);
        (void)canvas.grab();
        slowest = std::max(slowest, canvas.frameMs());
    }
    return slowest;
}

void measure(const char* name, const ModelGraph& graph, ViewContext& context) {
    std::shared_ptr<GraphModel> model;
    const double read = milliseconds([&] { model = modelOf(graph); });
    for (const bool all : {false, true}) {
        Expansion expansion = startingExpansion(model->tree);
        if (all)
            expansion.setAll(true);
        std::shared_ptr<const GraphScene> scene;
        const double layout =
            milliseconds([&] { scene = makeScene(model, expansion, QApplication::font(), {}); });
        GraphCanvas canvas(context);
        canvas.resize(1280, 900);
        canvas.setScene(scene, {});
        canvas.fit();
        (void)canvas.grab();
        const double whole = canvas.frameMs();
        std::printf(
            "%-28s %5zu operations, %5zu boxes, %5zu lines: scopes %.1f ms, layout %.1f ms, "
            "whole %.1f ms, slowest zoomed frame %.1f ms\n",
            name, graph.nodes.size(), scene->visible.items.size(), scene->wires.size(), read,
            layout, whole, slowestFrame(canvas));
    }
}

} // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
    ViewContext context;
    for (int i = 1; i < argc; ++i)
        measure(argv[i], ProfileReader(argv[i]).modelGraph(), context);
    if (argc == 1)
        for (const std::size_t operations : {300, 1000, 5000})
            measure("random", test::randomModel(1, operations), context);
    return 0;
}

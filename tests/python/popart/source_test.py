"""Lines of PopART scripts in profiles."""
import json

import numpy
import tilescope

SCRIPT = '''
import numpy as np
import popart


def layer(builder, x, rows, columns):
    w = builder.addInitializedInputTensor(np.ones((rows, columns), np.float32))
    return builder.aiOnnx.matmul([x, w])


def run():
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4, 16]))
    y = layer(builder, x, 16, 8)
    y = builder.aiOnnx.relu([y])
    y = builder.aiGraphcore.gelu([y])
    y = builder.aiGraphcore.scale([y], 0.5)
    loss = builder.aiGraphcore.l1loss([y], 0.1)
    optimizer = popart.SGD({"defaultLearningRate": (0.1, True), "defaultMomentum": (0.9, True)})
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(2, [loss]), loss, optimizer,
                                     popart.DeviceManager().acquireAvailableDevice(1))
    session.prepareDevice()
    session.weightsFromHost()
    session.run(popart.PyStepIO({x: np.ones((2, 4, 16), np.float32)}, session.initAnchorArrays()))
'''


def line_of(text):
    return 1 + SCRIPT[:SCRIPT.index(text)].count("\n")


def test_operations_have_the_lines_of_the_script(tmp_path, monkeypatch, assert_sums):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    names = {}
    exec(compile(SCRIPT, str(path), "exec"), names)  # pylint: disable=exec-used
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"autoReport.all": "true"}))
    names["run"]()
    (profile, ) = tmp_path.rglob("profile.pop")
    assert_sums(profile)
    rows = tilescope.open(profile).query(
        "SELECT path, sum(forwardCycles) AS forward, sum(backwardCycles) AS backward, "
        "sum(updateCycles) AS changes FROM report_source WHERE kind IS NULL GROUP BY path")
    cost = {int(row.path.rsplit(":", 1)[1]): row for row in rows.itertuples() if "script.py" in row.path}
    for text in ("return builder.aiOnnx.matmul", "y = builder.aiOnnx.relu", "y = builder.aiGraphcore.gelu",
                 "y = builder.aiGraphcore.scale", "loss = builder.aiGraphcore.l1loss"):
        assert cost[line_of(text)].forward > 0, text
        assert cost[line_of(text)].backward > 0, text
    assert numpy.isclose(sum(row.changes for row in cost.values()),
                         cost[line_of("optimizer = popart.SGD")].changes)

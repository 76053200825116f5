// A small capture, as tilescope_capture.py writes it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/atomic_file.h"
#include "core/database/database.h"

namespace tilescope::test {

/// The statements that the script creates a capture with.
inline std::string captureSchema() {
    const std::string script =
        readFile(TILESCOPE_SOURCE_DIR "/resources/capture/tilescope_capture.py");
    const std::string begin = "SCHEMA = \"\"\"";
    const std::size_t from = script.find(begin) + begin.size();
    return script.substr(from, script.find("\"\"\"", from) - from);
}

// Two tiles run a compute set three times, in a function whose call has no known target.
inline constexpr std::string_view sampleCapture = R"sql(
INSERT INTO info VALUES('target.architecture','Ipu2'), ('target.tilesPerIpu',2), ('target.tiles',2),
    ('target.bytesPerTile',638976), ('target.clockFrequency',1325000000.0), ('target.type','Ipu'),
    ('poplar','3.3.0'), ('file.digest','abc');
INSERT INTO sections VALUES('info','done',1,0,NULL), ('execution','done',4,0,NULL);
INSERT INTO names VALUES('Graph.numEdges',1,1,0,'AttributeError: numEdges');
INSERT INTO series VALUES(0, X'0100020a'), (1, X'01000114'), (2, X'00');
INSERT INTO tiles VALUES(0,100,15,0,0,50,40), (1,100,5,0,0,50,40);
INSERT INTO tile_categories VALUES('variable','nonInterleaved',0,0), ('rearrangement','interleaved',0,1);
INSERT INTO vertex_types VALUES(0,'poplin::Conv',16,0);
INSERT INTO compute_sets VALUES(0,'conv/Convolve',0);
INSERT INTO vertex_instances VALUES(0,0,0);
INSERT INTO programs VALUES(10,'Sequence','',NULL,NULL,NULL,NULL,0,NULL,NULL),
    (11,'Repeat','',NULL,NULL,NULL,NULL,2,NULL,NULL), (12,'Call','',NULL,NULL,NULL,NULL,2,NULL,NULL),
    (13,'OnEveryTileSwitch','x',NULL,NULL,NULL,NULL,2,NULL,NULL),
    (14,'Sans','',NULL,NULL,NULL,NULL,2,NULL,NULL),
    (20,'Sequence','',NULL,NULL,NULL,NULL,2,NULL,NULL),
    (21,'OnTileExecute','conv/Convolve',0,NULL,NULL,NULL,2,NULL,7);
INSERT INTO program_children VALUES(10,0,14), (10,1,11), (10,2,13), (11,0,12), (20,0,21);
INSERT INTO program_variables VALUES(21, X'00');
INSERT INTO classes VALUES(5, X'0001');
INSERT INTO variables VALUES(0,'weights',NULL,'1',0,5,2,0);
INSERT INTO liveness_steps VALUES(0,21,20,NULL), (1,13,0,NULL), (2,14,0,NULL);
INSERT INTO runs VALUES(0,NULL,5,0.0,1.0);
INSERT INTO step_kinds VALUES(0,21,'OnTileExecute',0,10,10,0,0,0,0,0.5,0.5,2),
    (1,NULL,'Sync',0,3,3,0,0,0,0,0,0,0), (2,14,'Sans',0,4,4,0,0,0,0,0,0,0);
INSERT INTO step_chunks VALUES(0,0,5, X'05000314010001000100');
INSERT INTO measured VALUES(21,0);
INSERT INTO contexts VALUES(7,'conv','popart','{"op_type":"Conv"}',NULL,NULL,NULL);
INSERT INTO operations VALUES(0,'conv',7,0,0,NULL,X'15');
)sql";

/// Writes it with some changes, which are SQL.
inline void writeSampleCapture(const std::filesystem::path& file, const std::string& change = {}) {
    std::filesystem::remove(file);
    Database db(DatabaseOrigin{file.string(), "capture", ""}, Database::Mode::Create);
    db.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
               "PRAGMA application_id=1414742864; PRAGMA user_version=1;");
    db.execute(captureSchema());
    db.execute(sampleCapture);
    db.execute(change);
    db.close();
}

} // namespace tilescope::test

// The rows of the info table: one list for writing and reading, so the two cannot drift.
#pragma once

#include "core/profile/profile.h"

namespace tilescope {

/// Of the row that says that the file's pages have seals, so that their loss is noticed too.
inline constexpr std::string_view sealedKey = "sealed";

/// Calls visit(key, field) for every plain field of the info table; maps are not among them.
template <class Info, class Visitor> void visitInfoFields(Info& info, Visitor&& visit) {
    visit("creator", info.creator);
    visit("createdAt", info.createdAt);
    visit("model", info.model);
    visit("mode", info.mode);
    visit("batchSize", info.batchSize);
    visit("deviceIterations", info.deviceIterations);
    visit("replicas", info.replicas);
    visit("edges", info.edges);
    visit("vertices", info.vertices);
    visit("fits", info.fits);
    visit("hasExecution", info.hasExecution);
    visit("cycles", info.cycles);
    visit("throughput", info.throughput);
    auto& t = info.target;
    visit("target.name", t.name);
    visit("target.architecture", t.architecture);
    visit("target.description", t.description);
    visit("target.ipus", t.ipus);
    visit("target.tilesPerIpu", t.tilesPerIpu);
    visit("target.clockHz", t.clockHz);
    visit("target.bytesPerTile", t.bytesPerTile);
    visit("target.memoryBase", t.memoryBase);
    visit("target.elementBytes", t.elementBytes);
    visit("target.interleavedOffset", t.interleavedOffset);
    visit("target.workers", t.workers);
    visit("target.vectorWidthHalf", t.vectorWidthHalf);
    visit("target.vectorWidthFloat", t.vectorWidthFloat);
    visit("target.convUnitsHalfToHalf", t.convUnitsHalfToHalf);
    visit("target.convUnitsHalfToFloat", t.convUnitsHalfToFloat);
    visit("target.convUnitsFloatToFloat", t.convUnitsFloatToFloat);
    visit("target.convUnitLoadElemsHalf", t.convUnitLoadElemsHalf);
    visit("target.convUnitLoadElemsFloat", t.convUnitLoadElemsFloat);
    visit("target.convUnitPipelineDepth", t.convUnitPipelineDepth);
    visit("target.convCoefficientBytesPerCycle", t.convCoefficientBytesPerCycle);
    visit("target.memcpyBytesPerCycle", t.memcpyBytesPerCycle);
    visit("target.atomicStoreBytes", t.atomicStoreBytes);
    visit("target.exchangeBytesPerCycle", t.exchangeBytesPerCycle);
    visit("target.tilesPerSharedBus", t.tilesPerSharedBus);
    visit("target.internalSyncCycles", t.internalSyncCycles);
    visit("target.externalSyncCycles", t.externalSyncCycles);
    visit("target.hostBytesPerSecond", t.hostBytesPerSecond);
    visit("target.hostLatencySeconds", t.hostLatencySeconds);
    visit("target.ipuLinkBytesPerSecond", t.ipuLinkBytesPerSecond);
    visit("target.streamingMemoryBytesPerSecond", t.streamingMemoryBytesPerSecond);
    visit("target.systemIpus", t.systemIpus);
    visit("target.linkDomainIpus", t.linkDomainIpus);
    visit("target.gatewayBytesPerSecond", t.gatewayBytesPerSecond);
}

} // namespace tilescope

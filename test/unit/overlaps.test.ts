import { describeOverlaps } from '../flows/overlaps.suite.ts';
import { seedsUpTo } from '../makers/interleaved.ts';
import { MemoryStore } from '../makers/memory-store.ts';
import { describeAnalyses } from '../table/analyses.suite.ts';

// What a sweep in memory says of the domain holds as far as the rows in memory keep to what the table's adapters keep to.
describeAnalyses((clock) => new MemoryStore(clock));

const SOAK = process.env['SOAK'] !== undefined;
describeOverlaps((clock) => new MemoryStore(clock), {
  every: SOAK ? 1 : 3,
  seeds: seedsUpTo(SOAK ? 1_000 : 20),
  answersWait: true,
});

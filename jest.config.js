import { availableParallelism } from 'node:os';

/** Test files at once. Most wait for processes more than they use the processor. */
export const MANY_AT_ONCE = availableParallelism() + 2;

/**
 * End-to-end tests stand in test/ and talk to the built apps. Those that take long because something is killed, frozen or
 * filled in them are *.fault-spec.ts; *.latency-spec.ts, if they also compare latencies, and *.long-spec.ts, if they take a
 * minute or more. Unit tests: jest.unit.config.js.
 */
export default {
  // Files of one worker share a realm and its modules: loading them anew for each file cost more than the tests.
  runner: '<rootDir>/test/support/runner/child-processes.mjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.{e2e,fault,latency,long}-spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // Latency tests: with more at once they would measure each other. `npm test` runs all others MANY_AT_ONCE.
  maxWorkers: Math.max(2, availableParallelism()),
};

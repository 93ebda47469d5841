import { availableParallelism } from 'node:os';
import { swcOptions } from './swc-options.js';

/**
 * End-to-end tests stand in test/ and talk to the built apps. Those that take long because something is killed, frozen or
 * filled in them are *.fault-spec.ts. Unit tests: jest.unit.config.js.
 */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.e2e-spec.ts', '**/*.fault-spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
  moduleNameMapper: {
    '^@app/chain/(.*)$': '<rootDir>/libs/chain/src/$1/index.ts',
    '^@app/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // Each file runs several apps: with three files at once on two cores, apps take too long to start.
  maxWorkers: Math.max(2, availableParallelism()),
  workerIdleMemoryLimit: '512MB',
  testTimeout: 30_000,
};

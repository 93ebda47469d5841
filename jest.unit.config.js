import { availableParallelism } from 'node:os';

/**
 * Unit tests start nothing: no app, no server, no database. They stand beside what they test, or in test/ where they
 * need something of it. They share one realm and its loaded modules in each worker.
 */
export default {
  runner: 'jest-light-runner',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  maxWorkers: Math.max(2, availableParallelism()),
};

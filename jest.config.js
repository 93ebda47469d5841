import { availableParallelism } from 'node:os';

/**
 * Unit tests stand beside what they test; end-to-end tests stand in test/ and talk to the built apps. Those that take
 * long because something is killed, frozen or filled in them are *.fault-spec.ts.
 */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts', '**/*.fault-spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        sourceMaps: 'inline',
        module: { type: 'es6' },
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        swcrc: false,
      },
    ],
  },
  moduleNameMapper: {
    '^@app/chain/(.*)$': '<rootDir>/libs/chain/src/$1/index.ts',
    '^@app/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  // End-to-end tests wait more than they work: two have room on two cores.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  workerIdleMemoryLimit: '512MB',
  testTimeout: 30_000,
};

import { describe } from '@jest/globals';
import { runsKubectl } from '../../scripts/kubernetes/unpack-kubectl.mjs';
import { findTool } from '../../scripts/local/tools.mjs';
import { hasFaketime } from './faketime.js';
import { hasRedis } from './local-redis.js';

type Describe = (title: string, tests: () => void) => void;

/**
 * Leaves tests out where a program is not installed. The end of their title names it: the last lines of `npm test` count
 * them by it (scripts/local/test-results.mjs). With CI set a skipped test is a failure.
 */
export const describeIf = (isThere: boolean, program: string): Describe =>
  isThere
    ? describe
    : (title, tests) => {
        describe.skip(`${title} [needs ${program}]`, tests);
      };

export const describeWithRedis = describeIf(hasRedis, 'redis-server');
/** `npm test` fetches it (scripts/local/test-tools.mjs), on x86-64 Linux. */
export const describeWithKubectl = describeIf(runsKubectl && findTool('kubectl') !== undefined, 'kubectl');
/** `npm test` fetches them (scripts/local/test-tools.mjs). */
export const describeWithOpenapiClients = describeIf(
  findTool('openapi-clients') !== undefined,
  'openapi-clients',
);
export const describeWithFaketime = describeIf(hasFaketime, 'libfaketime');

/** Describes the same once for each queue backend. `%s` in the title is the backend. */
export function describeBackends<T extends string>(
  backends: readonly T[],
  title: string,
  tests: (backend: T) => void,
): void {
  for (const backend of backends)
    (/^postgres/i.test(backend) ? describe : describeWithRedis)(title.replace('%s', backend), () => {
      tests(backend);
    });
}

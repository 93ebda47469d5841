import { afterAll, beforeAll, describe } from '@jest/globals';
import { findProgram, type ProgramName } from '../../scripts/tests/test-programs.mjs';

type Describe = (title: string, tests: () => void) => void;

/** The programs that the running or defined blocks have declared; a block inside another one may declare the same. */
const declared: ProgramName[] = [];

/**
 * Describes tests that need a program of PROGRAMS (scripts/tests/test-programs.mjs). Where it is not installed each of them
 * is skipped; the end of the title names the program, by which the last lines of `npm test` count them. No other test gets at
 * the program: what starts it asks `pathOf`.
 */
export const describeWith =
  (program: ProgramName): Describe =>
  (title, tests) => {
    if (findProgram(program) === undefined) {
      describe.skip(`${title} [needs ${program}]`, tests);
      return;
    }
    describe(title, () => {
      beforeAll(() => {
        declared.push(program);
      });
      declareWhile(program, tests);
      afterAll(() => {
        withdraw(program);
      });
    });
  };

/** A test may read what a program says while its file is loaded, to define one test for each part of it. */
function declareWhile(program: ProgramName, tests: () => void): void {
  declared.push(program);
  try {
    tests();
  } finally {
    withdraw(program);
  }
}

const withdraw = (program: ProgramName): void => {
  declared.splice(declared.lastIndexOf(program), 1);
};

/**
 * The place of an installed program, for what starts it.
 * @throws Error in a test that does not declare the program: it would fail, and not be counted as skipped, where the
 *   program is not installed
 */
export function pathOf(program: ProgramName): string {
  if (!declared.includes(program))
    throw new Error(
      `This test uses ${program} without saying so: put it into describeWith('${program}') (test/support/needs.ts)`,
    );
  const path = findProgram(program);
  if (path === undefined) throw new Error(`${program} was removed while the test ran`);
  return path;
}

export const describeWithRedis = describeWith('redis-server');
/** `npm test` fetches it (scripts/tests/test-tools.mjs), on x86-64 Linux. */
export const describeWithKubectl = describeWith('kubectl');
/** `npm test` fetches them (scripts/tests/test-tools.mjs). */
export const describeWithOpenapiClients = describeWith('openapi-clients');
/** `npm test` fetches the packages of the quick starts (scripts/tests/test-tools.mjs). */
export const describeWithExamplePackages = describeWith('example-packages');
export const describeWithFlask = describeWith('flask');
export const describeWithFaketime = describeWith('libfaketime');
/** Tests with a file system of their own, which they fill. */
export const describeWithTmpfs = describeWith('tmpfs');
export const describeWithCurl = describeWith('curl');
/** Tests in a real browser; `CHROMIUM_PATH` overrides its path. */
export const describeInBrowser = describeWith('chromium');

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

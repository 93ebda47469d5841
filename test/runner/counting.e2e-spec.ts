import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';
import { findProgram, hidePrograms } from '../../scripts/tests/test-programs.mjs';
import type { JestRun } from '../../scripts/tests/jest-run.mjs';
import { sumResults } from '../../scripts/tests/test-results.mjs';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-counting-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the fixture with the runner of all end-to-end tests. */
async function runFixture(env: Record<string, string>) {
  const outputFile = join(folder, 'results.json');
  const args = ['--config', join(root, 'jest.config.js'), '--testMatch=**/needing.fixture.ts'];
  args.push('--maxWorkers=1', '--json', `--outputFile=${outputFile}`);
  // Jest's exit code says that a test has failed.
  await new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'node_modules/jest/bin/jest.js'), ...args],
      { cwd: root, env: { ...process.env, TEST_PREVIOUS_RELEASE: '/a/tree', ...env } },
      resolve,
    );
  });
  const results = JSON.parse(readFileSync(outputFile, 'utf8')) as NonNullable<JestRun['results']>;
  const failures = results.testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ title, status }) => (status === 'failed' ? [title] : [])),
  );
  const { passed, failed, skipped, needs } = sumResults([{ success: true, results }]);
  return { passed, failed, skipped, needs: Object.fromEntries(needs), failures };
}

describe('the runner of tests', () => {
  it('describeWith: gives its program to its own tests and hooks only', async () => {
    expect(await runFixture({})).toEqual({
      passed: 5,
      failed: 1,
      skipped: 0,
      needs: {},
      failures: ['uses a program that it has not declared'],
    });
  });

  it('describeWith: skips and counts each test of a program that is hidden, and runs none of their hooks', async () => {
    expect(await runFixture({ TEST_WITHOUT: 'previous-release' })).toMatchObject({
      passed: 1,
      failed: 1,
      skipped: 4,
      needs: { 'previous-release': 4 },
    });
  });

  it('npm test -- --collect: counts the tests of a file and runs none, with and without a program', async () => {
    expect(await runFixture({ TEST_COLLECT: '1' })).toMatchObject({ passed: 0, failed: 0, skipped: 6 });
    const hidden = { TEST_COLLECT: '1', TEST_WITHOUT: 'previous-release' };
    expect(await runFixture(hidden)).toMatchObject({ passed: 0, failed: 0, skipped: 6 });
  });
});

describe('npm test -- --without', () => {
  const whereIs = (command: string, env: NodeJS.ProcessEnv): string =>
    execFileSync('bash', ['-c', `command -v ${command} || echo nowhere`], { env, encoding: 'utf8' }).trim();

  it('hidePrograms: hides a program from the tests and from shells, wherever it is on the PATH, and no other', () => {
    const bin = mkdtempSync(join(folder, 'bin-'));
    for (const name of ['redis-server', 'valkey-server', 'another-program']) {
      writeFileSync(join(bin, name), '#!/bin/sh\n');
      chmodSync(join(bin, name), 0o755);
    }
    const { PATH = '' } = process.env;
    const env = { ...process.env, PATH: [bin, PATH].join(delimiter) };
    const without = { ...env, ...hidePrograms(['redis-server'], folder, env) };
    expect(whereIs('redis-server', env)).toBe(join(bin, 'redis-server'));
    for (const name of ['redis-server', 'valkey-server']) expect(whereIs(name, without)).toBe('nowhere');
    for (const name of ['another-program', 'node', 'bash'])
      expect(whereIs(name, without)).not.toBe('nowhere');
    // The runner restores these variables before the next file.
    Object.assign(process.env, without);
    expect(findProgram('redis-server')).toBeUndefined();
    Object.assign(process.env, { TEST_WITHOUT: '', PATH: env.PATH });
    expect(findProgram('redis-server')).toBe(join(bin, 'redis-server'));
  });
});

import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { JestRun } from '../../scripts/tests/jest-run.mjs';
import { root } from '../../scripts/build/project.mjs';
import { MAX_SECOND_RUNS, runFailedAgain } from '../../scripts/tests/second-run.mjs';
import { compareCollections, summarize, sumResults } from '../../scripts/tests/test-results.mjs';

/** A test file that does not exist. */
const pathOf = (name: string, kind = 'e2e'): string => join('test', `${name}.${kind}-spec.ts`);

type Status = 'passed' | 'failed' | 'pending';

/** A file of jest's `--json`; tests are their statuses, and the first title of each is `block`. */
const file = (name: string, tests: Status[], { block = 'a block', isLoaded = true } = {}) => ({
  name: join(root, name),
  status: !isLoaded || tests.includes('failed') ? 'failed' : 'passed',
  assertionResults: tests.map((status, at) => ({ ancestorTitles: [block], title: `test ${at}`, status })),
});

function run(...testResults: ReturnType<typeof file>[]): JestRun {
  const success = testResults.every(({ status }) => status === 'passed');
  return { config: 'jest.config.js', isShortLived: false, success, results: { success, testResults } };
}

const lastLine = (runs: JestRun[], env: NodeJS.ProcessEnv = {}, hidden: string[] = []) => {
  const { lines, success } = summarize(sumResults(runs), { env, hidden });
  return [lines.at(-1), success];
};

describe('the last lines of npm test', () => {
  it('summarize: counts every test of every run once, and a file that does not load as one that failed', () => {
    const broken = file(pathOf('b'), [], { isLoaded: false });
    const runs = [run(file(pathOf('a'), ['passed', 'failed', 'pending'])), run(broken)];
    expect(lastLine(runs)).toEqual(['Tests: 1 passed, 2 failed, 1 skipped', false]);
  });

  it('summarize: says how many tests each missing program leaves out, and how to get it', () => {
    const skipped = file(pathOf('a'), ['pending', 'pending'], { block: 'pages [needs chromium]' });
    expect(summarize(sumResults([run(skipped)]), { env: {} }).lines).toEqual([
      'Not run: 2 tests need chromium (Debian: apt install chromium-headless-shell).',
      'Tests: 0 passed, 0 failed, 2 skipped',
    ]);
  });

  it('summarize: takes a skipped test for a failure with CI set, unless --without hides its program', () => {
    const runs = [run(file(pathOf('a'), ['pending'], { block: 'pages [needs chromium]' }))];
    expect(lastLine(runs)).toEqual(['Tests: 0 passed, 0 failed, 1 skipped', true]);
    expect(lastLine(runs, { CI: 'true' })).toEqual(['Tests: 0 passed, 0 failed, 1 skipped', false]);
    expect(lastLine(runs, { CI: 'true' }, ['chromium'])[1]).toBe(true);
    expect(lastLine(runs, { CI: 'true' }, ['curl'])[1]).toBe(false);
  });

  it('summarize: names tests that took longer than a minute outside the long tests', () => {
    const slow = (name: string): JestRun => {
      const { assertionResults, ...about } = file(name, ['passed', 'passed']);
      return run({
        ...about,
        assertionResults: assertionResults.map((test) => ({ ...test, duration: 61_000 })),
      });
    };
    expect(summarize(sumResults([slow(pathOf('a')), slow(pathOf('a', 'long'))]), { env: {} })).toEqual({
      lines: [
        `Longer than a minute: ${pathOf('a')}: a block test 0 (61 s).`,
        `Longer than a minute: ${pathOf('a')}: a block test 1 (61 s).`,
        'Tests: 4 passed, 0 failed, 0 skipped',
      ],
      success: true,
    });
  });

  it('summarize: is no success when a run did not get to its end', () => {
    const runs = [run(file(pathOf('a'), ['passed'])), { success: false }];
    expect(summarize(sumResults(runs), { env: {} })).toEqual({
      lines: [
        'Runs that did not get to their end: 1. Their tests are not counted.',
        'Tests: 1 passed, 0 failed, 0 skipped',
      ],
      success: false,
    });
  });

  it('compareCollections: names files that do not load, and those whose number of tests differs', () => {
    const all = run(
      file(pathOf('a'), ['pending', 'pending']),
      file(pathOf('b'), ['pending']),
      file(pathOf('c'), ['pending']),
    );
    const other = run(
      file(pathOf('a'), ['pending']),
      file(pathOf('b'), [], { isLoaded: false }),
      file(pathOf('c'), ['pending']),
    );
    expect(compareCollections(all, all, 'without curl')).toEqual([]);
    expect(compareCollections(all, other, 'without curl')).toEqual([
      `${pathOf('a')} has 1 tests without curl, and 2 with every program.`,
      `${pathOf('b')} cannot be loaded without curl.`,
    ]);
  });
});

describe('the second run of a test file', () => {
  const flaky = file(pathOf('a'), ['passed', 'failed']);
  const passed = file(pathOf('a'), ['passed', 'passed']);
  const other = file(pathOf('b'), ['passed', 'passed', 'passed']);

  it('runFailedAgain: counts a file as it ended in its second run, and names it', async () => {
    const asked: string[] = [];
    const { runs, lines } = await runFailedAgain([run(flaky, other), run(other)], (_, path) => {
      asked.push(path);
      return Promise.resolve(run(passed));
    });
    expect(asked).toEqual([pathOf('a')]);
    expect(lines[0]).toMatch(/^Passed on the second run/);
    expect(lines[1]).toContain(`${pathOf('a')}\n    a block test 1`);
    expect(lastLine(runs, { CI: 'true' })).toEqual(['Tests: 8 passed, 0 failed, 0 skipped', true]);
  });

  it('runFailedAgain: is a failure when the file fails again, or does not get to its end', async () => {
    const again = await runFailedAgain([run(flaky, other)], () => Promise.resolve(run(flaky)));
    expect(again.lines[0]).toBe('Failed on the second run, too:');
    expect(lastLine(again.runs)).toEqual(['Tests: 4 passed, 1 failed, 0 skipped', false]);
    for (const ended of [{ success: false }, run()]) {
      const crashed = await runFailedAgain([run(flaky)], () => Promise.resolve(ended));
      expect(lastLine(crashed.runs)).toEqual(['Tests: 1 passed, 1 failed, 0 skipped', false]);
    }
  });

  it('runFailedAgain: is a failure when a second file goes on failing', async () => {
    const runs = [run(flaky, file(pathOf('c'), ['failed']))];
    const last = await runFailedAgain(runs, (_, path) =>
      Promise.resolve(path === pathOf('a') ? run(passed) : run(file(path, ['failed']))),
    );
    expect(last.lines).toHaveLength(4);
    expect(lastLine(last.runs)).toEqual(['Tests: 2 passed, 1 failed, 0 skipped', false]);
  });

  it('runFailedAgain: is a failure when a second run ends badly and that of the next file does not', async () => {
    const runs = [run(flaky, file(pathOf('c'), ['failed']))];
    const last = await runFailedAgain(runs, (_, path) =>
      Promise.resolve(
        path === pathOf('a') ? { ...run(passed), success: false } : run(file(path, ['passed'])),
      ),
    );
    expect(lastLine(last.runs)).toEqual(['Tests: 3 passed, 0 failed, 0 skipped', false]);
  });

  it('runFailedAgain: runs nothing again when more files failed than may run again', async () => {
    const names = Array.from({ length: MAX_SECOND_RUNS + 1 }, (_, n) => file(pathOf(String(n)), ['failed']));
    const { runs, lines } = await runFailedAgain([run(...names)], () => Promise.reject(new Error('was run')));
    const count = names.length;
    expect(lines[0]).toBe(`${count} test files failed: more than ${MAX_SECOND_RUNS} are not run again.`);
    expect(lastLine(runs)).toEqual([`Tests: 0 passed, ${count} failed, 0 skipped`, false]);
  });

  it('runFailedAgain: does not excuse a run that failed though all its tests passed', async () => {
    const crashed = { ...run(other), success: false };
    const { runs } = await runFailedAgain([crashed], () => Promise.reject(new Error('was run')));
    expect(lastLine(runs)).toEqual(['Tests: 3 passed, 0 failed, 0 skipped', false]);
    const both = { ...run(flaky), success: false, results: { ...run(flaky).results, success: true } };
    const last = await runFailedAgain([both as JestRun], () => Promise.resolve(run(passed)));
    expect(lastLine(last.runs)).toEqual(['Tests: 2 passed, 0 failed, 0 skipped', false]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { testOptions } from '../../scripts/tests/test-options.mjs';

describe('the options of npm test', () => {
  it('--without: takes programs off the arguments of jest, with a space or an equals sign', () => {
    for (const args of [['--without', 'redis-server,chromium'], ['--without=redis-server,chromium']])
      expect(testOptions([...args, 'test/pages'])).toMatchObject({
        hidden: ['redis-server', 'chromium'],
        jestArgs: ['test/pages'],
      });
    expect(testOptions([]).hidden).toEqual([]);
  });

  it('--without: rejects a program that no test needs, and names those that there are', () => {
    expect(() => testOptions(['--without', 'redis'])).toThrow(
      /^--without: there is no program redis among redis-server, chromium, libfaketime/,
    );
    expect(() => testOptions(['--without'])).toThrow(
      '--without wants a value: --without redis-server,chromium',
    );
  });

  it('npm test: runs failed files again when it runs whole kinds of tests, and not those that a path chooses', () => {
    expect(testOptions([]).runsAgain).toBe(true);
    expect(testOptions(['--unit']).runsAgain).toBe(true);
    expect(testOptions(['test/pages']).runsAgain).toBe(false);
    expect(testOptions(['-t', 'title']).runsAgain).toBe(false);
    // Their images and trees are gone by then.
    expect(testOptions(['--images']).runsAgain).toBe(false);
    expect(testOptions(['--upgrade']).runsAgain).toBe(false);
  });

  it('--results: leaves the second run to --second-run, which reads the results of several runs', () => {
    expect(testOptions(['--results', 'a.json'])).toMatchObject({ resultsFile: 'a.json', runsAgain: false });
    expect(testOptions(['--second-run', 'a.json,b.json']).secondRunOf).toEqual(['a.json', 'b.json']);
  });

  it('npm test: runs unit tests, then tests without latencies, then those with; a path chooses among all', () => {
    const { hasUnit, endToEndRuns } = testOptions([]);
    expect(hasUnit).toBe(true);
    expect(endToEndRuns.map(({ args }) => args.filter((arg) => arg.startsWith('--testMatch')))).toEqual([
      ['--testMatch=**/*.fault-spec.ts', '--testMatch=**/*.e2e-spec.ts'],
      ['--testMatch=**/*.latency-spec.ts'],
    ]);
    expect(testOptions(['test/pages']).endToEndRuns).toEqual([{ args: ['test/pages'] }]);
  });
});

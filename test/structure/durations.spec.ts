import { expect, it } from '@jest/globals';
import { listFiles, read } from '../support/project-files.js';

const HOME = 'libs/common/src/durations.ts';
/** A minute, hour or day in digits, or a constant for one. `3_600` and `86_400` are seconds. */
const WRITTEN_OUT =
  /\b(?:60_000|3_600_000|86_400_000|3_600|86_400)\b|\b60 \* 60\b|\bconst (?:SECOND|MINUTE|HOUR|DAY)(?:_MS|_SECONDS)?(?:: number)? =/;

it(`durations: apps and libs count in the units of ${HOME}`, () => {
  const sources = ['apps', 'libs']
    .flatMap((folder) => listFiles(['.ts'], folder))
    // Scripts of pages are served as they are and import nothing of libs; a migration never changes.
    .filter((file) => file !== HOME && !/\.spec\.ts$|\/migrations\/|\/pages\/browser\//.test(file));
  const lines = sources.flatMap((file) =>
    read(file)
      .split('\n')
      .filter((line) => WRITTEN_OUT.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(sources.length).toBeGreaterThan(1_000);
  expect(lines).toEqual([]);
});

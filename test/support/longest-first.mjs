import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

const durations = JSON.parse(readFileSync(new URL('./durations.json', import.meta.url), 'utf8'));

/** What `npm test -- --record-durations` wrote. New files come first. @param {import('@jest/test-result').Test} test */
export const secondsOf = ({ path, context }) => durations[relative(context.config.rootDir, path)] ?? Infinity;

/** Starts the longest test files first. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return [...tests].sort((a, b) => secondsOf(b) - secondsOf(a) || a.path.localeCompare(b.path));
  }
}

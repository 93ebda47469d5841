import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

const durations = JSON.parse(readFileSync(new URL('./durations.json', import.meta.url), 'utf8'));

/** Starts the longest test files first, by the seconds that `npm test -- --record-durations` wrote; new files come first. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const secondsOf = ({ path, context }) => durations[relative(context.config.rootDir, path)] ?? Infinity;
    return [...tests].sort((a, b) => secondsOf(b) - secondsOf(a) || a.path.localeCompare(b.path));
  }
}

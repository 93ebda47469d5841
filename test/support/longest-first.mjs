import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** @import { Test } from '@jest/test-result' */

/** The package says one type for its two builds, of which the module that is loaded here exports the class itself. */
const TestSequencer = /** @type {typeof Sequencer.default} */ (/** @type {unknown} */ (Sequencer));

/** @typedef {{ path: string, context: { config: { rootDir: string } } }} TestFile as much of jest's Test as is read here */

const durations = /** @type {Record<string, number>} */ (
  JSON.parse(readFileSync(new URL('./durations.json', import.meta.url), 'utf8'))
);

/** What `npm test -- --record-durations` wrote. New files come first. @param {TestFile} test */
export const secondsOf = ({ path, context }) => durations[relative(context.config.rootDir, path)] ?? Infinity;

/** Starts the longest test files first. */
export default class LongestFirst extends TestSequencer {
  /** @override @param {Test[]} tests */
  sort(tests) {
    return [...tests].sort((a, b) => secondsOf(b) - secondsOf(a) || a.path.localeCompare(b.path));
  }
}

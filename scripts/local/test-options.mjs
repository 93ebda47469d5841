import { availableParallelism } from 'node:os';

const FAULTS = '--testMatch=**/*.fault-spec.ts';
const OTHERS = '--testMatch=**/*.e2e-spec.ts';
const BUNDLER = '--testMatch=**/*.bundler-spec.ts';
const UPGRADE = '--testMatch=**/*.upgrade-spec.ts';
/** Tests other than those of faults wait for processes more than they use the processor. */
const MORE_AT_ONCE = `--maxWorkers=${availableParallelism() + 1}`;

/**
 * Takes our own options out of the arguments of `npm test`; the rest is jest's.
 * @param {string[]} args `--unit` runs unit tests only, `--no-unit` leaves them out; `--faults` runs only tests that kill,
 *   freeze or fill something, `--no-faults` leaves those out; `--bundler` runs only those with alto, and `--upgrade` only
 *   those with the previous release, which no other run has; `--record-durations` writes how long each file took
 */
export function testOptions(args) {
  const apart = ['--faults', '--bundler', '--upgrade'];
  const own = [...apart, '--unit', '--no-unit', '--no-faults', '--record-durations'];
  const has = (option) => args.includes(option);
  const jestArgs = args.filter((arg) => !own.includes(arg));
  return {
    hasUnit: !has('--no-unit') && !apart.some(has),
    hasBundler: has('--bundler'),
    hasUpgrade: has('--upgrade'),
    hasEndToEnd: !has('--unit'),
    recordsDurations: has('--record-durations'),
    jestArgs,
    endToEndRuns: chooseRuns({ has, jestArgs }),
  };
}

/** @returns {string[][]} the arguments of each run of jest. The pattern is last, because jest takes for patterns what follows. */
function chooseRuns({ has, jestArgs }) {
  if (has('--bundler')) return [[...jestArgs, BUNDLER]];
  if (has('--upgrade')) return [[...jestArgs, UPGRADE]];
  if (has('--faults')) return [[...jestArgs, FAULTS]];
  if (has('--no-faults')) return [[...jestArgs, OTHERS]];
  // All tests: those of faults compare latencies, which more of them at once would change.
  if (jestArgs.length === 0) return [[FAULTS], [MORE_AT_ONCE, OTHERS]];
  return [jestArgs];
}

import { availableParallelism } from 'node:os';

const match = (...kinds) => kinds.map((kind) => `--testMatch=**/*.${kind}-spec.ts`);
/** They wait for processes more than they use the processor. */
const MORE_AT_ONCE = `--maxWorkers=${availableParallelism() + 2}`;
/** Run without the unit tests. */
const APART = ['--faults', '--latency', '--bundler', '--upgrade', '--images'];
const OWN = [
  ...APART,
  '--inspect',
  '--unit',
  '--no-unit',
  '--no-faults',
  '--no-latency',
  '--record-durations',
];

/**
 * Takes our own options out of the arguments of `npm test`; the rest is jest's.
 * @param {string[]} args `--unit` runs unit tests only, `--no-unit` leaves them out; `--faults` runs only tests that kill,
 *   freeze or fill something, also the long ones, which no other run has, `--no-faults` leaves those out; `--latency` runs only those of them that compare latencies,
 *   `--no-latency` leaves those out; `--bundler` runs only those with alto, `--upgrade` those with the previous
 *   release, and `--images` those with an image, which no other run has; `--record-durations` writes how long each file took;
 *   `--inspect` waits for a debugger before the tests
 */
export function testOptions(args) {
  const has = (option) => args.includes(option);
  const isInspected = has('--inspect');
  // A debugger stops one process, which then runs the tests itself.
  const jestArgs = [...(isInspected ? ['--runInBand'] : []), ...args.filter((arg) => !OWN.includes(arg))];
  return {
    isInspected,
    hasUnit: !has('--no-unit') && !APART.some(has),
    hasBundler: has('--bundler'),
    hasUpgrade: has('--upgrade'),
    hasImages: has('--images'),
    hasEndToEnd: !has('--unit'),
    recordsDurations: has('--record-durations'),
    jestArgs,
    endToEndRuns: chooseRuns({ has, jestArgs }),
  };
}

/**
 * @typedef {object} EndToEndRun
 * @property {string[]} args of jest; patterns are last, because jest takes for patterns what follows
 * @property {boolean} [isShortLived] no test of it compares latencies, so Node may be run as is best for processes that live for seconds
 */

/** @returns {EndToEndRun[]} */
function chooseRuns({ has, jestArgs }) {
  if (has('--bundler')) return [{ args: [...jestArgs, ...match('bundler')] }];
  if (has('--upgrade')) return [{ args: [...jestArgs, ...match('upgrade')] }];
  if (has('--images')) return [{ args: [...jestArgs, ...match('image')] }];
  const many = (...kinds) => ({
    args: [MORE_AT_ONCE, ...jestArgs, ...match(...kinds)],
    isShortLived: true,
  });
  if (has('--no-faults')) return [many('e2e')];
  // More tests at once would change what these compare.
  const latency = [...jestArgs, ...match('latency')];
  if (has('--latency')) return [{ args: latency }];
  if (has('--faults')) return [many('fault'), { args: [...latency, ...match('long')] }];
  if (has('--no-latency')) return [many('fault', 'e2e')];
  // A path or a name chooses few tests.
  return jestArgs.length === 0 ? [many('fault', 'e2e'), { args: latency }] : [{ args: jestArgs }];
}

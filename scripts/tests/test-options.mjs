import { MANY_AT_ONCE } from '../../jest.config.js';
import { PROGRAMS } from './test-programs.mjs';

/** @import { ProgramName } from './test-programs.mjs' */

/** @param {string[]} kinds */
const match = (...kinds) => kinds.map((kind) => `--testMatch=**/*.${kind}-spec.ts`);
/** Run without the unit tests. */
const APART = ['--faults', '--latency', '--bundler', '--upgrade', '--images'];
const FLAGS = [
  ...APART,
  '--inspect',
  '--unit',
  '--no-unit',
  '--no-faults',
  '--no-latency',
  '--record-durations',
  '--collect',
  '--bare',
];
/** Options that take the next argument, or what stands behind `=`. */
const WITH_VALUE = ['--without', '--results', '--second-run'];

/**
 * @typedef {object} TestOptions
 * @property {boolean} isInspected
 * @property {boolean} hasUnit
 * @property {boolean} hasBundler
 * @property {boolean} hasUpgrade
 * @property {boolean} hasImages
 * @property {boolean} hasEndToEnd
 * @property {boolean} recordsDurations
 * @property {boolean} isCollection
 * @property {boolean} isBareCheck
 * @property {ProgramName[]} hidden
 * @property {string} [resultsFile]
 * @property {string[]} [secondRunOf]
 * @property {boolean} runsAgain
 * @property {string[]} jestArgs
 * @property {EndToEndRun[]} endToEndRuns
 */

/**
 * Takes our own options out of the arguments of `npm test`; the rest is jest's.
 * @param {readonly string[]} args `--unit` runs unit tests only, `--no-unit` leaves them out; `--faults` runs only tests that kill,
 *   freeze or fill something, also the long ones, which no other run has, `--no-faults` leaves those out; `--latency` runs only those of them that compare latencies,
 *   `--no-latency` leaves those out; `--bundler` runs only those with alto, `--upgrade` those with the previous
 *   release, and `--images` those with an image, which no other run has; `--record-durations` writes how long each file took;
 *   `--inspect` waits for a debugger before the tests; `--without redis-server,chromium` hides programs of PROGRAMS,
 *   `--collect` counts all tests without running them, and `--bare` checks the suite with each program hidden; `--results <file>` keeps the results for a later
 *   `--second-run <file>,<file>`, which runs failed files again and sums up
 * @returns {TestOptions}
 * @throws Error that names the option and its values
 */
export function testOptions(args) {
  const { flags, values, rest } = splitOptions(args);
  /** @param {string} option */
  const has = (option) => flags.has(option);
  const isInspected = has('--inspect');
  // A debugger stops one process, which then runs the tests itself.
  const jestArgs = [...(isInspected ? ['--runInBand'] : []), ...rest];
  return {
    isInspected,
    hasUnit: !has('--no-unit') && !APART.some(has),
    hasBundler: has('--bundler'),
    hasUpgrade: has('--upgrade'),
    hasImages: has('--images'),
    hasEndToEnd: !has('--unit'),
    recordsDurations: has('--record-durations'),
    isCollection: has('--collect'),
    isBareCheck: has('--bare'),
    hidden: readPrograms(values.get('--without')),
    resultsFile: values.get('--results'),
    secondRunOf: values.get('--second-run')?.split(','),
    // A path, a name or another option of jest chooses tests for somebody who looks at them; images and trees are gone by then.
    runsAgain:
      jestArgs.length === 0 &&
      !['--results', '--images', '--upgrade'].some((name) => values.has(name) || has(name)),
    jestArgs,
    endToEndRuns: chooseRuns({ has, jestArgs }),
  };
}

/** @param {readonly string[]} args */
function splitOptions(args) {
  /** @type {Set<string>} */
  const flags = new Set();
  /** @type {Map<string, string>} */
  const values = new Map();
  const rest = [];
  const left = args.values();
  for (const arg of left) {
    const [name = '', ...behind] = arg.split('=');
    if (FLAGS.includes(arg)) flags.add(name);
    else if (WITH_VALUE.includes(name)) {
      const value = behind.length > 0 ? behind.join('=') : left.next().value;
      if (!value) throw new Error(`${name} wants a value: ${name} ${exampleOf(name)}`);
      values.set(name, value);
    } else rest.push(arg);
  }
  return { flags, values, rest };
}

/** @param {string} name */
const exampleOf = (name) => (name === '--without' ? 'redis-server,chromium' : 'results.json');

/** @param {string} [value] @returns {ProgramName[]} */
function readPrograms(value = '') {
  const names = value.split(',').filter(Boolean);
  const unknown = names.find((name) => !(name in PROGRAMS));
  if (unknown !== undefined)
    throw new Error(`--without: there is no program ${unknown} among ${Object.keys(PROGRAMS).join(', ')}`);
  return /** @type {ProgramName[]} */ (names);
}

/**
 * @typedef {object} EndToEndRun
 * @property {string[]} args of jest; patterns are last, because jest takes for patterns what follows
 * @property {boolean} [isShortLived] no test of it compares latencies, so Node may be run as is best for processes that live for seconds
 */

/**
 * @param {{ has: (option: string) => boolean, jestArgs: string[] }} options
 * @returns {EndToEndRun[]}
 */
function chooseRuns({ has, jestArgs }) {
  if (has('--bundler')) return [{ args: [...jestArgs, ...match('bundler')] }];
  if (has('--upgrade')) return [{ args: [...jestArgs, ...match('upgrade')] }];
  if (has('--images')) return [{ args: [...jestArgs, ...match('image')] }];
  /** @param {string[]} kinds */
  const many = (...kinds) => ({
    args: [`--maxWorkers=${MANY_AT_ONCE}`, ...jestArgs, ...match(...kinds)],
    isShortLived: true,
  });
  if (has('--no-faults')) return [many('e2e')];
  // The latency tests run alone: more tests at once would change what these compare.
  const latency = [...jestArgs, ...match('latency')];
  if (has('--latency')) return [{ args: latency }];
  if (has('--faults')) return [many('fault'), { args: [...latency, ...match('long')] }];
  if (has('--no-latency')) return [many('fault', 'e2e')];
  // A path or a name chooses few tests.
  return jestArgs.length === 0 ? [many('fault', 'e2e'), { args: latency }] : [{ args: jestArgs }];
}

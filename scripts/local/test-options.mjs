/**
 * Takes our own options out of the arguments of `npm test`; the rest is jest's.
 * @param {string[]} args `--unit` runs unit tests only, `--no-unit` leaves them out; `--faults` runs only tests that kill,
 *   freeze or fill something, `--no-faults` leaves those out; `--record-durations` writes how long each file took
 */
export function testOptions(args) {
  const own = ['--unit', '--no-unit', '--faults', '--no-faults', '--record-durations'];
  const has = (option) => args.includes(option);
  const jestArgs = args.filter((arg) => !own.includes(arg));
  const patterns = has('--faults') ? ['**/*.fault-spec.ts'] : has('--no-faults') ? ['**/*.e2e-spec.ts'] : [];
  return {
    hasUnit: !has('--no-unit') && !has('--faults'),
    hasEndToEnd: !has('--unit'),
    recordsDurations: has('--record-durations'),
    jestArgs,
    // Last, because jest takes for patterns whatever comes after them.
    endToEndArgs: [...jestArgs, ...patterns.map((pattern) => `--testMatch=${pattern}`)],
  };
}

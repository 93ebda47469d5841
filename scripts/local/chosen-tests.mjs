const FAULTS = ['**/*.fault-spec.ts'];
const THE_OTHERS = ['**/*.spec.ts', '**/*.e2e-spec.ts'];

/**
 * Takes `--faults` (only those that take long because something is killed, frozen or filled in them) and `--no-faults`
 * out of the arguments.
 * @param {string[]} args
 * @returns {string[]} for jest
 */
export function chosenTests(args) {
  const rest = args.filter((arg) => arg !== '--faults' && arg !== '--no-faults');
  const patterns = args.includes('--faults') ? FAULTS : args.includes('--no-faults') ? THE_OTHERS : [];
  // Last, because jest takes for patterns whatever comes after them.
  return [...rest, ...patterns.map((pattern) => `--testMatch=${pattern}`)];
}

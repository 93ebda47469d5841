import { seededRandom } from '../support/seeded-random.js';

/** What happens to account-kit in a step of the model; each kind is named for what clients, operators, nodes or strangers do. */
const KINDS = [
  ...Array.from({ length: 6 }, () => 'pay' as const),
  ...(['spike', 'reorganise', 'stranger', 'freeze', 'thaw', 'thaw', 'drain', 'fund'] as const),
  ...(['cancel', 'repent', 'repent', 'kill', 'lapse', 'lapse', 'lapse'] as const),
] as const;
/**
 * Steps where a bundler sends: it forgets its mempool, sends no bundles, sends them again, or has had operations for an
 * hour.
 */
const BUNDLER_KINDS = ['forget', 'hold', 'release', 'release', 'age'] as const;
/** A restart takes two seconds, so most of them become payments. */
const KILL_SHARE = 0.4;
const MAX_PAUSE_MS = 150;

export type StepKind = (typeof KINDS)[number] | (typeof BUNDLER_KINDS)[number];

export interface Step {
  readonly kind: StepKind;
  readonly user: number;
  readonly lane: number;
  /** A number from 0 to below 1: chooses what the kind has to choose among what there is at that moment. */
  readonly draw: number;
  readonly pauseMs: number;
}

/** The same steps for the same seed, whatever happens meanwhile. */
export function planSteps(
  seed: number,
  count: number,
  {
    users,
    lanes,
    hasBundler,
  }: { readonly users: number; readonly lanes: number; readonly hasBundler: boolean },
): Step[] {
  const random = seededRandom(seed);
  const upTo = (end: number) => Math.floor(random() * end);
  const kinds: readonly StepKind[] = hasBundler ? [...KINDS, ...BUNDLER_KINDS] : KINDS;
  return Array.from({ length: count }, () => {
    const drawn = kinds[upTo(kinds.length)] ?? 'pay';
    const isKilled = random() < KILL_SHARE;
    return {
      kind: drawn === 'kill' && !isKilled ? ('pay' as const) : drawn,
      user: upTo(users),
      lane: upTo(lanes),
      draw: random(),
      pauseMs: random() * MAX_PAUSE_MS,
    };
  });
}

/** A line for each step, to read and to compare with a repeated run. */
export const describeSteps = (steps: readonly Step[]): string =>
  steps
    .map(
      ({ kind, user, lane, draw, pauseMs }, index) =>
        `${index + 1} ${kind} user ${user} lane ${lane} draw ${draw.toFixed(3)} pause ${pauseMs.toFixed(0)} ms`,
    )
    .join('\n');

export function pickBy<Value>(values: readonly Value[], draw: number): Value {
  const value = values[Math.floor(draw * values.length)];
  if (value === undefined) throw new RangeError('nothing to pick from');
  return value;
}

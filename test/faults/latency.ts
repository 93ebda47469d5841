import { expect } from '@jest/globals';

/** Differences of latencies below this mean nothing on a busy machine. */
const NOISE_MS = 50;

/** The median of values that are too few for a high percentile: one pause of the machine would decide it. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/**
 * A victim waits at most three times as long as a control without attackers.
 * @param noiseMs more where the fault costs seconds, so that a busy machine does not fail the test
 */
export function expectUndisturbed(attackedMs: number, controlMs: number, noiseMs = NOISE_MS): void {
  expect(attackedMs).toBeLessThan(3 * controlMs + noiseMs);
}

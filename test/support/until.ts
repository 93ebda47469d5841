import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_PAUSE_MS = 200;

/** Asks until the answer is yes. The time-out is a bound against hanging, not a measurement. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let pauseMs = 20;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Not so within ${timeoutMs} ms: ${what}`);
    await sleep(pauseMs);
    // Asking costs processor time that the apps under test need.
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

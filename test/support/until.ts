import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is yes. The time-out is a bound against hanging, not a measurement. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Not so within ${timeoutMs} ms: ${what}`);
    await sleep(50);
  }
}

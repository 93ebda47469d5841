import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 1_000;

/**
 * Looks until nothing is pending any more, for `waitMs` at most or until the client goes away. Between two looks the request holds
 * neither a connection nor a job.
 * @returns the outcome, or what is pending still
 */
export async function waitForOutcome<T>(
  look: () => Promise<T>,
  isPending: (outcome: T) => boolean,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    const outcome = await look();
    const leftMs = deadline - performance.now();
    if (!isPending(outcome) || leftMs <= 0 || signal.aborted) return outcome;
    await sleep(Math.min(delayMs, leftMs), undefined, { signal }).catch(() => undefined);
  }
}

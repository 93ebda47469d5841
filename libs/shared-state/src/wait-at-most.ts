import { setTimeout as sleep } from 'node:timers/promises';

/** Whether the work ended within this time. It goes on if not; it must not reject. */
export async function waitAtMost(milliseconds: number, work: Promise<void>): Promise<boolean> {
  const timer = new AbortController();
  const tooLate = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), tooLate]);
  } finally {
    timer.abort();
  }
}

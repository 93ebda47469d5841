import { isAlive, signal, waitUntilGone } from './process-identity.mjs';

const DRAIN_MS = 25_000;

/** What a killed run started ends by itself, but it may still be at it. @param {import('./run-lock.mjs').RunRecord} record */
export async function waitForLeftovers(record) {
  const left = await waitUntilGone(record.children.filter(isAlive), DRAIN_MS);
  for (const one of left) signal(one.pid, 'SIGKILL');
  await waitUntilGone(left, 5000);
}

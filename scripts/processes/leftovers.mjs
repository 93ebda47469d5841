import { signal, waitUntilGone } from './process-identity.mjs';

const DRAIN_MS = 25_000;

/** What a killed run started ends by itself, but it may still be at it. @param {{ pid: number, start: string }[]} processes */
export async function waitForLeftovers(processes) {
  const left = await waitUntilGone(processes, DRAIN_MS);
  for (const one of left) signal(one.pid, 'SIGKILL');
  await waitUntilGone(left, 5000);
}

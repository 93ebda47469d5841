/** The work did not finish before its timeout. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Whether `work` finishes within `timeoutMs` and before `signal` aborts; rejects if `work` rejects first.
 * The work is not cancelled.
 */
export async function hasFinishedWithin(
  timeoutMs: number,
  work: Promise<unknown>,
  signal?: AbortSignal,
): Promise<boolean> {
  let stop = (): void => undefined;
  const stopped = new Promise<false>((resolve) => {
    const onStop = (): void => {
      resolve(false);
    };
    const timer = setTimeout(onStop, timeoutMs);
    signal?.addEventListener('abort', onStop);
    if (signal?.aborted) onStop();
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onStop);
    };
  });
  try {
    return await Promise.race([work.then(() => true), stopped]);
  } finally {
    stop();
  }
}

/** The result of `work`, which is not cancelled on timeout. @throws TimeoutError after `timeoutMs` */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  if (!(await hasFinishedWithin(timeoutMs, work))) throw new TimeoutError(`Timed out after ${timeoutMs} ms`);
  return work;
}

/**
 * Half to one and a half of a delay, so that work which failed together, such as all jobs during an outage, does not come back together.
 * @param random 0 to 1
 */
export const addJitter = (delayMs: number, random: () => number = Math.random): number =>
  Math.round(delayMs * (0.5 + random()));

/** Resolves when the work is done, when the time is up or when the signal says so, whichever comes first; rejects with the work. */
export async function withTimeout(ms: number, work: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const onAbort = (): void => {
      resolve();
    };
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) resolve();
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    await Promise.race([work, stopped]);
  } finally {
    stop();
  }
}

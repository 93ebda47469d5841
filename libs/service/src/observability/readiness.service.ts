/** Rejects or throws when the app cannot do its work for lack of this. */
export type ReadinessCheck = () => Promise<void> | void;

const CHECK_TIMEOUT_MS = 2_000;

/** What an app needs to do its work, by name. It is asked for each time; of the past only `seen` is remembered. */
export class ReadinessService {
  private readonly checks = new Map<string, ReadinessCheck>();
  /** What is not decisive any more, because it was there once. */
  private readonly seen = new Set<string>();
  private readonly drainListeners: (() => void)[] = [];
  private draining = false;

  /** Adds something that this app cannot work without. */
  addCheck(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** Adds something that this app cannot begin without. Once it was there its absence is told, and decides nothing. */
  addStartupCheck(name: string, check: ReadinessCheck): void {
    this.addCheck(name, async () => {
      await check();
      this.seen.add(name);
    });
  }

  /** From here on the app is not ready, whatever else is true: it is about to leave. */
  drain(): void {
    if (this.draining) return;
    this.draining = true;
    for (const listener of this.drainListeners) listener();
  }

  /** For what takes up work by itself: it stops doing so here, while requests are still answered. */
  onDrain(listener: () => void): void {
    this.drainListeners.push(listener);
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** `ok` or the reason why not, for each thing the app needs. */
  async report(): Promise<{ ready: boolean; checks: Record<string, string> }> {
    const entries = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await runCheck(check)] as const),
    );
    const checks = Object.fromEntries(this.draining ? [...entries, ['draining', 'shutting down']] : entries);
    const ready = Object.entries(checks).every(([name, result]) => result === 'ok' || this.seen.has(name));
    return { ready, checks };
  }
}

async function runCheck(check: ReadinessCheck): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, CHECK_TIMEOUT_MS, `no answer in ${CHECK_TIMEOUT_MS} ms`);
  });
  const answer = Promise.resolve()
    .then(check)
    .then(
      () => 'ok',
      (error: unknown) => (error instanceof Error ? error.message : 'failed'),
    );
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

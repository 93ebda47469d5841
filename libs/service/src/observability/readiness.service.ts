import { formatErrorReason, withTimeout } from '@app/common';

/** Rejects or throws with the reason when a dependency is unavailable. */
type ReadinessCheck = () => Promise<void> | void;

const CHECK_TIMEOUT_MS = 2_000;

/** Whether an app can serve requests: runs the check of each dependency by name at every request for readiness. */
export class ReadinessService {
  private readonly checks = new Map<string, ReadinessCheck>();
  /** Names of startup checks that have succeeded once. */
  private readonly started = new Set<string>();
  private readonly drainListeners: (() => void)[] = [];
  private draining = false;

  /** The app is ready only while the check succeeds. */
  addCheck(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** The app is ready only after the check has succeeded once. Later failures are reported without effect. */
  addStartupCheck(name: string, check: ReadinessCheck): void {
    this.addCheck(name, async () => {
      await check();
      this.started.add(name);
    });
  }

  /** Makes the app not ready, before it shuts down. */
  drain(): void {
    if (this.draining) return;
    this.draining = true;
    for (const listener of this.drainListeners) listener();
  }

  /** Called once at `drain`, for workers to take no new jobs while requests are still served. */
  onDrain(listener: () => void): void {
    this.drainListeners.push(listener);
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** `checks` has `ok` or the reason for each name. */
  async report(): Promise<{ ready: boolean; checks: Record<string, string> }> {
    const entries = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await runCheck(check)] as const),
    );
    const checks = Object.fromEntries(this.draining ? [...entries, ['draining', 'shutting down']] : entries);
    const ready = Object.entries(checks).every(([name, result]) => result === 'ok' || this.started.has(name));
    return { ready, checks };
  }
}

async function runCheck(check: ReadinessCheck): Promise<string> {
  try {
    await withTimeout(CHECK_TIMEOUT_MS, Promise.resolve().then(check));
    return 'ok';
  } catch (error) {
    return formatErrorReason(error);
  }
}

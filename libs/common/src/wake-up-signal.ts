/** What comes due later than this is found by looking. */
const MAX_NOTIFY_DELAY_MS = 60_000;

/** Says that something is due, so that it need not be looked for. For one listener. */
export class WakeUpSignal {
  private isNotified = false;
  private wake: (() => void) | undefined;

  notify(): void {
    this.isNotified = true;
    this.wake?.();
  }

  /** Rings when so many milliseconds have passed, if that is soon. */
  notifyAfter(milliseconds: number): void {
    if (milliseconds > MAX_NOTIFY_DELAY_MS) return;
    setTimeout(() => {
      this.notify();
    }, milliseconds).unref();
  }

  /** Resolves when it rings, has rung since the last time, or after so many milliseconds. */
  async wait(atMostMs: number): Promise<void> {
    if (!this.isNotified) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        timer = setTimeout(resolve, atMostMs);
      });
      clearTimeout(timer);
      this.wake = undefined;
    }
    this.isNotified = false;
  }
}

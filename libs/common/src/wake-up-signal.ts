import { MINUTE_MS } from './durations.js';
/** The longest delay of a notification: later work is found by polling instead. */
const MAX_NOTIFY_DELAY_MS = MINUTE_MS;

/** Wakes one waiting loop when work is due, before its next poll. */
export class WakeUpSignal {
  private isNotified = false;
  private resolveWait: (() => void) | undefined;

  notify(): void {
    this.isNotified = true;
    this.resolveWait?.();
  }

  /** Notifies after a delay; ignores delays above a minute. */
  notifyAfter(delayMs: number): void {
    if (delayMs > MAX_NOTIFY_DELAY_MS) return;
    setTimeout(() => {
      this.notify();
    }, delayMs).unref();
  }

  /** Resolves at the next notification, after `timeoutMs`, or at once if notified since the last call. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.isNotified) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.resolveWait = resolve;
        timer = setTimeout(resolve, timeoutMs);
      });
      clearTimeout(timer);
      this.resolveWait = undefined;
    }
    this.isNotified = false;
  }
}

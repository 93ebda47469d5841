/** What comes due later than this is found by looking. */
const LONGEST_ALARM_MS = 60_000;

/** Says that something is due, so that it need not be looked for. For one listener. */
export class Bell {
  private rung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Rings when so many milliseconds have passed, if that is soon. */
  ringIn(milliseconds: number): void {
    if (milliseconds > LONGEST_ALARM_MS) return;
    setTimeout(() => {
      this.ring();
    }, milliseconds).unref();
  }

  /** Resolves when it rings, has rung since the last time, or after so many milliseconds. */
  async wait(atMostMs: number): Promise<void> {
    if (!this.rung) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        timer = setTimeout(resolve, atMostMs);
      });
      clearTimeout(timer);
      this.wake = undefined;
    }
    this.rung = false;
  }
}

import { Injectable } from '@nestjs/common';

/** Says that something is due, so that it need not be looked for. For one listener. */
@Injectable()
export class DeliveryBell {
  private rung = false;
  private wake: (() => void) | undefined;
  private alarm: NodeJS.Timeout | undefined;
  private alarmAt = Infinity;

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Rings when so many milliseconds have passed. */
  ringIn(milliseconds: number): void {
    const at = performance.now() + milliseconds;
    if (at >= this.alarmAt) return;
    clearTimeout(this.alarm);
    this.alarmAt = at;
    this.alarm = setTimeout(() => {
      this.alarmAt = Infinity;
      this.ring();
    }, milliseconds);
    this.alarm.unref();
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

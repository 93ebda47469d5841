import { MINUTE_MS } from '@app/common';
import type { ServiceContext } from './service-context.js';
import { Sweeper } from './sweeper.js';

const SWEEP_INTERVAL_MS = 5_000;

/** Tells analytics once a minute until when it has the events of an app. */
export abstract class HeartbeatSweeper extends Sweeper {
  private sentMinute = 0;

  constructor(context: ServiceContext) {
    super(context, [{ name: 'send a heartbeat', sweep: () => this.sendInTurn() }], SWEEP_INTERVAL_MS);
  }

  protected abstract send(): Promise<void>;

  private async sendInTurn(): Promise<boolean> {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    if (minute === this.sentMinute) return false;
    await this.send();
    this.sentMinute = minute;
    return false;
  }
}

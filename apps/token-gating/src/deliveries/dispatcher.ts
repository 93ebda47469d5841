import { ServiceContext } from '@app/service';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Deliveries } from './deliveries.js';
import type { ClaimedDelivery } from './delivery.js';
import { DeliveryBell } from './delivery-bell.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliveryConfig } from './delivery.config.js';
import { nextStep } from './next-step.js';
import { type Ended, type PutBack, Receivers } from './receivers.js';
import { type Attempt, SendCallback } from './send-callback.js';

/** Sockets and memory, not speed: hundreds of receivers may be slow at once. */
const MOST_UNDER_WAY = 2_000;
const MOST_AT_ONCE = 500;
/** With a backlog, more is claimed before what waits here for its turn has run out. */
const FEW_WAITING = 250;
const FEW_UNDER_WAY = 250;
/** What comes due together is claimed together. */
const GATHER_MS = 2;

/**
 * Sends callbacks that are due, whoever made them due: at once when the bell rings here, and otherwise when it looks. Any
 * number of instances share the work through the rows.
 */
@Injectable()
export class Dispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly receivers: Receivers<ClaimedDelivery>;
  private readonly underWay = new Set<Promise<void>>();
  private moreIsDue = false;
  private stopped = false;
  private isInTrouble = false;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: DeliveryConfig,
    private readonly deliveries: Deliveries,
    private readonly sender: SendCallback,
    private readonly bell: DeliveryBell,
    private readonly metrics: DeliveryMetrics,
    private readonly context: ServiceContext,
  ) {
    this.receivers = new Receivers(config.CALLBACK_CONCURRENCY_PER_RECEIVER);
  }

  onApplicationBootstrap(): void {
    this.context.readiness.onDrain(() => {
      this.stop();
    });
    this.loop = this.dispatchOnAndOn();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop();
    await this.loop;
    const left = this.receivers.clear();
    if (left.length > 0) this.track(this.putBack(left));
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private stop(): void {
    this.stopped = true;
    this.bell.ring();
  }

  private async dispatchOnAndOn(): Promise<void> {
    while (!this.stopped) {
      await this.dispatch().then(this.goesOn, this.leftToLater);
      await this.bell.wait(this.config.CALLBACK_POLL_MS);
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
  }

  private async dispatch(): Promise<void> {
    const room = Math.min(MOST_AT_ONCE, MOST_UNDER_WAY - this.underWay.size);
    if (room <= 0) return;
    const claimed = await this.deliveries.claim(room);
    this.moreIsDue = claimed.length === room;
    const putBack: PutBack<ClaimedDelivery>[] = [];
    for (const delivery of claimed) {
      const turn = this.receivers.offer(delivery.receiver, delivery);
      if (turn === 'now') this.send(delivery);
      else if (turn !== 'waits') putBack.push({ delivery, backInMs: turn.backInMs });
    }
    if (putBack.length > 0) await this.putBack(putBack);
    this.askForMore();
  }

  private askForMore(): void {
    if (!this.moreIsDue) return;
    if (this.receivers.waiting < FEW_WAITING || this.underWay.size < FEW_UNDER_WAY) this.bell.ring();
  }

  private send(delivery: ClaimedDelivery): void {
    this.track(this.attempt(delivery));
  }

  private async attempt(delivery: ClaimedDelivery): Promise<void> {
    const { record, retryAfterMs } = await this.sendInSlot(delivery);
    const answer = { status: record.status, retryAfterMs };
    const next = nextStep(delivery.attempt, answer, this.config.CALLBACK_RETRY_AFTER_MS);
    await this.deliveries.record({ delivery, record, next });
    this.metrics.ended(next);
    if (next.state === 'pending') this.bell.ringIn(next.delayMs);
  }

  /** The slot is for the next one as soon as the receiver has answered: what is written down after does not concern it. */
  private async sendInSlot(delivery: ClaimedDelivery): Promise<Attempt> {
    let ended: Ended = { tookMs: 0, answered: true };
    try {
      const attempt = await this.sender.send(delivery);
      const { milliseconds, status } = attempt.record;
      ended = { tookMs: milliseconds, answered: status !== undefined };
      return attempt;
    } finally {
      const { next, putBack } = this.receivers.free(delivery.receiver, ended);
      if (next) this.send(next);
      if (putBack.length > 0) this.track(this.putBack(putBack));
    }
  }

  private async putBack(those: readonly PutBack<ClaimedDelivery>[]): Promise<void> {
    await this.deliveries.putBack(those);
    this.bell.ringIn(Math.min(...those.map(({ backInMs }) => backInMs)));
  }

  private track(work: Promise<void>): void {
    const tracked = work.catch(this.leftToLater).finally(() => {
      this.underWay.delete(tracked);
      this.askForMore();
    });
    this.underWay.add(tracked);
  }

  private readonly goesOn = (): void => {
    this.isInTrouble = false;
  };

  /** The rows say what is to be done: whoever looks next does it. One line says so, and not one for each. */
  private readonly leftToLater = (error: unknown): void => {
    if (!this.isInTrouble) this.context.logger.warn({ err: error }, 'callbacks are left to a later look');
    this.isInTrouble = true;
  };
}

import { ServiceContext } from '@app/service';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DeliveryRepository } from './delivery.repository.js';
import type { ClaimedDelivery } from './delivery.js';
import { DeliverySignal } from './delivery-signal.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { CallbackConfig } from './callback.config.js';
import { decideNextStep } from './decide-next-step.js';
import { type DeferredDelivery, ReceiverLimiter, type Slot } from './receiver-limiter.js';
import { type AttemptResult, CallbackSender } from './callback-sender.js';

/** Sockets and memory, not speed: hundreds of receivers may be slow at once. */
const MOST_UNDER_WAY = 2_000;
/** Of those, attempts at receivers that are silent or unknown: the others always have room. */
const MOST_UNTRUSTED = 1_000;
const MOST_AT_ONCE = 500;
/** A claim for less is not worth its statement. */
const LEAST_AT_ONCE = 50;
/** With a backlog, more is claimed before what waits here for its turn has run out. */
const FEW_WAITING = 250;
const FEW_UNDER_WAY = 250;
/** What comes due together is claimed together. */
const GATHER_MS = 2;
/** For what could not even be sent: there is no key to sign with. */
const SOON_MS = 2_000;

/**
 * Sends callbacks that are due, whoever made them due: at once when the bell rings here, and otherwise when it looks. Any
 * number of instances share the work through the rows.
 */
@Injectable()
export class CallbackDispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly receivers: ReceiverLimiter<ClaimedDelivery>;
  private readonly underWay = new Set<Promise<void>>();
  private moreIsDue = false;
  private stopped = false;
  private isInTrouble = false;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: CallbackConfig,
    private readonly deliveries: DeliveryRepository,
    private readonly sender: CallbackSender,
    private readonly bell: DeliverySignal,
    private readonly metrics: DeliveryMetrics,
    private readonly context: ServiceContext,
  ) {
    this.receivers = new ReceiverLimiter({
      maxPerReceiver: config.CALLBACK_CONCURRENCY_PER_RECEIVER,
      maxUntrusted: MOST_UNTRUSTED,
    });
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
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private stop(): void {
    this.stopped = true;
    this.putBack(this.receivers.clear());
    this.bell.notify();
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
    if (room < LEAST_AT_ONCE || !this.sender.canSign) return;
    const claimed = await this.deliveries.claim(room);
    this.moreIsDue = claimed.length === room;
    await this.deliveries.markFailed(claimed.filter(({ isWanted }) => !isWanted));
    const wanted = claimed.filter(({ isWanted }) => isWanted);
    this.putBack(wanted.flatMap((delivery) => this.place(delivery) ?? []));
    this.askForMore();
  }

  /** Finds a delivery its place here, or tells when to come back. */
  private place(delivery: ClaimedDelivery): DeferredDelivery<ClaimedDelivery> | undefined {
    if (this.stopped) return { delivery, backInMs: 0 };
    const turn = this.receivers.acquire(delivery.receiver, delivery);
    if (turn === 'waits') return undefined;
    if ('slot' in turn) {
      this.track(this.attempt(delivery, turn.slot));
      return undefined;
    }
    return { delivery, backInMs: turn.backInMs };
  }

  private askForMore(): void {
    if (!this.moreIsDue) return;
    if (this.receivers.waitingCount < FEW_WAITING || this.underWay.size < FEW_UNDER_WAY) this.bell.notify();
  }

  private async attempt(delivery: ClaimedDelivery, slot: Slot): Promise<void> {
    const attempt = await this.sendIn(slot, delivery);
    if (!attempt) return;
    const { record, retryAfterMs } = attempt;
    const answer = { status: record.status, retryAfterMs };
    const next = decideNextStep(delivery.attempt, answer, this.config.CALLBACK_RETRY_AFTER_MS);
    await this.deliveries.recordAttempt({ delivery, record, next });
    this.metrics.recordOutcome(next);
    if (next.state === 'pending') this.bell.notifyAfter(next.delayMs);
  }

  /**
   * The slot is for the next one as soon as the receiver has answered: what is written down after does not concern it.
   * Undefined when nothing could be sent, which is no attempt.
   */
  private async sendIn(slot: Slot, delivery: ClaimedDelivery): Promise<AttemptResult | undefined> {
    let attempt: AttemptResult | undefined;
    try {
      attempt = await this.sender.send(delivery);
    } catch (error) {
      this.leftToLater(error);
      this.putBack([{ delivery, backInMs: SOON_MS }]);
    }
    const answered = attempt ? attempt.record.status !== undefined : undefined;
    const { next, putBack } = this.receivers.release(slot, answered);
    this.putBack(putBack);
    if (next) this.track(this.attempt(next.delivery, next.slot));
    return attempt;
  }

  private putBack(those: readonly DeferredDelivery<ClaimedDelivery>[]): void {
    if (those.length === 0) return;
    this.track(this.deliveries.putBack(those));
    // For the others it is soon enough to look.
    this.bell.notifyAfter(Math.min(...those.map(({ backInMs }) => backInMs)));
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

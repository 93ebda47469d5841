import { MINUTE_MS } from '@app/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { RowQueueWorker } from '@app/database';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository, DeliverySignal } from './delivery.repository.js';
import type { ClaimedDelivery } from './delivery.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { CallbackConfig } from './callback.config.js';
import { decideNextStep } from './retry-schedule.js';
import { type DeferredDelivery, ReceiverLimiter, type Slot } from './receiver-limiter.js';
import { type AttemptResult, CallbackSender } from './callback-sender.js';
import { isIdentityUnavailable } from '../clients/identity-client.js';
import { EndpointWalletEventService } from './endpoints/endpoint-wallet-events.service.js';

/** Bounds sockets and memory when hundreds of receivers are slow. */
const MAX_IN_FLIGHT = 2_000;
/** Maximum attempts in flight to unresponsive or unknown receivers, so that the others always have capacity. */
const MAX_UNTRUSTED = 1_000;
const MAX_CLAIM = 500;
/** A smaller claim is not worth a statement. */
const MIN_CLAIM = 50;
/** The next claim starts when, with a backlog, fewer deliveries than this wait locally or are in flight. */
const LOW_WATER_MARK = 250;
/** Lets callbacks that become due together share a claim. */
const CLAIM_WINDOW_MS = 2;
/** How often it is looked whether a community is active again whose callbacks wait for that. */
const HELD_DELAY_MS = 10 * MINUTE_MS;
/** Delay after an attempt that could not be sent, for lack of a signing key. */
const UNSENT_RETRY_MS = 2_000;
/** Delay where identity could not say whether the receiver may still be told of a user's wallet. */
const UNDECIDED_RETRY_MS = 10_000;

/**
 * Sends due callbacks: at once when signalled in this process, otherwise at the next poll. Instances share the work by
 * claiming rows.
 */
@Injectable()
export class CallbackDispatcher extends RowQueueWorker {
  private readonly receivers: ReceiverLimiter<ClaimedDelivery>;
  private readonly inFlight = new Set<Promise<void>>();
  /** Tenants take turns while there is one; the oldest callbacks first need no look at tenants. */
  private hasBacklog = false;

  constructor(
    private readonly config: CallbackConfig,
    private readonly deliveries: DeliveryRepository,
    private readonly sender: CallbackSender,
    private readonly wallets: EndpointWalletEventService,
    private readonly signal: DeliverySignal,
    private readonly metrics: DeliveryMetrics,
    context: ServiceContext,
  ) {
    super({
      signal,
      pollMs: config.CALLBACK_POLL_MS,
      logger: context.logger,
      failureMessage: 'callback dispatch failed; retrying at the next poll',
    });
    this.receivers = new ReceiverLimiter({
      maxPerReceiver: config.CALLBACK_CONCURRENCY_PER_RECEIVER,
      maxInFlight: MAX_IN_FLIGHT,
      maxUntrusted: MAX_UNTRUSTED,
    });
    context.readiness.onDrain(() => {
      this.stop();
    });
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
  }

  protected override stop(): void {
    super.stop();
    this.defer(this.receivers.clear());
  }

  protected async work(): Promise<void> {
    await sleep(CLAIM_WINDOW_MS);
    await this.dispatch();
    this.recordSuccess();
  }

  private async dispatch(): Promise<void> {
    const capacity = Math.min(MAX_CLAIM, MAX_IN_FLIGHT - this.inFlight.size);
    if (capacity < MIN_CLAIM || !this.sender.canSign) return;
    const inTurns = this.hasBacklog;
    const claimed = await this.deliveries.claim(capacity, inTurns);
    // A claim in turns may be small while one tenant has many callbacks left.
    this.hasBacklog = inTurns ? claimed.length > 0 : claimed.length === capacity;
    await this.deliveries.markFailed(claimed.filter(({ isWanted }) => !isWanted));
    const held = claimed.filter(({ isWanted, isHeld }) => isWanted && isHeld);
    this.defer(held.map((delivery) => ({ delivery, delayMs: HELD_DELAY_MS })));
    const wanted = claimed.filter(({ isWanted, isHeld }) => isWanted && !isHeld);
    this.defer(wanted.flatMap((delivery) => this.start(delivery) ?? []));
    this.claimMoreWhenLow();
  }

  /** Sends or queues a delivery. @returns the delivery when it has to be deferred */
  private start(delivery: ClaimedDelivery): DeferredDelivery<ClaimedDelivery> | undefined {
    if (this.stopped) return { delivery, delayMs: 0 };
    const acquired = this.receivers.acquire(delivery.receiver, delivery);
    if (acquired === 'queued') return undefined;
    if ('slot' in acquired) {
      this.track(this.attempt(delivery, acquired.slot));
      return undefined;
    }
    return { delivery, delayMs: acquired.delayMs };
  }

  private claimMoreWhenLow(): void {
    if (!this.hasBacklog) return;
    if (Math.min(this.receivers.waitingCount, this.inFlight.size) < LOW_WATER_MARK) this.signal.notify();
  }

  private async attempt(delivery: ClaimedDelivery, slot: Slot): Promise<void> {
    const result = await this.sendInSlot(slot, delivery);
    if (!result) return;
    const { record, retryAfterMs } = result;
    // A failure makes any status worthless: the receiver did not answer its challenge.
    const response = { status: record.failure === undefined ? record.status : undefined, retryAfterMs };
    const attempt = delivery.attempt - delivery.repeatBase;
    const next = decideNextStep(attempt, response, this.config.CALLBACK_RETRY_AFTER_MS);
    if (next.state === 'delivered' && delivery.payload.challenge !== undefined)
      await this.deliveries.markReceiverVerified(delivery);
    await this.deliveries.recordAttempt({ delivery, record, next });
    this.metrics.recordOutcome(next);
    if (next.state === 'pending') this.signal.notifyAfter(next.delayMs);
  }

  /**
   * Releases the slot on the response, before the attempt is recorded. Undefined when nothing could be sent, which does not
   * count as an attempt.
   */
  private async sendInSlot(slot: Slot, delivery: ClaimedDelivery): Promise<AttemptResult | undefined> {
    let result: AttemptResult | undefined;
    try {
      if (await this.wallets.mayBeSent(delivery)) result = await this.sender.send(delivery);
      else await this.deliveries.markFailed([delivery]);
    } catch (error) {
      const isUndecided = isIdentityUnavailable(error);
      if (!isUndecided) this.logFailure(error);
      this.defer([{ delivery, delayMs: isUndecided ? UNDECIDED_RETRY_MS : UNSENT_RETRY_MS }]);
    }
    const answered = result ? result.record.status !== undefined : undefined;
    const { next, deferred } = this.receivers.release(slot, answered);
    this.defer(deferred);
    if (next) this.track(this.attempt(next.delivery, next.slot));
    return result;
  }

  private defer(deferred: readonly DeferredDelivery<ClaimedDelivery>[]): void {
    if (deferred.length === 0) return;
    this.track(this.deliveries.releaseClaims(deferred));
    // Deliveries that are due later are found by polling.
    this.signal.notifyAfter(Math.min(...deferred.map(({ delayMs }) => delayMs)));
  }

  private track(work: Promise<void>): void {
    const tracked = work.catch(this.logFailure).finally(() => {
      this.inFlight.delete(tracked);
      this.claimMoreWhenLow();
    });
    this.inFlight.add(tracked);
  }
}

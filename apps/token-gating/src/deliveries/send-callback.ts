import { type FetchFailure, SafeFetcher } from '@app/http';
import { Injectable } from '@nestjs/common';
import { CallbackKeys } from '../callbacks/keys/callback-keys.js';
import { signCallback } from '../callbacks/sign-callback.js';
import { callbackBody } from './callback-body.js';
import type { AttemptRecord, ClaimedDelivery } from './delivery.js';

export interface Attempt {
  record: AttemptRecord;
  /** What the receiver asked for. */
  retryAfterMs: number | undefined;
}

/** Posts one callback. It is signed now, at sending: keys may have rotated since it became due. */
@Injectable()
export class SendCallback {
  constructor(
    private readonly fetcher: SafeFetcher,
    private readonly keys: CallbackKeys,
  ) {}

  /** Whether there is a key to sign with: at the start it may take a moment. */
  get canSign(): boolean {
    return this.keys.canSign;
  }

  async send(delivery: ClaimedDelivery): Promise<Attempt> {
    const body = callbackBody(delivery);
    const keys = this.keys.signingKeys();
    const startedAt = Date.now();
    const timestamp = Math.floor(startedAt / 1000);
    const signature = await signCallback({ deliveryId: delivery.id, timestamp, body, keys });
    const begun = performance.now();
    const record = (status: number | undefined, failure: string | undefined): AttemptRecord => ({
      startedAt,
      milliseconds: performance.now() - begun,
      status,
      failure,
    });
    try {
      const headers = { 'content-type': 'application/json', ...signature };
      const { status, retryAfterMs } = await this.fetcher.post(delivery.url, body, headers);
      return { record: record(status, undefined), retryAfterMs };
    } catch (error) {
      // The fetcher rejects with nothing else.
      const { kind } = error as FetchFailure;
      return { record: record(undefined, kind), retryAfterMs: undefined };
    }
  }
}

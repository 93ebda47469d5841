import { type SafeHttpError, SafeHttpClient } from '@app/http';
import { Injectable } from '@nestjs/common';
import { CallbackKeyRing } from './signing-keys/callback-key-ring.js';
import { signCallback } from './sign-callback.js';
import type { AttemptRecord, ClaimedDelivery } from './delivery.js';

/** contract.md section 6: `errors` only when there are any. These bytes are what is signed. */
export function toCallbackBody({ requestId, clientId, result, subject }: ClaimedDelivery): string {
  const { roles, errors } = result;
  return JSON.stringify({ requestId, clientId, ...subject, roles, ...(errors.length > 0 ? { errors } : {}) });
}

export interface AttemptResult {
  record: AttemptRecord;
  /** What the receiver asked for. */
  retryAfterMs: number | undefined;
}

/** Posts one callback. It is signed now, at sending: keys may have rotated since it became due. */
@Injectable()
export class CallbackSender {
  constructor(
    private readonly fetcher: SafeHttpClient,
    private readonly keys: CallbackKeyRing,
  ) {}

  /** Whether there is a key to sign with: at the start it may take a moment. */
  get canSign(): boolean {
    return this.keys.canSign;
  }

  async send(delivery: ClaimedDelivery): Promise<AttemptResult> {
    const body = toCallbackBody(delivery);
    const keys = this.keys.getSigningKeys();
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
      const { kind } = error as SafeHttpError;
      return { record: record(undefined, kind), retryAfterMs: undefined };
    }
  }
}

import { continueTrace } from '@app/common';
import { SafeHttpError, SafeHttpClient } from '@app/http';
import { Injectable } from '@nestjs/common';
import { challengeAnswer, toCallbackBody } from './callback-body.js';
import { PublicHttpClient } from '../clients/safe-fetcher.module.js';
import { CallbackKeyRing } from './callback-key-ring.js';
import { EndpointSecrets, signWithSecrets } from './endpoints/endpoint-secrets.js';
import { signCallback } from './sign-callback.js';
import type { AttemptRecord, ClaimedDelivery } from './delivery.js';

/** Bounds the answer to a challenge; the time is that of other callbacks. */
const ANSWER_LIMITS = { maxBytes: 1_024, timeoutMs: 10_000 };
/** Failure of an attempt whose response is not the answer to the challenge. */
const UNANSWERED = 'challenge_unanswered';

export interface AttemptResult {
  record: AttemptRecord;
  /** The receiver's Retry-After. */
  retryAfterMs: number | undefined;
}

/** Posts callbacks. Signs each attempt anew, because keys may have rotated since the callback became due. */
@Injectable()
export class CallbackSender {
  constructor(
    private readonly fetcher: SafeHttpClient,
    private readonly publicFetcher: PublicHttpClient,
    private readonly keys: CallbackKeyRing,
    private readonly secrets: EndpointSecrets,
  ) {}

  /** False until the signing keys are loaded. */
  get canSign(): boolean {
    return this.keys.canSign;
  }

  /** Sends a callback in a span without the URL, which may hold a token. The receiver gets no `traceparent`. */
  send(delivery: ClaimedDelivery): Promise<AttemptResult> {
    const { traceparent, attempt } = delivery;
    const attributes = { 'gatehouse.attempt': attempt };
    return continueTrace(traceparent, { name: 'callback', kind: 'CLIENT', attributes }, async (span) => {
      const result = await this.attempt(delivery);
      const { status, failure } = result.record;
      span?.setAttributes({ 'http.response.status_code': status, 'error.type': failure });
      return result;
    });
  }

  private async attempt(delivery: ClaimedDelivery): Promise<AttemptResult> {
    // Every byte is signed.
    const body = JSON.stringify(toCallbackBody(delivery));
    const keys = this.keys.getSigningKeys();
    const startedAt = Date.now();
    const timestamp = Math.floor(startedAt / 1000);
    const signed = { deliveryId: delivery.id, timestamp, body };
    const opened = delivery.secrets ? this.secrets.open(delivery.secrets) : [];
    const signature = await signCallback({
      ...signed,
      keys,
      secretSignatures: signWithSecrets(signed, opened),
    });
    const start = performance.now();
    const record = (status: number | undefined, failure: string | undefined): AttemptRecord => ({
      startedAt,
      milliseconds: performance.now() - start,
      status,
      failure,
    });
    try {
      const headers = { 'content-type': 'application/json', ...signature };
      const { challenge } = delivery.payload;
      if (challenge !== undefined) {
        const { status, retryAfterMs, text } = await this.fetcher.postText(
          delivery.url,
          body,
          headers,
          ANSWER_LIMITS,
        );
        return { record: record(status, isAnswer(text, challenge) ? undefined : UNANSWERED), retryAfterMs };
      }
      const { url, endpointId } = delivery;
      if (endpointId !== null) {
        const { status, retryAfterMs, answer } = await this.postToEndpoint(url, body, headers);
        return { record: { ...record(status, undefined), answer }, retryAfterMs };
      }
      const { status, retryAfterMs } = await this.fetcher.post(url, body, headers);
      return { record: record(status, undefined), retryAfterMs };
    } catch (error) {
      // SafeHttpClient rejects with no other error.
      const { kind } = error as SafeHttpError;
      return { record: record(undefined, kind), retryAfterMs: undefined };
    }
  }

  /**
   * Reads the beginning of an answer only through a client that reaches public addresses alone, so that no application reads what a server of
   * a private network answers. Such a client sends nothing before it has checked the address.
   */
  private async postToEndpoint(url: string, body: string, headers: Readonly<Record<string, string>>) {
    try {
      const { start, ...response } = await this.publicFetcher.postKeepingStart(
        url,
        body,
        headers,
        MAX_ANSWER_BYTES,
      );
      return { ...response, answer: toAnswerText(start) };
    } catch (error) {
      if (!(error instanceof SafeHttpError) || error.kind !== 'blocked') throw error;
      return { ...(await this.fetcher.post(url, body, headers)), answer: undefined };
    }
  }
}

/** Answers stay readable for owners of an application, and fit a column of text. */
const MAX_ANSWER_BYTES = 1_024;

/** Text without control characters but line ends and tabs. What is no UTF-8 is replaced. */
function toAnswerText(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8').replaceAll(/[^\P{C}\n\r\t]/gu, '\ufffd');
  return text === '' ? undefined : text;
}

function isAnswer(text: string, challenge: string): boolean {
  try {
    return challengeAnswer.parse(JSON.parse(text)).challenge === challenge;
  } catch {
    return false; // no JSON, or another shape
  }
}

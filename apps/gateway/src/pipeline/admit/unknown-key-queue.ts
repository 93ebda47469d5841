import { SECOND_MS } from '@app/common';
import type { ReturnableRequest } from '@app/limits';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { setRateLimitHeaders } from '../limit/rate-limit-response.js';
import { AddressRateLimiter, addressLimitExceeded, getAddressBucket } from './address-rate-limiter.js';

/** Requests of one address that wait. Each holds one of the address' places among the requests in flight. */
const MAX_WAITING_PER_ADDRESS = 240;
const MAX_WAIT_MS = 3 * SECOND_MS;

interface Waiting {
  readonly response: Response;
  readonly untilMs: number;
  readonly settle: (counted: ReturnableRequest) => void;
}

/**
 * Lets requests wait whose API keys this gateway does not know, instead of refusing them: after a rollout thousands of valid keys may come
 * through one proxy. A look-up counts towards its address like any request without a caller, but only until identity knows the key. So
 * valid keys go on as fast as identity answers, and an address that invents keys has ADDRESS_REQUESTS_PER_SECOND look-ups as before.
 * Each address has a queue of its own, so that its keys delay those of no other address.
 */
@Injectable()
export class UnknownKeyQueue {
  /** The requests of each address that wait, the oldest first. */
  private readonly waiting = new Map<string, Waiting[]>();
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly addresses: AddressRateLimiter) {}

  /**
   * Counts a request towards its address, once there is room.
   * @returns takes the request off the address again, which makes room for the next one
   * @throws AppError 429 when too many requests of the address wait, or after three seconds
   */
  consume(request: Request, response: Response): Promise<() => void> {
    const address = getAddressBucket(request);
    return new Promise((resolve, reject) => {
      const settle = ({ window, giveBack }: ReturnableRequest): void => {
        setRateLimitHeaders(response, { address: window });
        if (!window.admitted) {
          reject(addressLimitExceeded(window));
          return;
        }
        resolve(() => {
          giveBack();
          this.admitWaiting(address);
        });
      };
      const waiting = this.waiting.get(address) ?? [];
      if (waiting.length >= MAX_WAITING_PER_ADDRESS) {
        settle(this.addresses.take(address));
        return;
      }
      waiting.push({ response, untilMs: performance.now() + MAX_WAIT_MS, settle });
      this.waiting.set(address, waiting);
      if (waiting.length === 1) this.admitWaiting(address);
    });
  }

  /** Admits requests of an address in their order while there is room, and comes back when there will be room again. */
  private admitWaiting(address: string): void {
    const waiting = this.waiting.get(address) ?? [];
    for (let next = waiting[0]; next; next = waiting[0]) {
      // Nobody waits for the answer to a client that has gone.
      if (!next.response.closed) {
        const counted = this.addresses.take(address);
        if (!counted.window.admitted && performance.now() < next.untilMs) {
          this.comeBack(
            address,
            Math.min(counted.window.resetMs - Date.now(), next.untilMs - performance.now()),
          );
          return;
        }
        next.settle(counted);
      }
      waiting.shift();
    }
    this.waiting.delete(address);
  }

  private comeBack(address: string, delayMs: number): void {
    clearTimeout(this.timers.get(address));
    const timer = setTimeout(() => {
      this.timers.delete(address);
      this.admitWaiting(address);
    }, delayMs);
    this.timers.set(address, timer.unref());
  }
}

import { boundEntries, formatErrorReason, HOUR_MS, MINUTE_MS, SECOND_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MAX_SIGNING_MS } from '../request-deadline.js';
import { OperationSigningService } from './operation-signing.service.js';
import { listUnsignedOperations } from './user-operations.queries.js';

const SWEEP_INTERVAL_MS = 2_000;
/** Its policy was judged when it was accepted, and may be another one by now. */
const MAX_AGE_MS = 5 * MINUTE_MS;
const MAX_OPERATIONS = 100;

/** The pause after the first failure of an operation, which doubles with each further one. */
const FIRST_PAUSE_MS = 5 * SECOND_MS;
const MAX_PAUSE_MS = HOUR_MS;
/** Failing operations that are remembered. Each is a parameter of the statement that lists the others. */
const MAX_FAILING = 1_000;

const NOT_ANSWERED = 'its request was not answered, and has no idempotency key';

interface Failure {
  readonly reason: string;
  readonly pauseMs: number;
  /** By `performance.now()`. */
  readonly retryAt: number;
}

/**
 * Ends operations whose request accepted them and did not sign them, such as when its process died. A caller with an idempotency key
 * repeats its request for the same operation, so that it is signed. A caller without one got no hash to follow, and may have paid by
 * another operation since, so that its operation is rejected. Rejections do not wait for the signer.
 */
@Injectable()
export class UnsignedOperationsSweeper extends Sweeper {
  private readonly failing = new LRUCache<string, Failure>({
    ...boundEntries(MAX_FAILING),
    ttl: 2 * MAX_PAUSE_MS,
  });

  constructor(
    private readonly service: ServiceContext,
    private readonly database: Database,
    private readonly signing: OperationSigningService,
  ) {
    super(
      service,
      [
        { name: 'reject unsigned operations', sweep: () => this.endSome({ canBeRepeated: false }) },
        { name: 'sign unsigned operations', sweep: () => this.endSome({ canBeRepeated: true }) },
      ],
      SWEEP_INTERVAL_MS,
    );
  }

  private async endSome({ canBeRepeated }: { readonly canBeRepeated: boolean }): Promise<boolean> {
    const operations = await listUnsignedOperations(this.database, {
      olderThanMs: MAX_SIGNING_MS,
      maxAgeMs: MAX_AGE_MS,
      canBeRepeated,
      limit: MAX_OPERATIONS,
      except: this.listPausing(),
    });
    for (const { id, isTooOld } of operations) {
      try {
        if (!canBeRepeated) await this.signing.reject(id, NOT_ANSWERED);
        else if (isTooOld) await this.signing.reject(id, 'it was not signed within five minutes');
        else await this.signing.sign(id);
        this.failing.delete(id);
      } catch (error) {
        this.pause(id, formatErrorReason(error));
      }
    }
    return operations.length === MAX_OPERATIONS;
  }

  private pause(id: string, reason: string): void {
    const last = this.failing.get(id);
    const pauseMs = last ? Math.min(2 * last.pauseMs, MAX_PAUSE_MS) : FIRST_PAUSE_MS;
    this.failing.set(id, { reason, pauseMs, retryAt: performance.now() + pauseMs });
    if (last?.reason !== reason)
      this.service.logger.warn({ operationId: id, reason }, 'an unsigned operation is tried again later');
  }

  private listPausing(): string[] {
    const now = performance.now();
    return [...this.failing].flatMap(([id, { retryAt }]) => (retryAt > now ? [id] : []));
  }
}

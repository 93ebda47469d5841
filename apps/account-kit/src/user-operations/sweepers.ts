import { MINUTE_MS, DAY_MS } from '@app/common';
import { Database } from '@app/database';
import { ItemFailures, ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { MAX_SIGNING_MS } from '../request-deadline.js';
import { OperationSigningService } from './operation-signing.service.js';
import { listUnsignedOperations } from './user-operations.queries.js';
import { deletePastUsage } from '../limits/reservations.queries.js';
import { deleteEndedKeys } from './idempotency-keys.queries.js';

const UNSIGNED_INTERVAL_MS = 2_000;
/** An older operation was judged under a policy that may have changed since. */
const MAX_AGE_MS = 5 * MINUTE_MS;
const MAX_OPERATIONS = 100;

const NOT_ANSWERED = 'its request was not answered, and has no idempotency key';

/**
 * Ends operations whose request accepted them and did not sign them, such as when its process died. A caller with an idempotency key
 * repeats its request for the same operation, so that it is signed. A caller without one got no hash to follow, and may have paid by
 * another operation since, so that its operation is rejected. Rejections do not wait for the signer.
 */
@Injectable()
export class UnsignedOperationsSweeper extends Sweeper {
  private readonly failures: ItemFailures;

  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly signing: OperationSigningService,
  ) {
    super(
      context,
      [
        { name: 'reject unsigned operations', sweep: () => this.endSome({ canBeRepeated: false }) },
        { name: 'sign unsigned operations', sweep: () => this.endSome({ canBeRepeated: true }) },
      ],
      UNSIGNED_INTERVAL_MS,
    );
    this.failures = new ItemFailures(context.logger, 'an unsigned operation is tried again later');
  }

  private async endSome({ canBeRepeated }: { readonly canBeRepeated: boolean }): Promise<boolean> {
    const operations = await listUnsignedOperations(this.database, {
      olderThanMs: MAX_SIGNING_MS,
      maxAgeMs: MAX_AGE_MS,
      canBeRepeated,
      limit: MAX_OPERATIONS,
      except: this.failures.listPaused(),
    });
    for (const { id, isTooOld } of operations) {
      await this.failures.guard(id, async () => {
        if (!canBeRepeated) await this.signing.reject(id, NOT_ANSWERED);
        else if (isTooOld) await this.signing.reject(id, 'it was not signed within five minutes');
        else await this.signing.sign(id);
      });
    }
    return operations.length === MAX_OPERATIONS;
  }
}

const RETENTION_INTERVAL_MS = 10 * MINUTE_MS;
/** Usage is kept for longer than the longest period of a cap, and than operations are under way. */
const USAGE_KEPT_MS = 92 * DAY_MS;
const MAX_ROWS = 1_000;

/** Deletes what is not read any more: what caps counted long ago, and idempotency keys of operations that ended a day ago. */
@Injectable()
export class RetentionSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database) {
    super(
      context,
      [
        {
          name: 'delete past usage of caps',
          sweep: () => deletePastUsage(database, new Date(Date.now() - USAGE_KEPT_MS), MAX_ROWS),
        },
        {
          name: 'delete idempotency keys of ended operations',
          sweep: async () => (await deleteEndedKeys(database, MAX_ROWS)) === MAX_ROWS,
        },
      ],
      RETENTION_INTERVAL_MS,
    );
  }
}

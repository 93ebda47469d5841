import { MINUTE_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { OperationSigningService } from './operation-signing.service.js';
import { listUnsignedOperations } from './user-operations.queries.js';

const SWEEP_INTERVAL_MS = 2_000;
/** Longer than a request waits for the key vault. */
const ABANDONED_AFTER_MS = 10_000;
/** Its policy was judged when it was accepted, and may be another one by now. */
const MAX_AGE_MS = 5 * MINUTE_MS;
const MAX_OPERATIONS = 100;

/** Signs operations that were accepted by a process that has died since, or rejects them after a while. */
@Injectable()
export class UnsignedOperationsSweeper extends Sweeper {
  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly signing: OperationSigningService,
  ) {
    super(context, [{ name: 'sign abandoned operations', sweep: () => this.signSome() }], SWEEP_INTERVAL_MS);
  }

  private async signSome(): Promise<boolean> {
    const operations = await listUnsignedOperations(this.database, {
      olderThanMs: ABANDONED_AFTER_MS,
      maxAgeMs: MAX_AGE_MS,
      limit: MAX_OPERATIONS,
    });
    for (const { id, isTooOld } of operations) {
      if (isTooOld) await this.signing.reject(id, 'it was not signed within five minutes');
      else await this.signing.sign(id);
    }
    return operations.length === MAX_OPERATIONS;
  }
}

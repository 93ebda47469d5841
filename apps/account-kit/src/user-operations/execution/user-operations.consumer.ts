import {
  Consumer,
  Consumes,
  RetryLaterError,
  userOperationsQueue,
  type UserOperationsJob,
} from '@app/queues';
import type { Job } from 'bullmq';
import { OperationClaimRepository } from './bundles/operation-claim.repository.js';
import { ExecutorWorkerService } from './executor-worker.service.js';
import { SignedOperationsSignal } from './signed-operations-signal.js';

const CONCURRENCY = 4;
/** The pause before another instance tries, because this one does not send on the chain. */
const HAND_OVER_MS = 100;
/** After this time it may be that no instance sends, and this one tries to. */
const TAKE_OVER_AFTER_MS = 500;
/** After this time the instance that sends has polled the rows itself. */
const MAX_AGE_MS = 5_000;

/** Wakes the worker of the instance that sends. Idempotent: what is sent follows from the rows. */
@Consumes(userOperationsQueue, { concurrency: CONCURRENCY })
export class UserOperationsConsumer extends Consumer<UserOperationsJob> {
  constructor(
    private readonly claims: OperationClaimRepository,
    private readonly workers: ExecutorWorkerService,
    private readonly signal: SignedOperationsSignal,
  ) {
    super();
  }

  async handle({ operationIds }: UserOperationsJob, job: Job): Promise<void> {
    const chainIds = await this.claims.findChainsOfDue(operationIds);
    const ageMs = Date.now() - job.timestamp;
    const others = chainIds.filter((chainId) => !this.workers.isSending(chainId));
    for (const chainId of chainIds)
      if (!others.includes(chainId) || ageMs > TAKE_OVER_AFTER_MS)
        this.signal.getChainSignal(chainId).notify();
    if (others.length > 0 && ageMs < MAX_AGE_MS) throw new RetryLaterError(HAND_OVER_MS);
  }
}

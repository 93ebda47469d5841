import { isUnavailable } from '@app/common';
import { Database } from '@app/database';
import {
  balanceChecksQueue,
  type BalanceChecksJob,
  Consumer,
  Consumes,
  InjectProducer,
  type Producer,
  RetryLaterError,
} from '@app/queues';
import { ServiceContext } from '@app/service';
import type { Job } from 'bullmq';
import { BalanceCheckMetrics } from '../balance-check-metrics.js';
import { abortCheck, loadRunningCheck, type RunningBalanceCheck } from '../balance-checks.queries.js';
import { TenantBulkhead } from '../../tenant-bulkhead.js';
import { BalanceCheckTurnService } from './balance-check-turn.service.js';

/** Two checks can store while two others read chains. More would not help: a chain has two background rounds at a time. */
const CONCURRENCY = 4;
const MAX_TURNS_PER_TENANT = 1;

/** Runs one turn of a balance check per job. Several workers may run the same turn: every write is fenced by the row. */
@Consumes(balanceChecksQueue, { concurrency: CONCURRENCY })
export class BalanceChecksConsumer extends Consumer<BalanceChecksJob> {
  private readonly bulkhead = new TenantBulkhead(MAX_TURNS_PER_TENANT);

  constructor(
    private readonly database: Database,
    private readonly turns: BalanceCheckTurnService,
    private readonly metrics: BalanceCheckMetrics,
    private readonly context: ServiceContext,
    @InjectProducer(balanceChecksQueue) private readonly producer: Producer<typeof balanceChecksQueue>,
  ) {
    super();
  }

  handle({ checkId, turn }: BalanceChecksJob, job: Job): Promise<void> {
    return this.metrics.trackTurn(async () => {
      try {
        const outcome = await this.bulkhead.run(
          checkId,
          () => this.load(checkId, turn),
          (check) => this.turns.run(check),
        );
        if (outcome === 'more') this.enqueue(checkId, turn + 1);
      } catch (error) {
        if (!isPermanentFailure(error, job)) throw error;
        await this.abort(checkId, error);
      }
    });
  }

  /** Undefined for a check that has ended or is at another turn. */
  private async load(checkId: string, turn: number): Promise<RunningBalanceCheck | undefined> {
    const check = await loadRunningCheck(this.database, checkId);
    return check?.turn === turn ? check : undefined;
  }

  /** Ends the check: otherwise the sweeper would enqueue the failing turn forever. */
  private async abort(checkId: string, error: unknown): Promise<void> {
    this.context.logger.error({ err: error, checkId }, 'balance check aborted after its last attempt failed');
    const check = await loadRunningCheck(this.database, checkId);
    if (check) await this.database.transaction((manager) => abortCheck(manager, check));
  }

  private enqueue(checkId: string, turn: number): void {
    this.producer.enqueue({ version: 1, checkId, turn }).catch((error: unknown) => {
      this.context.logger.warn({ err: error, checkId, turn }, 'could not enqueue a turn; the sweeper will');
    });
  }
}

/** Whether the last attempt failed for another reason than an unavailable dependency. */
const isPermanentFailure = (error: unknown, { attemptsMade, opts: { attempts = 1 } }: Job): boolean =>
  !(error instanceof RetryLaterError) && !isUnavailable(error) && attemptsMade + 1 >= attempts;

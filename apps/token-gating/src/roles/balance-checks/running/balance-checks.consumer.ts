import { AppError } from '@app/common';
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
import { BalanceCheckTurnService } from './balance-check-turn.service.js';
import { RunningBalanceCheckRepository } from './running-balance-check.repository.js';

/** Enough to store for one community while the chains are read for another: in the background they are read by turns. */
const CONCURRENCY = 2;
const SERVICE_UNAVAILABLE = 503;

/** Runs the checks of communities, a turn each. Any number of workers may have the same one: the row's place is the fence. */
@Consumes(balanceChecksQueue, { concurrency: CONCURRENCY })
export class BalanceChecksConsumer extends Consumer<BalanceChecksJob> {
  constructor(
    private readonly running: RunningBalanceCheckRepository,
    private readonly runTurn: BalanceCheckTurnService,
    private readonly metrics: BalanceCheckMetrics,
    private readonly context: ServiceContext,
    @InjectProducer(balanceChecksQueue) private readonly producer: Producer<typeof balanceChecksQueue>,
  ) {
    super();
  }

  handle({ checkId, turn }: BalanceChecksJob, job: Job): Promise<void> {
    return this.metrics.trackTurn(async () => {
      const check = await this.running.load(checkId);
      if (check?.turn !== turn) return; // finished, gone, or further on
      try {
        if ((await this.runTurn.run(check)) === 'over') this.enqueue(checkId, turn + 1);
      } catch (error) {
        if (!isPermanentFailure(error, job)) throw error;
        await this.giveUp(checkId, error);
      }
    });
  }

  /** What failed each time would fail for ever: the sweeper would enqueue it again and again. */
  private async giveUp(checkId: string, error: unknown): Promise<void> {
    this.context.logger.error({ err: error, checkId }, 'a balance check cannot go on, and ends here');
    const check = await this.running.load(checkId);
    if (check) await this.running.abort(check);
  }

  private enqueue(checkId: string, turn: number): void {
    this.producer.enqueue({ version: 1, checkId, turn }).catch((error: unknown) => {
      this.context.logger.warn({ err: error, checkId, turn }, 'not enqueued, left to the sweeper');
    });
  }
}

/** At the last attempt, for another reason than that something is away. */
const isPermanentFailure = (error: unknown, { attemptsMade, opts: { attempts = 1 } }: Job): boolean =>
  !(error instanceof RetryLaterError) && !isUnavailable(error) && attemptsMade + 1 >= attempts;

const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.statusCode === SERVICE_UNAVAILABLE;

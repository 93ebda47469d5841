import { checkRolesQueue, type CheckRolesJob, Consumer, Consumes, RetryLaterError } from '@app/queues';
import { QueuedCheckService } from './queued-check.service.js';
import { CheckResultPublisher } from './check-result-publisher.js';
import { AsyncCheckConfig } from './async-check.config.js';
import { CheckRepository } from './check.repository.js';
import type { PendingCheck } from './checks.queries.js';
import { calculateReadRetryDelay, calculateRoomRetryDelay } from './calculate-read-retry-delay.js';
import { type RunResult, RunCheckService } from './run-check.service.js';

const CONCURRENCY = 256;

/** Runs accepted checks. When several workers run the same check, only the first result is stored. */
@Consumes(checkRolesQueue, { concurrency: CONCURRENCY })
export class CheckRolesConsumer extends Consumer<CheckRolesJob> {
  constructor(
    private readonly config: AsyncCheckConfig,
    private readonly queuedChecks: QueuedCheckService,
    private readonly checks: CheckRepository,
    private readonly runner: RunCheckService,
    private readonly publisher: CheckResultPublisher,
  ) {
    super();
  }

  async handle(job: CheckRolesJob): Promise<void> {
    if ('clientId' in job) await this.queuedChecks.accept(job);
    const check = await this.checks.load(job.requestId);
    if (!check) return;
    const run = await this.runner.run(check);
    await this.retryTransientErrors(check, run);
    const { result } = run;
    const finished = await this.checks.finish(check.id, result);
    if (finished) await this.publisher.publish(finished);
  }

  /** @throws RetryLaterError when there was no room for reads, and when errors are retryable for less than CHECK_REREAD_FOR_MS */
  private async retryTransientErrors(check: PendingCheck, { result, lacksRoom }: RunResult): Promise<void> {
    if (!result.errors.some(({ retryable }) => retryable)) return;
    const nowMs = Date.now();
    const delayMs = lacksRoom
      ? calculateRoomRetryDelay(check.createdAt, this.config, nowMs)
      : calculateReadRetryDelay(check.failingSince ?? new Date(nowMs), this.config, nowMs);
    if (delayMs === undefined) return;
    await this.checks.postpone(check.id, delayMs, !lacksRoom);
    throw new RetryLaterError(delayMs);
  }
}

import { checkRolesQueue, type CheckRolesJob, Consumer, Consumes, RetryLaterError } from '@app/queues';
import { QueuedCheckService } from './queued-check.service.js';
import { CheckResultPublisher } from './check-result-publisher.js';
import { AsyncCheckConfig } from './async-check.config.js';
import type { CheckResult } from '../../rules/check-result.js';
import { CheckRepository } from './check.repository.js';
import type { PendingCheck } from './checks.queries.js';
import { calculateReadRetryDelay } from './calculate-read-retry-delay.js';
import { RunCheckService } from './run-check.service.js';

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
    const result = await this.runner.run(check);
    await this.retryTransientErrors(check, result);
    const finished = await this.checks.finish(check.id, result);
    if (finished) await this.publisher.publish(finished);
  }

  /** @throws RetryLaterError when errors are retryable and the check is younger than CHECK_REREAD_FOR_MS */
  private async retryTransientErrors(check: PendingCheck, { errors }: CheckResult): Promise<void> {
    if (!errors.some(({ retryable }) => retryable)) return;
    const delayMs = calculateReadRetryDelay(check, this.config, Date.now());
    if (delayMs === undefined) return;
    await this.checks.postpone(check.id, delayMs);
    throw new RetryLaterError(delayMs);
  }
}

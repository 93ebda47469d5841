import { checkRolesQueue, type CheckRolesJob, Consumer, Consumes, RetryLaterError } from '@app/queues';
import { QueuedCheckService } from './queued-check.service.js';
import { CheckResultPublisher } from './check-result-publisher.js';
import { AsyncCheckConfig } from './async-check.config.js';
import type { CheckResult, PendingCheck } from './async-check.js';
import { calculateReadRetryDelay } from './calculate-read-retry-delay.js';
import { RunCheckService } from './run-check.service.js';
import { RunningCheckRepository } from './running-check.repository.js';

const CONCURRENCY = 256;

/** Runs accepted checks. Any number of workers may have the same one: the first result is the only one. */
@Consumes(checkRolesQueue, { concurrency: CONCURRENCY })
export class CheckRolesConsumer extends Consumer<CheckRolesJob> {
  constructor(
    private readonly config: AsyncCheckConfig,
    private readonly queued: QueuedCheckService,
    private readonly running: RunningCheckRepository,
    private readonly runCheck: RunCheckService,
    private readonly announcements: CheckResultPublisher,
  ) {
    super();
  }

  async handle(job: CheckRolesJob): Promise<void> {
    if ('clientId' in job) await this.queued.accept(job);
    const check = await this.running.load(job.requestId);
    if (!check) return;
    const result = await this.runCheck.run(check);
    await this.rereadLater(check, result);
    const finished = await this.running.finish(check.id, result);
    if (finished) await this.announcements.publish(finished);
  }

  /** @throws RetryLater while nodes that did not answer may still come back */
  private async rereadLater(check: PendingCheck, { errors }: CheckResult): Promise<void> {
    if (!errors.some(({ retryable }) => retryable)) return;
    const delayMs = calculateReadRetryDelay(check, this.config, Date.now());
    if (delayMs === undefined) return;
    await this.running.postpone(check.id, delayMs);
    throw new RetryLaterError(delayMs);
  }
}

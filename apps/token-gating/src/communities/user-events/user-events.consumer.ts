import { Consumer, Consumes, retryWhileUnavailable, userEventsQueue, type UserEventsJob } from '@app/queues';
import type { Job } from 'bullmq';
import { SignInFanout } from './sign-in-fanout.js';

const CONCURRENCY = 4;

/** Consumes what users did, and publishes it in their communities. */
@Consumes(userEventsQueue, { concurrency: CONCURRENCY })
export class UserEventsConsumer extends Consumer<UserEventsJob> {
  constructor(private readonly signIns: SignInFanout) {
    super();
  }

  async handle({ events }: UserEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, async () => {
      for (const event of events) await this.signIns.dispatch(event);
    });
  }
}

import {
  Consumer,
  Consumes,
  handleEach,
  retryWhileUnavailable,
  userEventsQueue,
  type UserEventsJob,
} from '@app/queues';
import { Database } from '@app/database';
import type { UserEvent } from '@app/dto';
import type { Job } from 'bullmq';
import { endConsent } from '../../credential-revocations/ended-consents.js';
import { ErasedUserService } from './erased-user.service.js';
import { HeartbeatPublisher } from './heartbeat.publisher.js';
import { SignInFanout } from './sign-in-fanout.js';

const CONCURRENCY = 4;

/** Consumes what users did, and publishes it in their communities. */
@Consumes(userEventsQueue, { concurrency: CONCURRENCY })
export class UserEventsConsumer extends Consumer<UserEventsJob> {
  constructor(
    private readonly database: Database,
    private readonly heartbeats: HeartbeatPublisher,
    private readonly signIns: SignInFanout,
    private readonly erasedUsers: ErasedUserService,
  ) {
    super();
  }

  async handle({ events }: UserEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, async () => {
      // Heartbeats wait for other events: before their job is handled, nothing says that they are.
      const isHeartbeat = ({ type }: UserEvent) => type === 'producer.heartbeat';
      await handleEach(
        events.filter((event) => !isHeartbeat(event)),
        (event) => this.handleEvent(event),
      );
      for (const heartbeat of events.filter(isHeartbeat)) await this.handleEvent(heartbeat);
    });
  }

  private async handleEvent(event: UserEvent): Promise<void> {
    switch (event.type) {
      case 'user.signed_in':
        return this.signIns.dispatch(event);
      case 'user.erased':
        return this.erasedUsers.erase(event);
      case 'consent.ended':
        return endConsent(this.database, event.userId, event);
      case 'producer.heartbeat':
        return this.heartbeats.publishOfIdentity(event.at);
    }
  }
}

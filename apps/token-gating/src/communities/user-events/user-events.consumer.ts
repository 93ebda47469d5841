import { Consumer, Consumes, retryWhileUnavailable, userEventsQueue, type UserEventsJob } from '@app/queues';
import { Database } from '@app/database';
import type { UserEvent } from '@app/dto';
import type { Job } from 'bullmq';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createHeartbeat } from '../events/create-community-event.js';
import { ErasedUserService } from './erased-user.service.js';
import { SignInFanout } from './sign-in-fanout.js';

const CONCURRENCY = 4;

/** Consumes what users did, and publishes it in their communities. */
@Consumes(userEventsQueue, { concurrency: CONCURRENCY })
export class UserEventsConsumer extends Consumer<UserEventsJob> {
  constructor(
    private readonly database: Database,
    private readonly communityEvents: CommunityEventPublisher,
    private readonly signIns: SignInFanout,
    private readonly erasedUsers: ErasedUserService,
  ) {
    super();
  }

  async handle({ events }: UserEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, async () => {
      for (const event of events) await this.handleEvent(event);
    });
  }

  private async handleEvent(event: UserEvent): Promise<void> {
    switch (event.type) {
      case 'user.signed_in':
        return this.signIns.dispatch(event);
      case 'user.erased':
        return this.erasedUsers.erase(event);
      case 'producer.heartbeat': {
        const heartbeat = createHeartbeat('identity', event.at);
        return this.database.transaction((manager) => this.communityEvents.publish(manager, [heartbeat]));
      }
    }
  }
}

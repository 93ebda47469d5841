import type { CommunityEvent } from '@app/dto';
import { type ForeignQueue, foreignQueue } from '../queues/foreign-queue.js';
import { until } from '../support/until.js';
import type { CommunityRows } from './community-rows.js';

/** Reads the events on the queue of community events, which has no consumer in these tests. */
export class QueuedEvents {
  private readonly foreign: ForeignQueue;

  /** @param env of the queue backend, see foreignQueue */
  constructor(
    env: Record<string, string>,
    private readonly rows: CommunityRows,
  ) {
    this.foreign = foreignQueue(env, 'community-events');
  }

  /** The events of a community by time without checks, after the outbox is empty. */
  async of(communityId: string): Promise<CommunityEvent[]> {
    return (await this.allOf(communityId)).filter(({ type }) => type !== 'member.checked');
  }

  private async allOf(communityId: string): Promise<CommunityEvent[]> {
    await until('the outbox is empty', async () => {
      const [left] = await this.rows.query<{ count: string }>('SELECT count(*) FROM token_gating.outbox');
      return left?.count === '0';
    });
    const jobs = await this.foreign.queue.getJobs(['waiting', 'delayed', 'prioritized'], 0, -1);
    return jobs
      .flatMap(({ data }) => (data as { events: CommunityEvent[] }).events)
      .filter((event) => 'communityId' in event && event.communityId === communityId)
      .sort((a, b) => a.at.localeCompare(b.at));
  }

  /** The events as `<type> <user> <role>`. */
  async roleChangesOf(communityId: string): Promise<string[]> {
    return (await this.of(communityId)).map((event) =>
      'roleId' in event ? `${event.type} ${event.userId} ${event.roleId}` : event.type,
    );
  }

  /** The checks of members that were published. */
  async checksOf(communityId: string): Promise<CommunityEvent[]> {
    return (await this.allOf(communityId)).filter(({ type }) => type === 'member.checked');
  }

  close(): Promise<void> {
    return this.foreign.close();
  }
}

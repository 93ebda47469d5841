import { randomUUID } from 'node:crypto';
import { OutboxService } from '@app/outbox';
import { memberChecksQueue, MAX_MEMBERS_PER_CHECK } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Members of whom something later was stored while a page was read. That may have been less than the page could tell. */
@Injectable()
export class MemberRecheckService {
  constructor(private readonly outbox: OutboxService) {}

  /** By jobs of their own, which commit with the page. */
  async enqueue(manager: EntityManager, communityId: string, userIds: readonly string[]): Promise<void> {
    const jobs = [];
    for (let start = 0; start < userIds.length; start += MAX_MEMBERS_PER_CHECK)
      jobs.push({
        version: 1 as const,
        id: randomUUID(),
        communityId,
        userIds: userIds.slice(start, start + MAX_MEMBERS_PER_CHECK),
      });
    await this.outbox.add(manager, memberChecksQueue, jobs);
  }
}

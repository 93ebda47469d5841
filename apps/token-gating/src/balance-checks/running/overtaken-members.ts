import { randomUUID } from 'node:crypto';
import { Outbox } from '@app/outbox';
import { memberChecksQueue, MOST_CHECKED_MEMBERS } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Members of whom something later was stored while a page was read. That may have been less than the page could tell. */
@Injectable()
export class OvertakenMembers {
  constructor(private readonly outbox: Outbox) {}

  /** By jobs of their own, which commit with the page. */
  async checkAgain(manager: EntityManager, communityId: string, userIds: readonly string[]): Promise<void> {
    const jobs = [];
    for (let start = 0; start < userIds.length; start += MOST_CHECKED_MEMBERS)
      jobs.push({
        version: 1 as const,
        id: randomUUID(),
        communityId,
        userIds: userIds.slice(start, start + MOST_CHECKED_MEMBERS),
      });
    await this.outbox.add(manager, memberChecksQueue, jobs);
  }
}

import { randomUUID } from 'node:crypto';
import { OutboxService } from '@app/outbox';
import { MAX_MEMBERS_PER_CHECK, memberChecksQueue } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Checks members again whose page was superseded: the later evaluation may have determined fewer roles. */
@Injectable()
export class MemberRecheckService {
  constructor(private readonly outbox: OutboxService) {}

  /** Adds the jobs within the caller's transaction. */
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

import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import type { Actor } from './audit-action.js';
import { AuditRecord } from './audit-record.entity.js';
import { recordAudit } from './audit-records.queries.js';

export const MAX_LISTED_RECORDS = 100;

/** Lists audit records for operators, which is audited, too. */
@Injectable()
export class AuditRecordsService {
  constructor(private readonly database: Database) {}

  /**
   * Newest first.
   * @param target the id of a client application or a tenant; all records when undefined
   * @param before a record id: only older records
   */
  listRecords(actor: Actor, target: string | undefined, before?: number): Promise<AuditRecord[]> {
    return this.database.transaction(async (manager) => {
      const records = await manager.find(AuditRecord, {
        where: {
          ...(target !== undefined && { target }),
          ...(before !== undefined && { id: LessThan(before) }),
        },
        order: { id: 'DESC' },
        take: MAX_LISTED_RECORDS,
      });
      await recordAudit(manager, actor, { action: 'audit.listed', target: target ?? 'everything' });
      return records;
    });
  }
}

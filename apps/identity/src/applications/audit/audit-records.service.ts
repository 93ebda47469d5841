import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { AuditRecord } from './audit-record.entity.js';

export const MAX_LISTED_RECORDS = 100;

/** Lists audit records for operators. Reading them is no action, and writes none. */
@Injectable()
export class AuditRecordsService {
  constructor(private readonly database: Database) {}

  /**
   * Newest first.
   * @param target the id of a client application or a tenant; all records when undefined
   * @param before a record id: only older records
   */
  listRecords(target: string | undefined, before?: number): Promise<AuditRecord[]> {
    return this.database.withConnection((manager) =>
      manager.find(AuditRecord, {
        where: {
          ...(target !== undefined && { target }),
          ...(before !== undefined && { id: LessThan(before) }),
        },
        order: { id: 'DESC' },
        take: MAX_LISTED_RECORDS,
      }),
    );
  }
}

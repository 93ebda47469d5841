import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LessThan, Raw } from 'typeorm';
import type { AuditAction } from './audit-action.js';
import { AuditRecord } from './audit-record.entity.js';

export const MAX_LISTED_RECORDS = 100;

const BEGINNING = new Date(0);
const END = new Date('9999-12-31T00:00:00Z');

/** What is listed. Absent fields filter nothing. */
export interface AuditFilter {
  /** The id of a client application, a tenant, or whatever else was acted on. */
  readonly target?: string | undefined;
  readonly actorId?: string | undefined;
  readonly action?: AuditAction | undefined;
  readonly from?: Date | undefined;
  /** The first moment after the last record. */
  readonly to?: Date | undefined;
  /** A record id: only older records. */
  readonly before?: number | undefined;
}

/** Lists audit records for operators. Reading them is no action, and writes none. */
@Injectable()
export class AuditRecordsService {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  listRecords({ target, actorId, action, from, to, before }: AuditFilter): Promise<AuditRecord[]> {
    return this.database.withConnection((manager) =>
      manager.find(AuditRecord, {
        where: {
          ...(target !== undefined && { target }),
          ...(actorId !== undefined && { actorId }),
          ...(action !== undefined && { action }),
          ...(before !== undefined && { id: LessThan(before) }),
          ...((from ?? to) && {
            at: Raw((at) => `${at} >= :from AND ${at} < :to`, { from: from ?? BEGINNING, to: to ?? END }),
          }),
        },
        order: { id: 'DESC' },
        take: MAX_LISTED_RECORDS,
      }),
    );
  }
}

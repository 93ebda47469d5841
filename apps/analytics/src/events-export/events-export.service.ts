import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import { decodePosition, encodePosition } from '@app/service';
import { Injectable } from '@nestjs/common';
import { ReportAccessService } from '../reports/report-access.service.js';
import { DEFAULT_EXPORT_SIZE, type EventsQuery, type ExportedEvents } from './events-export.dto.js';
import { listExportedEvents } from './exported-events.queries.js';

export interface EventsExportRequest {
  readonly principal: Principal;
  readonly communityId: string;
  readonly query: EventsQuery;
}

/** Lists the stored events of a community for callers who may read its analytics. */
@Injectable()
export class EventsExportService {
  constructor(
    private readonly database: Database,
    private readonly access: ReportAccessService,
  ) {}

  /** @throws AppError 400, 403, 404 or 503 */
  async list({ principal, communityId, query }: EventsExportRequest): Promise<ExportedEvents> {
    const readsWallets = await this.access.requireAndCheckWallets(principal, communityId);
    const { cursor, limit = DEFAULT_EXPORT_SIZE } = query;
    const after = cursor === undefined ? undefined : decodePosition(communityId, cursor, 'cursor');
    const events = await listExportedEvents(this.database, communityId, { after, limit });
    const items = readsWallets ? events : events.map((event) => ({ ...event, accountId: undefined }));
    const lastEvent = events.at(-1);
    const last = lastEvent ? { time: lastEvent.receivedAt, id: lastEvent.id } : after;
    return { items, ...(last && { cursor: encodePosition(communityId, last) }) };
  }
}

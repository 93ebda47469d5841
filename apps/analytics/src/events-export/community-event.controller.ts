import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { type CommunityParams, communityParams } from '../reports/analytics.dto.js';
import { exportedEvents, type ExportedEvents, eventsQuery, type EventsQuery } from './events-export.dto.js';
import { EventsExportService } from './events-export.service.js';

/** Events of a community for a data warehouse (contract.md section 9). */
@Controller('analytics/:communityId/events')
export class CommunityEventController {
  constructor(private readonly events: EventsExportService) {}

  @Get()
  @Operation({
    caller: 'either',
    scope: 'community:analytics',
    summary: 'Export community events',
    description:
      'What happened in a community, for a data warehouse of your own. In the order in which they were stored, newest last, from a minute ago on. The response has a `cursor` for what follows, also ' +
      'on the last page: a page with fewer events than `limit` is the last one until more arrive.',
    errors: [
      '403 administrator_required',
      '403 attached_client_required',
      '404 community_not_found',
      '503 communities_unavailable',
    ],
  })
  @Returns(exportedEvents)
  listEvents(
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: eventsQuery }) query: EventsQuery,
    @CurrentPrincipal() principal: Principal,
  ): Promise<ExportedEvents> {
    return this.events.list({ principal, communityId, query });
  }
}

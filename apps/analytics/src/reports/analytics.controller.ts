import { CurrentPrincipal, type Principal } from '@app/auth';
import { DEFAULT_REPORT_RANGE, queryText, REPORT_RANGES } from '@app/dto';
import { invalidInput, Operation, Returns, toResponseHeaders } from '@app/service';
import {
  Body,
  type CallHandler,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Injectable,
  type NestInterceptor,
  Param,
  Post,
  Query,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBody, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';
import { map, type Observable, tap } from 'rxjs';
import { z } from 'zod';
import type { PeriodQuery } from '../time/report-period.js';
import {
  type AnalyticsFilters,
  analyticsFilters,
  type CommunityParams,
  communityParams,
  rangeQuery,
  type RoleDistributionRow,
  roleDistributionRow,
  type RolesAddedRow,
  rolesAddedRow,
  type UserInteractionsRow,
  userInteractionsRow,
  type WalletConnectionsRow,
  walletConnectionsRow,
} from './analytics.dto.js';
import { DataUntilService, ReportsService } from './reports.service.js';
import {
  formatReport,
  type CsvTable,
  ROLE_DISTRIBUTION_CSV,
  ROLES_ADDED_CSV,
  USER_INTERACTIONS_CSV,
  WALLET_CONNECTIONS_CSV,
} from './report-csv.js';
import {
  loadRoleDistribution,
  loadRolesAdded,
  loadUserInteractions,
  loadWalletConnections,
} from './reports.js';

const createEntityTag = (text: string): string =>
  `"${createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')}"`;

/**
 * Sends rows as JSON, or as CSV to clients that prefer it. A GET has an ETag, with which Express answers 304 to clients that
 * have the same text.
 */
class ReportFormatInterceptor<Row> implements NestInterceptor<Row[], string> {
  constructor(private readonly table: CsvTable<Row>) {}

  intercept(context: ExecutionContext, next: CallHandler<Row[]>): Observable<string> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const isCsv = request.accepts(['application/json', 'text/csv']) === 'text/csv';
    return next.handle().pipe(
      map((rows) => {
        const text = formatReport(this.table, rows, isCsv ? 'csv' : 'json');
        // A caller's own numbers, which a cache has to validate each time.
        response.set('Cache-Control', 'private, no-cache').vary('Accept');
        response.type(isCsv ? 'text/csv' : 'application/json');
        if (request.method === 'GET') response.set('ETag', createEntityTag(text));
        return text;
      }),
    );
  }
}

const MAX_LENGTH = 64;
const text = queryText.max(MAX_LENGTH).optional();

/** Parameters beside `range`, which alone the OpenAPI document declares. */
const furtherPeriodQuery = z.object({
  interval: text.describe(
    '`hour`, `day`, `week` or `month` (by default `hour` up to 2 days, `day` up to 92 days, `week` up to 2 years)',
  ),
  timeZone: text.describe('an IANA time zone (by default `UTC`)'),
});

const periodQuery = furtherPeriodQuery.extend({ range: text });

/**
 * The parameters of a report's time. A decorator of its own, because the OpenAPI document lists only `range`: clients with
 * positional arguments know no others (contract.md section 9). @throws AppError 400
 */
const PeriodParameters = createParamDecorator((_: unknown, context: ExecutionContext): PeriodQuery => {
  const parsed = periodQuery.safeParse(context.switchToHttp().getRequest<Request>().query);
  if (!parsed.success) throw invalidInput(parsed.error.issues);
  return parsed.data;
});

const RANGES = REPORT_RANGES.map((range) =>
  range === DEFAULT_REPORT_RANGE ? `\`${range}\` (the default)` : `\`${range}\``,
).join(', ');

const PERIOD =
  `\`range\` is ${RANGES}, ` +
  'an ISO 8601 duration back from now (`P2W`) or an ISO 8601 interval ' +
  '(`2026-01-01/2026-02-01`) of days of the time zone, or of date-times on a quarter of an hour, with the end excluded. ' +
  'The begin is rounded down and the end up to the edge of a bucket; ' +
  'every bucket has a row. With `Accept: text/csv` the response is a table of the same rows.';

const FILTER =
  'The body chooses roles, and the names and colors of their rows. Without it all roles are listed.';

const DISTRIBUTION_DESCRIPTION = `How many members have each role at the end of the range. ${FILTER} ${PERIOD}`;
const ROLES_ADDED_DESCRIPTION = `How many members got and lost each role, by time. ${FILTER} ${PERIOD}`;
const BY_BUCKET = `${PERIOD} \`If-None-Match\` is supported.`;
const INTERACTIONS_DESCRIPTION = `What members did, and how many of them, by kind and time. ${BY_BUCKET}`;
const WALLETS_DESCRIPTION = `How many wallets of members were connected and disconnected, and how many there are, by time. ${BY_BUCKET}`;

/** Sets `X-Data-Until`: what happened until then is in the rows of a report. */
@Injectable()
export class DataUntilInterceptor implements NestInterceptor {
  constructor(private readonly dataUntil: DataUntilService) {}

  async intercept(context: ExecutionContext, next: CallHandler<unknown>): Promise<Observable<unknown>> {
    const until = await this.dataUntil.load();
    const setHeader = () => {
      if (until !== undefined) context.switchToHttp().getResponse<Response>().set('X-Data-Until', until);
    };
    return next.handle().pipe(tap(setHeader));
  }
}

const ReportOperation = (summary: string, description: string) =>
  Operation({
    caller: 'either',
    scope: 'community:analytics',
    summary,
    description,
    furtherQuery: furtherPeriodQuery,
    errors: [
      '403 administrator_required',
      '403 attached_client_required',
      '404 community_not_found',
      '503 communities_unavailable',
    ],
  });

/** Documents the 304 of a GET with `If-None-Match`. */
const NotModified = (): MethodDecorator =>
  ApiResponse({
    status: 304,
    description: 'The rows are those that the client has. There is no body.',
    headers: toResponseHeaders(['ETag', 'X-Data-Until']),
  });

/** Reports on a community over time (spec.md 4.2, contract.md section 9). */
@Controller('analytics/:communityId')
@UseInterceptors(DataUntilInterceptor)
export class AnalyticsController {
  constructor(private readonly reports: ReportsService) {}

  @Post('role-distribution')
  @ReportOperation('Count members by role', DISTRIBUTION_DESCRIPTION)
  @ApiBody({ required: false })
  @UseInterceptors(new ReportFormatInterceptor(ROLE_DISTRIBUTION_CSV))
  @Returns(roleDistributionRow, { isArray: true, headers: ['X-Data-Until'] })
  getRolesPie(
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: rangeQuery }) _query: unknown,
    @Body({ schema: analyticsFilters.optional() }) filters: AnalyticsFilters | undefined,
    @PeriodParameters() query: PeriodQuery,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RoleDistributionRow[]> {
    return this.reports.load({ principal, communityId, query, filters }, loadRoleDistribution);
  }

  @Post('roles-added')
  @ReportOperation('Count granted and revoked roles over time', ROLES_ADDED_DESCRIPTION)
  @ApiBody({ required: false })
  @UseInterceptors(new ReportFormatInterceptor(ROLES_ADDED_CSV))
  @Returns(rolesAddedRow, { isArray: true, headers: ['X-Data-Until'] })
  getRolesAdded(
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: rangeQuery }) _query: unknown,
    @Body({ schema: analyticsFilters.optional() }) filters: AnalyticsFilters | undefined,
    @PeriodParameters() query: PeriodQuery,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RolesAddedRow[]> {
    return this.reports.load({ principal, communityId, query, filters }, loadRolesAdded);
  }

  @Get('user-interactions')
  @ReportOperation('Count member interactions over time', INTERACTIONS_DESCRIPTION)
  @UseInterceptors(new ReportFormatInterceptor(USER_INTERACTIONS_CSV))
  @Returns(userInteractionsRow, { isArray: true, headers: ['ETag', 'X-Data-Until'] })
  @NotModified()
  getLetsGo(
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: rangeQuery }) _query: unknown,
    @PeriodParameters() query: PeriodQuery,
    @CurrentPrincipal() principal: Principal,
  ): Promise<UserInteractionsRow[]> {
    return this.reports.load({ principal, communityId, query }, loadUserInteractions);
  }

  @Get('wallet-connections')
  @ReportOperation('Count connected wallets over time', WALLETS_DESCRIPTION)
  @UseInterceptors(new ReportFormatInterceptor(WALLET_CONNECTIONS_CSV))
  @Returns(walletConnectionsRow, { isArray: true, headers: ['ETag', 'X-Data-Until'] })
  @NotModified()
  getWalletConnections(
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: rangeQuery }) _query: unknown,
    @PeriodParameters() query: PeriodQuery,
    @CurrentPrincipal() principal: Principal,
  ): Promise<WalletConnectionsRow[]> {
    return this.reports.load({ principal, communityId, query }, loadWalletConnections);
  }
}

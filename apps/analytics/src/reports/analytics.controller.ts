import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns, toResponseHeaders } from '@app/service';
import { Body, Controller, Get, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiResponse } from '@nestjs/swagger';
import type { PeriodQuery } from '../time/report-period.js';
import {
  BY_BUCKET_DESCRIPTION,
  DISTRIBUTION_DESCRIPTION,
  ROLES_ADDED_DESCRIPTION,
} from './analytics.descriptions.js';
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
import { DataUntilInterceptor } from './data-until.interceptor.js';
import { furtherPeriodQuery, PeriodParameters } from './period-query.decorator.js';
import {
  ROLE_DISTRIBUTION_CSV,
  ROLES_ADDED_CSV,
  USER_INTERACTIONS_CSV,
  WALLET_CONNECTIONS_CSV,
} from './report-csv.js';
import { ReportFormatInterceptor } from './report-format.interceptor.js';
import { ReportsService } from './reports.service.js';
import { loadRoleDistribution } from './role-distribution.js';
import { loadRolesAdded } from './roles-added.js';
import { loadUserInteractions } from './user-interactions.js';
import { loadWalletConnections } from './wallet-connections.js';

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
  @ReportOperation('Count member interactions over time', BY_BUCKET_DESCRIPTION)
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
  @ReportOperation('Count connected wallets over time', BY_BUCKET_DESCRIPTION)
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

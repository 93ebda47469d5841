import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { throwNotImplemented, Operation, Returns } from '@app/service';
import { ApiBody } from '@nestjs/swagger';
import { analyticsFilters, analyticsRow, communityParams, rangeQuery } from './analytics.dto.js';

const access = { caller: 'either', scope: 'community:analytics', isPlanned: true } as const;

/** Reports on a community over time (spec.md 4.2). */
@Controller('analytics/:communityId')
export class AnalyticsController {
  @Post('role-distribution')
  @Operation({ ...access, summary: 'Count members by role' })
  @ApiBody({ required: false })
  @Returns(analyticsRow, { isArray: true })
  getRolesPie(
    @Param({ schema: communityParams }) _community: unknown,
    @Query({ schema: rangeQuery }) _query: unknown,
    @Body({ schema: analyticsFilters.optional() }) _filters: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Post('roles-added')
  @Operation({ ...access, summary: 'Count granted roles over time' })
  @ApiBody({ required: false })
  @Returns(analyticsRow, { isArray: true })
  getRolesAdded(
    @Param({ schema: communityParams }) _community: unknown,
    @Query({ schema: rangeQuery }) _query: unknown,
    @Body({ schema: analyticsFilters.optional() }) _filters: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Get('user-interactions')
  @Operation({ ...access, summary: 'Count member interactions over time' })
  @Returns(analyticsRow, { isArray: true })
  getLetsGo(
    @Param({ schema: communityParams }) _community: unknown,
    @Query({ schema: rangeQuery }) _query: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Get('wallet-connections')
  @Operation({ ...access, summary: 'Count connected wallets over time' })
  @Returns(analyticsRow, { isArray: true })
  getWalletConnections(
    @Param({ schema: communityParams }) _community: unknown,
    @Query({ schema: rangeQuery }) _query: unknown,
  ): never {
    return throwNotImplemented();
  }
}

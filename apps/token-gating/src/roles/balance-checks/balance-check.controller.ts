import { CurrentPrincipal, type Principal } from '@app/auth';
import { type PageQuery, pageQuery } from '@app/dto';
import { Operation, Returns } from '@app/service';
import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { type CommunityParams, communityParams } from '../../communities/access/community-record.js';
import {
  ADMINISTRATOR_ERRORS,
  MANAGER_ERRORS,
  communityRead,
  communityWriteByEither,
} from '../../communities/access/operation-security.js';
import { MAX_REQUESTS_A_DAY_WITHOUT_APPLICATION } from '../../communities/without-application/rule-limits.js';
import {
  type BalanceCheck,
  balanceCheck,
  type BalanceCheckPage,
  balanceCheckPage,
  type BalanceCheckParams,
  balanceCheckParams,
} from './balance-check.dto.js';
import { BalanceChecksService, RequestBalanceCheckService } from './balance-checks.service.js';

@Controller('communities/:communityId/balance-checks')
export class BalanceCheckController {
  constructor(
    private readonly requests: RequestBalanceCheckService,
    private readonly records: BalanceChecksService,
  ) {}

  @Post()
  @Operation({
    ...communityWriteByEither,
    summary: 'Check the roles of all members now',
    description:
      'For administrators and attached client applications. Returns the check at once; its progress can be queried. ' +
      'Returns the running check if there is one. Within the cooldown after a requested check it is 429 with Retry-After, ' +
      `and without an approved client application after ${MAX_REQUESTS_A_DAY_WITHOUT_APPLICATION} requested checks of a community in 24 hours, too.`,
    errors: [...ADMINISTRATOR_ERRORS, '429 balance_check_limit_exceeded'],
  })
  @Returns(balanceCheck, { status: 202 })
  requestBalanceCheck(
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @CurrentPrincipal() principal: Principal,
  ): Promise<BalanceCheck> {
    return this.requests.request(principal, communityId);
  }

  @Get()
  @Operation({
    ...communityRead,
    summary: 'List balance checks, newest first',
    description:
      'The checks of all members that were requested or ran by schedule, each with its state and counts. For administrators ' +
      'and attached client applications.',
    errors: MANAGER_ERRORS,
  })
  @Returns(balanceCheckPage)
  listBalanceChecks(
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: pageQuery }) query: PageQuery,
    @CurrentPrincipal() principal: Principal,
  ): Promise<BalanceCheckPage> {
    return this.records.list(principal, communityId, query);
  }

  @Get(':id')
  @Operation({
    ...communityRead,
    summary: 'Get a balance check with its progress',
    description:
      'How many members a check has looked at, out of how many, and whether it has ended. For administrators and attached ' +
      'client applications, who ask again until it has.',
    errors: [...MANAGER_ERRORS, '404 balance_check_not_found'],
    example: { status: 404, reason: 'the id of a check is the result of requesting one' },
  })
  @Returns(balanceCheck)
  getBalanceCheck(
    @Param({ schema: balanceCheckParams }) params: BalanceCheckParams,
    @CurrentPrincipal() principal: Principal,
  ): Promise<BalanceCheck> {
    return this.records.find(principal, params);
  }
}

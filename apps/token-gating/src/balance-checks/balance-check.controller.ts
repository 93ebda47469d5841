import { Caller, type Principal } from '@app/auth';
import { pageQuery } from '@app/dto';
import { Operation, Returns } from '@app/service';
import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import {
  type BalanceCheck,
  balanceCheck,
  type BalanceCheckListParams,
  balanceCheckListParams,
  type BalanceCheckPage,
  balanceCheckPage,
  type BalanceCheckParams,
  balanceCheckParams,
} from './balance-check.dto.js';
import { BalanceCheckRecords, type PageWish } from './balance-check-records.js';
import { RequestBalanceCheckService } from './request-balance-check.service.js';

const reading = { caller: 'either', scope: 'community:read' } as const;

@Controller('communities/:communityId/balance-checks')
export class BalanceCheckController {
  constructor(
    private readonly requests: RequestBalanceCheckService,
    private readonly records: BalanceCheckRecords,
  ) {}

  @Post()
  @Operation({
    caller: 'either',
    scope: 'community:write',
    summary: 'Check the roles of all members now',
    description:
      'For administrators and attached client applications. Answers at once with the check, whose progress can be ' +
      'looked up. While one runs that one is answered; soon after another it is 429 with Retry-After.',
  })
  @Returns(balanceCheck, { status: 202 })
  requestBalanceCheck(
    @Param({ schema: balanceCheckListParams }) { communityId }: BalanceCheckListParams,
    @Caller() principal: Principal,
  ): Promise<BalanceCheck> {
    return this.requests.request(principal, communityId);
  }

  @Get()
  @Operation({ ...reading, summary: 'Checks of all members, the newest first' })
  @Returns(balanceCheckPage)
  listBalanceChecks(
    @Param({ schema: balanceCheckListParams }) { communityId }: BalanceCheckListParams,
    @Query({ schema: pageQuery }) wish: PageWish,
    @Caller() principal: Principal,
  ): Promise<BalanceCheckPage> {
    return this.records.list(principal, communityId, wish);
  }

  @Get(':id')
  @Operation({ ...reading, summary: 'How far a check of all members is' })
  @Returns(balanceCheck)
  getBalanceCheck(
    @Param({ schema: balanceCheckParams }) params: BalanceCheckParams,
    @Caller() principal: Principal,
  ): Promise<BalanceCheck> {
    return this.records.find(principal, params);
  }
}

import { Internal, allowOnlyServices } from '@app/auth';
import {
  type AccountWalletsResponse,
  accountWalletsResponse,
  type AccountWalletsRequest,
  accountWalletsRequest,
  type WalletsResponse,
  walletsResponse,
  type WalletsRequest,
  walletsRequest,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { VisibleWalletQueries } from './visible-wallet.queries.js';
import { UserWalletQueries } from './user-wallet.queries.js';

/** What token-gating asks to know what somebody holds. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('token-gating'))
@Controller('internal/wallets')
export class WalletsController {
  constructor(
    private readonly held: UserWalletQueries,
    private readonly accounts: VisibleWalletQueries,
  ) {}

  @Post()
  @Returns(walletsResponse)
  ofUsers(@Body({ schema: walletsRequest }) { userIds }: WalletsRequest): Promise<WalletsResponse> {
    return this.held.findByUserIds(userIds);
  }

  @Post('of-account')
  @Returns(accountWalletsResponse)
  ofAccount(
    @Body({ schema: accountWalletsRequest }) question: AccountWalletsRequest,
  ): Promise<AccountWalletsResponse> {
    return this.accounts.findVisible(question);
  }
}

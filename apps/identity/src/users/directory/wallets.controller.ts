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

/** Wallet lookup for token-gating. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('token-gating'))
@Controller('internal/wallets')
export class WalletsController {
  constructor(
    private readonly userWallets: UserWalletQueries,
    private readonly visibleWallets: VisibleWalletQueries,
  ) {}

  @Post()
  @Returns(walletsResponse)
  findByUsers(@Body({ schema: walletsRequest }) { userIds }: WalletsRequest): Promise<WalletsResponse> {
    return this.userWallets.findByUserIds(userIds);
  }

  @Post('of-account')
  @Returns(accountWalletsResponse)
  findByAccount(
    @Body({ schema: accountWalletsRequest }) request: AccountWalletsRequest,
  ): Promise<AccountWalletsResponse> {
    return this.visibleWallets.findVisible(request);
  }
}

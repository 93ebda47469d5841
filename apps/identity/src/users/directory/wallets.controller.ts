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
import { DirectoryService } from './directory.service.js';

/** Wallet lookup for token-gating. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('token-gating'))
@Controller('internal/wallets')
export class WalletsController {
  constructor(private readonly directory: DirectoryService) {}

  @Post()
  @Returns(walletsResponse)
  findByUsers(@Body({ schema: walletsRequest }) { userIds }: WalletsRequest): Promise<WalletsResponse> {
    return this.directory.findWallets(userIds);
  }

  @Post('of-account')
  @Returns(accountWalletsResponse)
  findByAccount(
    @Body({ schema: accountWalletsRequest }) request: AccountWalletsRequest,
  ): Promise<AccountWalletsResponse> {
    return this.directory.findVisibleWallets(request);
  }
}

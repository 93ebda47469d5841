import { Internal, onlyFor } from '@app/auth';
import {
  type AccountWalletsAnswer,
  accountWalletsAnswer,
  type AccountWalletsQuestion,
  accountWalletsQuestion,
  type WalletsAnswer,
  walletsAnswer,
  type WalletsQuestion,
  walletsQuestion,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AccountWallets } from './account-wallets.js';
import { HeldWallets } from './held-wallets.js';

/** What token-gating asks to know what somebody holds. */
@Internal()
@ApiExcludeController()
@UseGuards(onlyFor('token-gating'))
@Controller('internal/wallets')
export class WalletsController {
  constructor(
    private readonly held: HeldWallets,
    private readonly accounts: AccountWallets,
  ) {}

  @Post()
  @Returns(walletsAnswer)
  ofUsers(@Body({ schema: walletsQuestion }) { userIds }: WalletsQuestion): Promise<WalletsAnswer> {
    return this.held.of(userIds);
  }

  @Post('of-account')
  @Returns(accountWalletsAnswer)
  ofAccount(
    @Body({ schema: accountWalletsQuestion }) question: AccountWalletsQuestion,
  ): Promise<AccountWalletsAnswer> {
    return this.accounts.find(question);
  }
}

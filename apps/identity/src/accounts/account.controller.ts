import { Caller, type Principal } from '@app/auth';
import { pageQuery, type Scope } from '@app/dto';
import { notBuiltYet, Operation, Returns } from '@app/service';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { ProfileService } from './profile.service.js';
import { accountAuthChallenge, linkedUsers, type User, user } from './user.dto.js';
import { accountAddressRequest, walletBalance, walletConnectionPage, walletParams } from './wallet.dto.js';

const ofUser = (summary: string, scope?: Scope) => Operation({ caller: 'user', scope, summary });

/** spec.md 4.2: what a signed-in user has and may change. */
@Controller('account')
export class AccountController {
  constructor(private readonly profiles: ProfileService) {}

  @Get('auth-message')
  @ofUser('A message whose signature proves a wallet')
  @Returns(accountAuthChallenge)
  getAuthChallenge(): never {
    return notBuiltYet();
  }

  @Get('linked-users')
  @ofUser('Users that share at least one Ethereum address with the user', 'user:read')
  @Returns(linkedUsers)
  findLinkedUsers(): never {
    return notBuiltYet();
  }

  @Get('me')
  @ofUser("The user's profile", '$public')
  @Returns(user)
  getUserProfile(@Caller() principal: Principal): Promise<User> {
    return this.profiles.of(principal);
  }

  @Post('wallet-address')
  @ofUser('Add a wallet', 'user:wallet:write')
  @Returns(walletBalance)
  addWalletAddress(@Body({ schema: accountAddressRequest }) _body: unknown): never {
    return notBuiltYet();
  }

  @Delete('wallets/:address')
  @ofUser('Remove a wallet', 'user:wallet:write')
  @HttpCode(200)
  @ApiOkResponse()
  deleteWallet(@Param({ schema: walletParams }) _params: unknown): never {
    return notBuiltYet();
  }

  @Get('wallets')
  @ofUser("The user's wallets", 'user:wallet:read')
  @Returns(walletConnectionPage)
  getWallets(@Query({ schema: pageQuery }) _query: unknown): never {
    return notBuiltYet();
  }

  @Delete('wallets')
  @ofUser('Remove all wallets', 'user:wallet:write')
  @HttpCode(200)
  @ApiOkResponse()
  deleteWallets(): never {
    return notBuiltYet();
  }
}

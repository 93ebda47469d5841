import { Caller, type Principal, signedInUser } from '@app/auth';
import type { Conflicts } from '@app/contract';
import { type PageQuery, pageQuery, type Scope } from '@app/dto';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import {
  type AccountAddressRequest,
  accountAddressRequest,
  type AccountAuthChallenge,
  accountAuthChallenge,
  type WalletBalance,
  walletBalance,
} from '../wallet-linking/wallet-linking.dto.js';
import { WalletLinkingService } from '../wallet-linking/wallet-linking.service.js';
import { OwnWalletsService } from '../wallets/own-wallets.service.js';
import {
  type WalletConnectionPage,
  walletConnectionPage,
  walletParams,
} from '../wallets/wallet-connection.dto.js';
import {
  LINKED_USERS,
  LINKING,
  NO_ROOM_FOR_WALLETS,
  REMOVAL,
  REMOVAL_OF_ALL,
} from './account-descriptions.js';
import { AccountService } from './account.service.js';
import { type LinkedUsersAnswer, linkedUsers, type User, user } from './user.dto.js';

const ofUser = (summary: string, scope?: Scope, description?: string, conflicts?: Conflicts) =>
  Operation({ caller: 'user', scope, summary, description, conflicts });

/** spec.md 4.2: what a signed-in user has and may change. Communities are token-gating's. */
@Controller('account')
export class AccountController {
  constructor(
    private readonly account: AccountService,
    private readonly linking: WalletLinkingService,
    private readonly wallets: OwnWalletsService,
  ) {}

  @Get('auth-message')
  @ofUser('A message whose signature proves a wallet', undefined, 'Good for ten minutes and one attempt.')
  @Returns(accountAuthChallenge)
  getAuthChallenge(@Caller() principal: Principal): Promise<AccountAuthChallenge> {
    return this.account.challengeFor(principal);
  }

  @Get('linked-users')
  @ofUser('Users that share at least one Ethereum address with the user', 'user:read', LINKED_USERS)
  @Returns(linkedUsers)
  findLinkedUsers(@Caller() principal: Principal): Promise<LinkedUsersAnswer> {
    return this.account.linkedUsersOf(principal);
  }

  @Get('me')
  @ofUser("The user's profile", '$public')
  @Returns(user)
  getUserProfile(@Caller() principal: Principal): Promise<User> {
    return this.account.profile(principal);
  }

  @Post('wallet-address')
  @ofUser('Add a wallet', 'user:wallet:write', LINKING, NO_ROOM_FOR_WALLETS)
  @Returns(walletBalance)
  addWalletAddress(
    @Caller() principal: Principal,
    @Body({ schema: accountAddressRequest }) request: AccountAddressRequest,
  ): Promise<WalletBalance> {
    return this.linking.link(principal, request);
  }

  @Delete('wallets/:address')
  @ofUser('Remove a wallet', 'user:wallet:write', REMOVAL)
  @HttpCode(200)
  @ApiOkResponse()
  deleteWallet(
    @Caller() principal: Principal,
    @Param({ schema: walletParams }) { address }: { address: string },
  ): Promise<void> {
    return this.wallets.remove(signedInUser(principal).id, address);
  }

  @Get('wallets')
  @ofUser("The user's wallets", 'user:wallet:read')
  @Returns(walletConnectionPage)
  getWallets(
    @Caller() principal: Principal,
    @Query({ schema: pageQuery }) query: PageQuery,
  ): Promise<WalletConnectionPage> {
    return this.account.walletsOf(principal, query);
  }

  @Delete('wallets')
  @ofUser('Remove all wallets', 'user:wallet:write', REMOVAL_OF_ALL)
  @HttpCode(200)
  @ApiOkResponse()
  deleteWallets(@Caller() principal: Principal): Promise<void> {
    return this.wallets.removeAll(signedInUser(principal).id);
  }
}

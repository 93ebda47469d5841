import { CurrentPrincipal, type Principal, requireSignedInUser } from '@app/auth';
import type { ConflictDescriptions } from '@app/openapi';
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
} from './wallet-linking/wallet-linking.dto.js';
import { WalletLinkingService } from './wallet-linking/wallet-linking.service.js';
import { WalletsService } from './wallets/wallets.service.js';
import {
  type WalletConnectionPage,
  walletConnectionPage,
  walletParams,
} from './wallets/wallet-connection.dto.js';
import {
  LINKED_USERS_DESCRIPTION,
  LINK_WALLET_DESCRIPTION,
  WALLET_LIMIT_CONFLICT,
  REMOVE_WALLET_DESCRIPTION,
  REMOVE_ALL_WALLETS_DESCRIPTION,
} from './account.descriptions.js';
import { AccountService } from './account.service.js';
import { type LinkedUsersResponse, linkedUsers, type User, user } from './user.dto.js';

const UserOperation = (
  summary: string,
  scope?: Scope,
  description?: string,
  conflicts?: ConflictDescriptions,
) => Operation({ caller: 'user', scope, summary, description, conflicts });

/** The account of the signed-in user (spec.md 4.2). Community operations are token-gating's. */
@Controller('account')
export class AccountController {
  constructor(
    private readonly account: AccountService,
    private readonly linking: WalletLinkingService,
    private readonly wallets: WalletsService,
  ) {}

  @Get('auth-message')
  @UserOperation(
    'Create a message whose signature proves a wallet',
    undefined,
    'Valid for ten minutes and one attempt.',
  )
  @Returns(accountAuthChallenge)
  getAuthChallenge(@CurrentPrincipal() principal: Principal): Promise<AccountAuthChallenge> {
    return this.account.issueChallenge(principal);
  }

  @Get('linked-users')
  @UserOperation(
    'Users that share at least one Ethereum address with the user',
    'user:read',
    LINKED_USERS_DESCRIPTION,
  )
  @Returns(linkedUsers)
  findLinkedUsers(@CurrentPrincipal() principal: Principal): Promise<LinkedUsersResponse> {
    return this.account.listLinkedUsers(principal);
  }

  @Get('me')
  @UserOperation("The user's profile", '$public')
  @Returns(user)
  getUserProfile(@CurrentPrincipal() principal: Principal): Promise<User> {
    return this.account.loadProfile(principal);
  }

  @Post('wallet-address')
  @UserOperation('Add a wallet', 'user:wallet:write', LINK_WALLET_DESCRIPTION, WALLET_LIMIT_CONFLICT)
  @Returns(walletBalance)
  addWalletAddress(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: accountAddressRequest }) request: AccountAddressRequest,
  ): Promise<WalletBalance> {
    return this.linking.link(principal, request);
  }

  @Delete('wallets/:address')
  @UserOperation('Remove a wallet', 'user:wallet:write', REMOVE_WALLET_DESCRIPTION)
  @HttpCode(200)
  @ApiOkResponse()
  deleteWallet(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: walletParams }) { address }: { address: string },
  ): Promise<void> {
    return this.wallets.remove(requireSignedInUser(principal).id, address);
  }

  @Get('wallets')
  @UserOperation("The user's wallets", 'user:wallet:read')
  @Returns(walletConnectionPage)
  getWallets(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: pageQuery }) query: PageQuery,
  ): Promise<WalletConnectionPage> {
    return this.account.listWallets(principal, query);
  }

  @Delete('wallets')
  @UserOperation('Remove all wallets', 'user:wallet:write', REMOVE_ALL_WALLETS_DESCRIPTION)
  @HttpCode(200)
  @ApiOkResponse()
  deleteWallets(@CurrentPrincipal() principal: Principal): Promise<void> {
    return this.wallets.removeAll(requireSignedInUser(principal).id);
  }
}

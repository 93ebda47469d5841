import { ANONYMOUS_PRINCIPAL, CurrentPrincipal, type Principal, requireSignedInUser } from '@app/auth';
import type { DeclaredError } from '@app/openapi';
import { MAX_WALLETS_PER_USER, type PageQuery, pageQuery } from '@app/dto';
import { type DirectRoute, Operation, type OperationOptions, Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import {
  type AccountAddressRequest,
  accountAddressRequest,
  type AccountAuthChallenge,
  accountAuthChallenge,
  type WalletBalance,
  walletBalance,
} from './wallet-linking/wallet-linking.dto.js';
import {
  linkMessageQuery,
  type NamedLink,
  NamedLinkQuery,
} from './wallet-linking/link-message-query.decorator.js';
import { WalletLinkingService } from './wallet-linking/wallet-linking.service.js';
import { MAX_LINKED_USERS } from './wallets/wallet-connections.queries.js';
import { WalletRemovalService } from './wallets/wallet-removal.service.js';
import {
  type WalletConnectionPage,
  walletConnectionPage,
  walletParams,
  linkedUsers,
  type LinkedUsersResponse,
  type User,
  user,
  type UserChange,
  userChange,
} from './user.dto.js';
import { AccountService } from './account.service.js';

const LINK_WALLET_DESCRIPTION = `Links a wallet whose owner has signed. \`message\` is the exact text that \`GET /account/auth-message\` returned to this user, and \`signedMessage\` its
signature by the wallet. The first attempt uses the message up, also when it fails: 400 \`signature_invalid\` or \`challenge_invalid\`.
When a contract wallet could not be checked (503, 429, and 400 \`contract_wallet_not_supported\`) the message stays valid until it
expires. Linking a wallet again succeeds and changes nothing. Balances that are not known within two seconds are omitted.`;

const WALLET_LIMIT_CONFLICT = {
  wallet_limit_exceeded: `the user already has ${MAX_WALLETS_PER_USER} wallets`,
};

const REMOVAL_EFFECTS = `Roles that depend on it are checked again. Sessions stay: tokens and credentials of the wallet are valid until they expire
or are revoked. The next sign-in with the wallet links it again.`;

const REMOVE_WALLET_DESCRIPTION = `Unlinks one wallet from the user. \`address\` may be a CAIP-10 id. An address removes every wallet at it, including contract wallets on several chains. 404
\`wallet_not_found\` when the user has no such wallet. ${REMOVAL_EFFECTS}`;

const REMOVE_ALL_WALLETS_DESCRIPTION = `Removes every wallet that is linked to the user. ${REMOVAL_EFFECTS}`;

const PROFILE_DESCRIPTION = `Who the user is. \`address\` needs no scope. \`username\`, \`name\` and \`picture\` need \`user:read\`. Match users by \`id\`: everything
else may change, and two users may have the same name.`;

const CHANGE_PROFILE_DESCRIPTION = `Sets the fields that the body names; null removes one. Returns the profile, with the names and the picture only if the token has \`user:read\`, too. An Ethereum credential never carries \`user:write\`.`;

const LINKED_USERS_DESCRIPTION = `User ids only, at most ${MAX_LINKED_USERS}. A contract wallet counts as shared only between users that linked it on the same chain.`;

const UserOperation = (summary: string, more: Omit<OperationOptions, 'caller' | 'summary'>) =>
  Operation({ caller: 'user', summary, ...more });

const PROFILE_ERRORS: readonly DeclaredError[] = ['404 user_not_found'];

/** The account of the signed-in user (spec.md 4.2). Community operations are token-gating's. */
@Controller('account')
export class AccountController {
  constructor(
    private readonly account: AccountService,
    private readonly linking: WalletLinkingService,
    private readonly wallets: WalletRemovalService,
  ) {}

  @Get('auth-message')
  @UserOperation('Create a message whose signature proves a wallet', {
    description:
      'The first step of linking a wallet: the wallet signs the message, and `addWalletAddress` takes the signature. Valid for ' +
      'one attempt: of a key within ten minutes, of a contract account within an hour.',
    furtherQuery: linkMessageQuery,
    errors: ['400 input_invalid', ...PROFILE_ERRORS],
  })
  @Returns(accountAuthChallenge)
  getAuthChallenge(
    @CurrentPrincipal() principal: Principal,
    @NamedLinkQuery() named: NamedLink | undefined,
  ): Promise<AccountAuthChallenge> {
    return this.account.issueChallenge(principal, named);
  }

  @Get('linked-users')
  @UserOperation('Users that share at least one Ethereum address with the user', {
    scope: 'user:read',
    description: LINKED_USERS_DESCRIPTION,
    errors: PROFILE_ERRORS,
  })
  @Returns(linkedUsers)
  findLinkedUsers(@CurrentPrincipal() principal: Principal): Promise<LinkedUsersResponse> {
    return this.account.listLinkedUsers(principal);
  }

  @Get('me')
  @UserOperation("The user's profile", {
    scope: '$public',
    description: PROFILE_DESCRIPTION,
    errors: PROFILE_ERRORS,
  })
  @Returns(user)
  getUserProfile(@CurrentPrincipal() principal: Principal): Promise<User> {
    return this.account.getProfile(principal);
  }

  @Patch('me')
  @UserOperation("Change the user's name and picture", {
    scope: 'user:write',
    description: CHANGE_PROFILE_DESCRIPTION,
    errors: PROFILE_ERRORS,
  })
  @Returns(user)
  changeUserProfile(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: userChange }) change: UserChange,
  ): Promise<User> {
    return this.account.changeProfile(principal, change);
  }

  @Post('wallet-address')
  @UserOperation('Add a wallet', {
    requiresWalletLogin: true,
    scope: 'user:wallet:write',
    description: LINK_WALLET_DESCRIPTION,
    conflicts: WALLET_LIMIT_CONFLICT,
    errors: [
      '400 challenge_invalid',
      '400 contract_wallet_not_supported',
      '400 signature_invalid',
      '403 client_required',
      '404 user_not_found',
      '503 nodes_unavailable',
    ],
    example: { status: 400, reason: 'a message is valid once, so its signature cannot stand in an example' },
  })
  @Returns(walletBalance)
  addWalletAddress(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: accountAddressRequest }) request: AccountAddressRequest,
  ): Promise<WalletBalance> {
    return this.linking.link(principal, request);
  }

  @Delete('wallets/:address')
  @UserOperation('Remove a wallet', {
    requiresWalletLogin: true,
    scope: 'user:wallet:write',
    description: REMOVE_WALLET_DESCRIPTION,
    errors: ['404 wallet_not_found'],
  })
  @ReturnsNothing()
  deleteWallet(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: walletParams }) { address }: { address: string },
  ): Promise<void> {
    return this.wallets.remove(requireSignedInUser(principal).id, address);
  }

  @Get('wallets')
  @UserOperation("The user's wallets", {
    scope: 'user:wallet:read',
    description:
      'The wallets that the user has linked, in pages, each with its address, its chain as CAIP-10 and the time of linking.',
    errors: PROFILE_ERRORS,
  })
  @Returns(walletConnectionPage)
  getWallets(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: pageQuery }) query: PageQuery,
  ): Promise<WalletConnectionPage> {
    return this.account.listWallets(principal, query);
  }

  @Delete('wallets')
  @UserOperation('Remove all wallets', {
    requiresWalletLogin: true,
    scope: 'user:wallet:write',
    description: REMOVE_ALL_WALLETS_DESCRIPTION,
  })
  @ReturnsNothing()
  deleteWallets(@CurrentPrincipal() principal: Principal): Promise<void> {
    return this.wallets.removeAll(requireSignedInUser(principal).id);
  }
}

/** The profile, which is most of what applications read with a user's token. */
export const userProfileRoute: DirectRoute = {
  method: 'GET',
  path: '/account/me',
  controller: AccountController,
  handler: 'getUserProfile',
  createHandler: (app) => {
    const controller = app.get(AccountController);
    return ({ principal }) => controller.getUserProfile(principal ?? ANONYMOUS_PRINCIPAL);
  },
};

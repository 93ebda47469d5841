import { CurrentPrincipal, type Principal } from '@app/auth';
import { MAX_WALLETS_PER_USER } from '@app/dto';
import type { DeclaredError } from '@app/openapi';
import { Operation, Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import {
  type PlatformUserParams,
  platformUserParams,
  type PlatformWallet,
  platformWallet,
  type PlatformWalletChallenge,
  platformWalletChallenge,
  type PlatformWalletList,
  platformWalletList,
  type PlatformWalletParams,
  platformWalletParams,
  type PlatformWalletRequest,
  platformWalletRequest,
} from './platform-wallets.dto.js';
import { memberRefused } from './platform-wallets.errors.js';
import { PlatformWalletsService } from './platform-wallets.service.js';

/** The client application that acts for itself. A user's token does not grant what its application may do. @throws AppError 403 */
function requireActingClient(principal: Principal): string {
  if (principal.kind !== 'caller' || !principal.client || principal.user)
    throw memberRefused('client_not_attached');
  return principal.client.id;
}

const MEMBER_ERRORS: readonly DeclaredError[] = [
  '403 attached_client_required',
  '404 community_not_found',
  '404 member_not_found',
  '503 communities_unavailable',
];
const CHANGE_ERRORS: readonly DeclaredError[] = [...MEMBER_ERRORS, '403 community_suspended'];
const MEMBER_CONFLICTS = { user_id_conflict: 'members of two platforms have this id' };

/** Wallets of platform users, for client applications that are attached to their community (contract.md section 7). */
@Controller('communities/:communityId/platform-users/:platformUserId')
export class PlatformWalletController {
  constructor(private readonly wallets: PlatformWalletsService) {}

  @Post('wallet-challenges')
  @Operation({
    caller: 'client',
    scope: 'community:write',
    summary: 'Create a message whose signature links a wallet to a user of chat, microblog or codehost',
    description:
      'Valid for one attempt: of a key within ten minutes, of a contract account until `expiresAt`. The user can sign it on the page at `url`.',
    errors: CHANGE_ERRORS,
    conflicts: MEMBER_CONFLICTS,
  })
  @Returns(platformWalletChallenge)
  createChallenge(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: platformUserParams }) params: PlatformUserParams,
  ): Promise<PlatformWalletChallenge> {
    return this.wallets.issueChallenge(requireActingClient(principal), params);
  }

  @Post('wallets')
  @Operation({
    caller: 'client',
    scope: 'community:write',
    summary: 'Link a wallet to a user of chat, microblog or codehost',
    description:
      'Takes the signature of the challenge, for applications whose users sign elsewhere than on the page at `url`. What the ' +
      'wallet holds counts in this community only.',
    errors: [
      ...CHANGE_ERRORS,
      '400 challenge_invalid',
      '400 contract_wallet_not_supported',
      '400 signature_invalid',
      '503 nodes_unavailable',
    ],
    conflicts: {
      ...MEMBER_CONFLICTS,
      wallet_limit_exceeded: `a user has at most ${MAX_WALLETS_PER_USER} wallets in a community`,
    },
    example: {
      status: 400,
      reason: 'a challenge is valid once, so its signature cannot stand in an example',
    },
  })
  @Returns(platformWallet)
  linkWallet(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: platformUserParams }) params: PlatformUserParams,
    @Body({ schema: platformWalletRequest }) request: PlatformWalletRequest,
  ): Promise<PlatformWallet> {
    return this.wallets.link(requireActingClient(principal), params, request);
  }

  @Get('wallets')
  @Operation({
    caller: 'client',
    scope: 'community:read',
    summary: 'List the wallets of a user of chat, microblog or codehost in this community',
    description:
      'The wallets that were linked for this community, for attached client applications. Ids only, unless the application is ' +
      'approved for `user:wallet:read`.',
    errors: MEMBER_ERRORS,
    conflicts: MEMBER_CONFLICTS,
  })
  @Returns(platformWalletList)
  listWallets(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: platformUserParams }) params: PlatformUserParams,
  ): Promise<PlatformWalletList> {
    return this.wallets.list(requireActingClient(principal), params);
  }

  @Delete('wallets/:address')
  @Operation({
    caller: 'client',
    scope: 'community:write',
    summary: 'Remove a wallet of a user of chat, microblog or codehost from this community',
    description:
      'The wallet counts in this community no more, and the roles of the user are checked again. The user can do the same on ' +
      'the page where they linked it.',
    errors: [...CHANGE_ERRORS, '404 wallet_not_found'],
    conflicts: MEMBER_CONFLICTS,
  })
  @ReturnsNothing()
  async removeWallet(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: platformWalletParams }) { address, ...params }: PlatformWalletParams,
  ): Promise<void> {
    await this.wallets.remove(requireActingClient(principal), params, address);
  }
}

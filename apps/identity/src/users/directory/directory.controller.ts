import {
  type AccountWalletsRequest,
  accountWalletsRequest,
  type AccountWalletsResponse,
  accountWalletsResponse,
  type DeletedCommunity,
  deletedCommunity,
  type DeletedCommunityResponse,
  deletedCommunityResponse,
  type MemberWalletsRequest,
  memberWalletsRequest,
  type MemberWalletsResponse,
  memberWalletsResponse,
  type PlatformUsersRequest,
  platformUsersRequest,
  type PlatformUsersResponse,
  platformUsersResponse,
  type UserNamesRequest,
  type MatchingUsersRequest,
  matchingUsersRequest,
  type MatchingUsersResponse,
  matchingUsersResponse,
  userNamesRequest,
  type UserNamesResponse,
  userNamesResponse,
  type UsersRequest,
  usersRequest,
  type UsersResponse,
  usersResponse,
  type WalletLinksRequest,
  walletLinksRequest,
  type WalletLinksResponse,
  walletLinksResponse,
  type WalletReadersRequest,
  walletReadersRequest,
  type WalletReadersResponse,
  walletReadersResponse,
  type WalletsRequest,
  walletsRequest,
  type WalletsResponse,
  walletsResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { DirectoryService } from './directory.service.js';

/** Users and wallets for token-gating, which also stores platform users that attached client applications report. */
@InternalController('internal', 'token-gating')
export class DirectoryController {
  constructor(private readonly directory: DirectoryService) {}

  @Post('users')
  @Returns(usersResponse)
  findUsers(@Body({ schema: usersRequest }) { userIds }: UsersRequest): Promise<UsersResponse> {
    return this.directory.findUsers(userIds);
  }

  @Post('users/names')
  @Returns(userNamesResponse)
  findNames(@Body({ schema: userNamesRequest }) request: UserNamesRequest): Promise<UserNamesResponse> {
    return this.directory.findNames(request);
  }

  @Post('users/matching')
  @Returns(matchingUsersResponse)
  findMatching(
    @Body({ schema: matchingUsersRequest }) request: MatchingUsersRequest,
  ): Promise<MatchingUsersResponse> {
    return this.directory.findMatching(request);
  }

  @Post('wallets')
  @Returns(walletsResponse)
  findWallets(@Body({ schema: walletsRequest }) request: WalletsRequest): Promise<WalletsResponse> {
    return this.directory.findWallets(request);
  }

  @Post('wallets/of-members')
  @Returns(memberWalletsResponse)
  findMemberWallets(
    @Body({ schema: memberWalletsRequest }) request: MemberWalletsRequest,
  ): Promise<MemberWalletsResponse> {
    return this.directory.findMemberWallets(request);
  }

  @Post('wallets/links')
  @Returns(walletLinksResponse)
  findWalletLinks(
    @Body({ schema: walletLinksRequest }) request: WalletLinksRequest,
  ): Promise<WalletLinksResponse> {
    return this.directory.findWalletLinks(request);
  }

  @Post('wallets/of-account')
  @Returns(accountWalletsResponse)
  findVisibleWallets(
    @Body({ schema: accountWalletsRequest }) request: AccountWalletsRequest,
  ): Promise<AccountWalletsResponse> {
    return this.directory.findVisibleWallets(request);
  }

  @Post('wallets/readers')
  @Returns(walletReadersResponse)
  findWalletReaders(
    @Body({ schema: walletReadersRequest }) request: WalletReadersRequest,
  ): Promise<WalletReadersResponse> {
    return this.directory.findWalletReaders(request);
  }

  @Post('communities/deleted')
  @Returns(deletedCommunityResponse)
  removeCommunityWallets(
    @Body({ schema: deletedCommunity }) { communityId }: DeletedCommunity,
  ): Promise<DeletedCommunityResponse> {
    return this.directory.removeCommunityWallets(communityId);
  }

  @Post('platform-users')
  @Returns(platformUsersResponse)
  upsertUsers(
    @Body({ schema: platformUsersRequest }) request: PlatformUsersRequest,
  ): Promise<PlatformUsersResponse> {
    return this.directory.upsertUsers(request);
  }
}

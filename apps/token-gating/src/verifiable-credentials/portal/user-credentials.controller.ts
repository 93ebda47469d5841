import { Database } from '@app/database';
import {
  type RevokeUserCredentialRequest,
  revokeUserCredentialRequest,
  type RevokeUserCredentialResponse,
  revokeUserCredentialResponse,
  type UserCredential,
  type UserCredentialsRequest,
  userCredentialsRequest,
  type UserCredentialsResponse,
  userCredentialsResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { describeAsset, nameChain } from '../../assets/describe-asset.js';
import { parseAssets } from '../../assets/ownership/asset-ownership.service.js';
import { revokeCredentials } from '../../credential-revocations/revoke-credentials.js';
import { ChainService } from '../../rules/chains/chain.service.js';
import { findNames } from '../community-facts.queries.js';
import {
  type CredentialRecord,
  findUserCredential,
  listUserCredentials,
} from '../credential-records.queries.js';
import { getTypeName } from '../credential-types.js';
import { CredentialViews } from '../holders/credential-views.js';
import { MAX_LISTED_CREDENTIALS } from '../holders/issue-credential.service.js';

/** The credentials of a user, for identity's portal. */
@InternalController('internal/verifiable-credentials', 'identity')
export class UserCredentialsController {
  constructor(
    private readonly database: Database,
    private readonly chains: ChainService,
    private readonly views: CredentialViews,
  ) {}

  @Post('list')
  @Returns(userCredentialsResponse)
  async list(
    @Body({ schema: userCredentialsRequest }) { userId }: UserCredentialsRequest,
  ): Promise<UserCredentialsResponse> {
    const records = await listUserCredentials(this.database, userId, MAX_LISTED_CREDENTIALS);
    return { credentials: await Promise.all(records.map((record) => this.describe(record))) };
  }

  @Post('revoke')
  @Returns(revokeUserCredentialResponse)
  async revoke(
    @Body({ schema: revokeUserCredentialRequest }) { userId, id }: RevokeUserCredentialRequest,
  ): Promise<RevokeUserCredentialResponse> {
    if (!(await findUserCredential(this.database, userId, id))) return { isRevoked: false };
    await revokeCredentials(this.database, userId, { id });
    return { isRevoked: true };
  }

  private async describe(record: CredentialRecord): Promise<UserCredential> {
    const { id, type, isPublic, revokedAt, createdAt, expiresAt } = record;
    const { account, assets = [] } = this.views.open(record);
    return {
      ...{ id, typeName: getTypeName(type), account },
      lines: [...(await this.describeCommunity(record)), ...this.describeAssets(assets)],
      ...{ isPublic, isRevoked: revokedAt !== undefined },
      createdTime: createdAt.toISOString(),
      expiresTime: expiresAt.toISOString(),
    };
  }

  private async describeCommunity({ communityId, roleId }: CredentialRecord): Promise<string[]> {
    if (communityId === undefined) return [];
    const names = await findNames(this.database, { communityId, roleId });
    const community = names?.community ?? `a deleted community (${communityId})`;
    return roleId === undefined
      ? [`Member of ${community}`]
      : [`Role ${names?.role ?? roleId} in ${community}`];
  }

  private describeAssets(assets: readonly string[]): string[] {
    return parseAssets(assets).map((asset) => {
      const name = describeAsset(asset, this.chains);
      return `${name} on ${nameChain(asset.rule.chainId, this.chains)}`;
    });
  }
}

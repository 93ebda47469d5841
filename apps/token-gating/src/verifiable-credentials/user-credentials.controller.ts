import { Database } from '@app/database';
import {
  parseAssetId,
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
import { describeAsset, nameChain } from '../assets/describe-asset.js';
import { revokeCredentials } from '../credential-revocations/revoke-credentials.js';
import { ChainService } from '../rules/chains/chain.service.js';
import { type FactNames, findNames } from './community-facts.queries.js';
import {
  type CredentialRecord,
  findUserCredential,
  listUserCredentials,
} from './credential-records.queries.js';
import { getTypeName } from './credential-types.js';
import { CredentialViews } from './holders/credential-views.js';
import { MAX_LISTED_CREDENTIALS } from './holders/credential-limits.js';

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
    const facts = records.flatMap(({ communityId, roleId }) =>
      communityId === undefined ? [] : [{ communityId, roleId }],
    );
    const names = await findNames(this.database, facts);
    const namesOf = new Map(facts.map((fact, index) => [toKey(fact), names[index]]));
    return { credentials: records.map((record) => this.describe(record, namesOf)) };
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

  private describe(
    record: CredentialRecord,
    namesOf: ReadonlyMap<string, FactNames | undefined>,
  ): UserCredential {
    const { id, type, isPublic, revokedAt, createdAt, expiresAt, communityId, roleId } = record;
    const { account, assets = [] } = this.views.open(record);
    const community =
      communityId === undefined
        ? []
        : [describeCommunity({ communityId, roleId }, namesOf.get(toKey({ communityId, roleId })))];
    return {
      ...{ id, typeName: getTypeName(type), account },
      lines: [...community, ...assets.map((asset) => [plain(this.describeAsset(asset))])],
      ...{ isPublic, isRevoked: revokedAt !== undefined },
      createdTime: createdAt.toISOString(),
      expiresTime: expiresAt.toISOString(),
    };
  }

  /** An asset that a later release stored, and this one cannot read, stands as it is. */
  private describeAsset(id: string): string {
    const asset = parseAssetId(id);
    if (typeof asset === 'string') return id;
    return `${describeAsset(asset, this.chains)} on ${nameChain(asset.rule.chainId, this.chains)}`;
  }
}

type Line = UserCredential['lines'][number];
type CommunityReference = Pick<CredentialRecord, 'roleId'> & { communityId: string };

const toKey = ({ communityId, roleId }: CommunityReference): string => `${communityId} ${roleId ?? ''}`;

const plain = (text: string) => ({ text, isName: false });
const name = (text: string) => ({ text, isName: true });

function describeCommunity({ communityId, roleId }: CommunityReference, names?: FactNames): Line {
  const community =
    names?.community === undefined ? plain(`a deleted community (${communityId})`) : name(names.community);
  if (roleId === undefined) return [plain('Member of '), community];
  return [plain('Role '), name(names?.role ?? roleId), plain(' in '), community];
}

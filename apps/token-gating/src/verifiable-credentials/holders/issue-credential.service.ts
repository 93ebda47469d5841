import { randomUUID } from 'node:crypto';
import { getTenantId, type Principal, requireSignedInUser } from '@app/auth';
import { isUnavailable } from '@app/common';
import { Database } from '@app/database';
import type { LinkedWallet } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { toAccountId } from '../../assets/verification/asset-claims.queries.js';
import { chooseWallet } from '../../assets/verification/create-claim.service.js';
import { IdentityClient } from '../../clients/identity-client.js';
import {
  consentRequired,
  hasConsentEnded,
  lockCredentials,
} from '../../credential-revocations/ended-consents.js';
import { revokeCredentials } from '../../credential-revocations/revoke-credentials.js';
import { lockFact } from '../community-facts.queries.js';
import { type CredentialRecord, insertCredential, useNonce } from '../credential-records.queries.js';
import { CredentialSigner } from '../credential-signer.js';
import { getDisclosable, toVct } from '../credential-types.js';
import type { CredentialKey } from '../credential-key-ring.js';
import { StatusListsService } from '../status/status-lists.service.js';
import { VerifiableCredentialConfig } from '../verifiable-credential.config.js';
import type { CredentialClaims, IssuedCredential, IssueRequest } from '../verifiable-credentials.dto.js';
import type { EntityManager } from 'typeorm';
import {
  AssetClaimsService,
  CommunityClaimsService,
  membershipRequired,
  roleRequired,
} from './credential-claims.service.js';
import { countIssue, uncountIssue } from './credential-limits.js';
import { CredentialViews } from './credential-views.js';
import { invalidNonce, KeyProofService, type ProvenKey } from './key-proof.service.js';

/** Issues credentials about what holds now, bound to a key of the holder. */
@Injectable()
export class IssueCredentialService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly assetClaims: AssetClaimsService,
    private readonly communityClaims: CommunityClaimsService,
    private readonly proofs: KeyProofService,
    private readonly signer: CredentialSigner,
    private readonly statusLists: StatusListsService,
    private readonly views: CredentialViews,
    private readonly config: VerifiableCredentialConfig,
  ) {}

  /** @throws AppError 400, 403 for accounts of others, 404, 409 for what is not true now, 503 for what cannot be read */
  async issue(principal: Principal, request: IssueRequest): Promise<IssuedCredential> {
    const { id: userId } = requireSignedInUser(principal);
    // Before anything is stored: a credential that cannot be signed must not use up the caps of the user.
    const key = this.signer.getKey();
    const proven = await this.proofs.verify(userId, request.jwk, request.proof);
    const wallet = chooseWallet(await this.loadWallets(userId), request.account);
    const claims = await this.establish(principal, request, wallet);
    const record = await this.store(principal, request, proven, wallet, claims);
    await this.checkStillLinked(record);
    const credential = await this.sign(key, record, request, claims);
    return { ...this.views.showToUser(record), credential };
  }

  private establish(
    principal: Principal,
    request: IssueRequest,
    wallet: LinkedWallet,
  ): Promise<CredentialClaims> {
    switch (request.type) {
      case 'asset-ownership':
        return this.assetClaims.read(wallet, request.assets, getTenantId(principal));
      case 'community-membership':
      case 'community-role':
        return this.communityClaims.establish(principal, wallet, request);
    }
  }

  private async loadWallets(userId: string): Promise<readonly LinkedWallet[]> {
    const { wallets } = await this.identity.fetchAccountWallets({ userId, asker: { userId } });
    return wallets ?? [];
  }

  private async store(
    principal: Principal,
    request: IssueRequest,
    { thumbprint, nonce, nonceExpiresAt }: ProvenKey,
    wallet: LinkedWallet,
    claims: CredentialClaims,
  ): Promise<CredentialRecord> {
    const { id: userId, tokenIssuedAt } = requireSignedInUser(principal);
    const clientId = principal.kind === 'caller' ? principal.client?.id : undefined;
    const fact = getCommunityFact(request);
    const id = randomUUID();
    const sealedClaims = this.views.seal(id, claims);
    return this.database.transaction(async (manager) => {
      await lockCredentials(manager, userId);
      if (await hasConsentEnded(manager, { userId, clientId, tokenIssuedAt })) throw consentRequired();
      // The ends of consents and of links are compared with it, which are times of a database, too.
      const createdAt = await countIssue(manager, userId, clientId);
      const expiresAt = new Date(createdAt.getTime() + request.expiresIn * 1_000);
      if (!(await useNonce(manager, nonce, nonceExpiresAt))) throw invalidNonce();
      await requireFact(manager, userId, fact);
      // Last, because issuing transactions wait for each other here.
      const status = await this.statusLists.take(manager);
      const record = {
        ...{ id, userId, clientId, type: request.type, wallet, ...fact, sealedClaims, thumbprint },
        ...{ isPublic: request.public, status, createdAt, expiresAt, revokedAt: undefined },
      };
      await insertCredential(manager, record, tokenIssuedAt);
      return record;
    });
  }

  /** A wallet that was unlinked before the row was stored found no credential to revoke. @throws AppError 403, 503 */
  private async checkStillLinked(record: CredentialRecord): Promise<void> {
    const { id, userId, wallet } = record;
    try {
      chooseWallet(await this.loadWallets(userId), toAccountId(wallet));
    } catch (error) {
      await this.database.transaction(async (manager) => {
        await lockCredentials(manager, userId);
        await revokeCredentials(manager, userId, { id });
        // Nobody has the credential, and the user did nothing to be refused.
        if (isUnavailable(error)) await uncountIssue(manager, record);
      });
      throw error;
    }
  }

  private sign(
    key: CredentialKey,
    record: CredentialRecord,
    { jwk }: IssueRequest,
    claims: CredentialClaims,
  ): Promise<string> {
    const { PUBLIC_URL } = this.config;
    const { list, entry } = record.status;
    return this.signer.sign(
      key,
      {
        iss: PUBLIC_URL,
        iat: record.createdAt.getTime() / 1_000,
        exp: record.expiresAt.getTime() / 1_000,
        vct: toVct(PUBLIC_URL, record.type),
        cnf: { jwk },
        status: { status_list: { idx: entry, uri: this.statusLists.toUri(list) } },
        ...claims,
      },
      getDisclosable(record.type),
    );
  }
}

type AskedFact = Pick<CredentialRecord, 'communityId' | 'roleId'>;

const getCommunityFact = (request: IssueRequest): AskedFact => ({
  communityId: 'communityId' in request ? request.communityId : undefined,
  roleId: 'roleId' in request ? request.roleId : undefined,
});

/** Keeps what the credential says of a community true until the transaction ends. @throws AppError 409 where it is not */
async function requireFact(
  manager: EntityManager,
  userId: string,
  { communityId, roleId }: AskedFact,
): Promise<void> {
  if (communityId === undefined) return;
  if (await lockFact(manager, { userId, communityId, roleId })) return;
  throw roleId === undefined ? membershipRequired() : roleRequired();
}

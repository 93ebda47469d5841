import { randomUUID } from 'node:crypto';
import { conflict } from '@app/common';
import { Database } from '@app/database';
import type { LinkedWallet } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { AssetOwnershipService } from '../../assets/ownership/asset-ownership.service.js';
import { toAccountId } from '../../assets/verification/asset-claims.queries.js';
import { chooseWallet } from '../../assets/verification/choose-wallet.js';
import { checkHeld } from '../../assets/verification/create-claim.service.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { revokeCredentials } from '../../credential-revocations/revoke-credentials.js';
import { toSubjectAddresses } from '../../subjects/to-subject-addresses.js';
import {
  type CredentialRecord,
  insertCredential,
  lockLiveCredentials,
  useNonce,
} from '../credential-records.queries.js';
import { CredentialSigner } from '../credential-signer.js';
import { toVct } from '../credential-types.js';
import { StatusListsService } from '../status/status-lists.service.js';
import { VerifiableCredentialConfig } from '../verifiable-credential.config.js';
import type { IssuedCredential, IssueRequest } from '../verifiable-credentials.dto.js';
import { CredentialViews } from './credential-views.js';
import { invalidNonce, KeyProofService, type ProvenKey } from './key-proof.service.js';

/** Bounds the rows and the entries of status lists that one user keeps. */
export const MAX_CREDENTIALS_PER_USER = 100;
const READ_TIMEOUT_MS = 10_000;

/** Who asks for a credential. */
interface Applicant {
  readonly userId: string;
  readonly clientId: string | undefined;
  readonly tenantId: string;
}

/** Issues credentials about what holds now, bound to a key of the holder. */
@Injectable()
export class IssueCredentialService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly ownership: AssetOwnershipService,
    private readonly proofs: KeyProofService,
    private readonly signer: CredentialSigner,
    private readonly statusLists: StatusListsService,
    private readonly views: CredentialViews,
    private readonly config: VerifiableCredentialConfig,
  ) {}

  /** @throws AppError 400, 403 for accounts of others, 409 for what is not true now, 503 for what cannot be read */
  async issue(applicant: Applicant, request: IssueRequest): Promise<IssuedCredential> {
    const { userId, tenantId } = applicant;
    const proven = await this.proofs.verify(userId, request.jwk, request.proof);
    const wallet = chooseWallet(await this.loadWallets(userId), request.account);
    const readAt = new Date();
    const assets = await checkHeld(request.assets, (ids) =>
      this.ownership.readOwners(ids, toSubjectAddresses([wallet]), {
        tenantId,
        signal: AbortSignal.timeout(READ_TIMEOUT_MS),
      }),
    );
    const claims = { account: toAccountId(wallet), assets, readTime: readAt.toISOString() };
    const record = await this.store(applicant, request, proven, wallet, claims);
    await this.checkStillLinked(record);
    const credential = await this.sign(record, request, claims);
    return { ...this.views.showToUser(record), credential };
  }

  private async loadWallets(userId: string): Promise<readonly LinkedWallet[]> {
    const { wallets } = await this.identity.fetchAccountWallets({ userId, asker: { userId } });
    return wallets ?? [];
  }

  private async store(
    { userId, clientId }: Applicant,
    { type, public: isPublic, expiresIn }: IssueRequest,
    { thumbprint, nonce, nonceExpiresAt }: ProvenKey,
    wallet: LinkedWallet,
    claims: { account: string; assets: string[]; readTime: string },
  ): Promise<CredentialRecord> {
    const id = randomUUID();
    // Whole seconds, as in the credential.
    const createdAt = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    const expiresAt = new Date(createdAt.getTime() + expiresIn * 1_000);
    const sealedClaims = this.views.seal(id, claims);
    return this.database.transaction(async (manager) => {
      if ((await lockLiveCredentials(manager, userId)) >= MAX_CREDENTIALS_PER_USER)
        throw credentialLimitExceeded();
      if (!(await useNonce(manager, nonce, nonceExpiresAt))) throw invalidNonce();
      // Last, because issuing transactions wait for each other here.
      const status = await this.statusLists.take(manager);
      const record = {
        ...{ id, userId, clientId, type, wallet, sealedClaims, thumbprint, isPublic, status },
        ...{ createdAt, expiresAt, revokedAt: undefined },
      };
      await insertCredential(manager, record);
      return record;
    });
  }

  /** A wallet that was unlinked before the row was stored found no credential to revoke. @throws AppError 403, 503 */
  private async checkStillLinked({ id, userId, wallet }: CredentialRecord): Promise<void> {
    try {
      chooseWallet(await this.loadWallets(userId), toAccountId(wallet));
    } catch (error) {
      await revokeCredentials(this.database, userId, { id });
      throw error;
    }
  }

  private sign(record: CredentialRecord, { jwk }: IssueRequest, claims: object): Promise<string> {
    const { PUBLIC_URL } = this.config;
    const { list, entry } = record.status;
    return this.signer.sign(
      {
        iss: PUBLIC_URL,
        iat: record.createdAt.getTime() / 1_000,
        exp: record.expiresAt.getTime() / 1_000,
        vct: toVct(PUBLIC_URL, record.type),
        cnf: { jwk },
        status: { status_list: { idx: entry, uri: this.statusLists.toUri(list) } },
        ...claims,
      },
      { claims: ['account'], lists: ['assets'] },
    );
  }
}

const credentialLimitExceeded = () =>
  conflict(
    'credential_limit_exceeded',
    `You have ${MAX_CREDENTIALS_PER_USER} valid credentials: revoke one first.`,
  );

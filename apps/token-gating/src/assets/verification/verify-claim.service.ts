import { boundEntries, hasFinishedWithin } from '@app/common';
import { Database } from '@app/database';
import type { LinkedWallet } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { IdentityClient } from '../../clients/identity-client.js';
import { toSubjectAddresses } from '../../subjects/subject-addresses.js';
import { assetClaimNotFound, assetsUnavailable } from '../assets.errors.js';
import { AssetOwnershipService, parseAssets } from '../asset-ownership.service.js';
import { type AssetClaim, findClaim } from './asset-claims.queries.js';
import type { AssetVerificationResponse } from './asset-verification.dto.js';
import { ClaimTokenService } from './claim-token.service.js';
import { hashSlug } from './create-claim.service.js';

const SLUG = /^[A-Za-z0-9_-]{22}$/;
/** A claim's owners are read at most once in this time, because anyone who has its URL can verify it. */
const OWNERS_MAX_AGE_MS = 10_000;
const MAX_CACHED_CLAIMS = 10_000;
const READ_TIMEOUT_MS = 10_000;

type Owners = Awaited<ReturnType<AssetOwnershipService['readOwners']>>;

/** Verifies the tokens and slugs of asset claims, and reads who owns the assets now. */
@Injectable()
export class VerifyClaimService {
  private readonly owners = new LRUCache<string, Promise<Owners>>({
    ...boundEntries(MAX_CACHED_CLAIMS),
    ttl: OWNERS_MAX_AGE_MS,
  });

  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly ownership: AssetOwnershipService,
    private readonly tokens: ClaimTokenService,
  ) {}

  /** @throws AppError 404 for a claim that is not valid for any reason, or 503 */
  async verify(tokenOrSlug: string, lenient: boolean): Promise<AssetVerificationResponse> {
    const claim = await this.find(tokenOrSlug);
    if (!claim || !(await this.isLinked(claim))) throw assetClaimNotFound();
    const [{ owned, errors }, names] = await Promise.all([
      this.readOwners(claim),
      this.identity.fetchNames({ userIds: [claim.userId] }),
    ]);
    if (!lenient && errors.some(({ retryable }) => retryable))
      throw assetsUnavailable(errors, { assets: owned });
    const { userId, socialId, account, assets, openseaUrl, mediaUrl, signature } = claim;
    return {
      assets: owned,
      ...(errors.length > 0 ? { errors } : {}),
      signature,
      claim: {
        ...{ userId, name: names.get(userId), socialId, account, assets: [...assets], openseaUrl, mediaUrl },
        createdTime: claim.createdAt.toISOString(),
        expiresTime: claim.expiresAt.toISOString(),
      },
    };
  }

  private async find(tokenOrSlug: string): Promise<AssetClaim | undefined> {
    if (SLUG.test(tokenOrSlug)) return findClaim(this.database, { slugHash: hashSlug(tokenOrSlug) });
    const id = await this.tokens.findClaimId(tokenOrSlug);
    return id === undefined ? undefined : findClaim(this.database, { id });
  }

  /** Whether the wallet is still the user's. @throws AppError 503 while identity is unavailable */
  private async isLinked({ userId, wallet }: AssetClaim): Promise<boolean> {
    const { wallets } = await this.identity.fetchAccountWallets({ userId, asker: { userId } });
    return wallets?.some((linked) => isSameWallet(linked, wallet)) ?? false;
  }

  private async readOwners(claim: AssetClaim): Promise<Owners> {
    let owners = this.owners.get(claim.id);
    if (!owners) {
      // Readers of a claim may be anonymous: its user is the tenant of the background reads.
      owners = this.ownership.readOwners(parseAssets(claim.assets), toSubjectAddresses([claim.wallet]), {
        tenantId: claim.userId,
        lane: 'background',
      });
      this.owners.set(claim.id, owners);
    }
    // The background lane has no timeout while it waits for a turn.
    if (!(await hasFinishedWithin(READ_TIMEOUT_MS, owners))) throw assetsUnavailable([]);
    return owners;
  }
}

/** An externally owned account is the same on every chain. */
function isSameWallet(a: LinkedWallet, b: LinkedWallet): boolean {
  const fold = ({ type, address }: LinkedWallet) => (type === 'solana' ? address : address.toLowerCase());
  return a.type === b.type && fold(a) === fold(b) && (a.type !== 'contract' || a.chainId === b.chainId);
}

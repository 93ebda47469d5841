import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { forbidden } from '@app/common';
import { Database } from '@app/database';
import { account as accountSchema, type AssetId, type LinkedWallet } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
import {
  consentRequired,
  hasConsentEnded,
  lockCredentials,
} from '../../credential-revocations/ended-consents.js';
import { toSubjectAddresses } from '../../subjects/subject-addresses.js';
import {
  accountForbidden,
  assetClaimLimitExceeded,
  assetsUnavailable,
  claimTooLong,
  heldAssetsRequired,
  MAX_CLAIMS_PER_USER,
  MAX_TOKEN_LENGTH,
  walletRequired,
} from '../assets.errors.js';
import { WatchedAssets } from '../balances/watched-assets.js';
import { AssetOwnershipService } from '../asset-ownership.service.js';
import { AssetClaimConfig } from './asset-claim.config.js';
import { insertClaim, toAccountId } from './asset-claims.queries.js';
import type { AssetVerificationRequest, AssetVerificationToken } from './asset-verification.dto.js';
import { ClaimTokenService, getSignature } from './claim-token.service.js';
import type { ClaimFormat } from './claim-key-ring.js';

/**
 * The wallet that an account names, or the one linked first. A CAIP-10 id of a contract wallet has to name its chain; an
 * address alone prefers a wallet that counts on every chain.
 * @param wallets in the order of their linking. @throws AppError 403, or 409 without wallets
 */
export function chooseWallet(wallets: readonly LinkedWallet[], account: string | undefined): LinkedWallet {
  const [first] = wallets;
  if (!first) throw walletRequired();
  if (account === undefined) return first;
  const { data } = accountSchema.safeParse(account);
  if (!data || data.family === 'user') throw accountForbidden();
  const { family, address } = data;
  const matching = wallets.filter((wallet) =>
    family === 'solana'
      ? wallet.type === 'solana' && wallet.address === address
      : wallet.type !== 'solana' && wallet.address.toLowerCase() === address,
  );
  const [, chainId] = account.split(':');
  const found =
    matching.find(({ type }) => type !== 'contract') ??
    matching.find((wallet) => chainId === undefined || wallet.chainId === chainId);
  if (!found) throw accountForbidden();
  return found;
}

/** Makes guessing a claim hopeless. */
const SLUG_BYTES = 16;
const MAX_DEFAULT_ASSETS = 10;
const READ_TIMEOUT_MS = 10_000;

export const hashSlug = (slug: string): Buffer => createHash('sha256').update(slug).digest();

/** Issues tokens that prove what a user owns. */
@Injectable()
export class CreateClaimService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly watched: WatchedAssets,
    private readonly ownership: AssetOwnershipService,
    private readonly tokens: ClaimTokenService,
    private readonly config: AssetClaimConfig,
  ) {}

  /** @throws AppError 400, 403 for accounts of others, 409 for assets that are not held, 503 */
  async create(
    userId: string,
    request: AssetVerificationRequest,
    { format, tenantId }: { format: ClaimFormat; tenantId: string },
  ): Promise<AssetVerificationToken> {
    if (request.userId !== undefined && request.userId !== userId) throw userForbidden();
    const { wallets } = await this.identity.fetchAccountWallets({ userId, asker: { userId } });
    const wallet = chooseWallet(wallets ?? [], request.account);
    const isHeld = async (assets: readonly AssetId[]) =>
      this.ownership.readOwners(assets, toSubjectAddresses([wallet]), {
        tenantId,
        signal: AbortSignal.timeout(READ_TIMEOUT_MS),
      });
    const assets = request.assets
      ? await checkHeld(request.assets, isHeld)
      : await findHeld(this.watched.tokenAssets, isHeld);
    const createdAt = new Date();
    const { socialId, openseaUrl, mediaUrl } = request;
    const claim = {
      ...{ id: randomUUID(), userId, wallet, account: toAccountId(wallet), assets },
      ...{ socialId, openseaUrl, mediaUrl },
      createdAt,
      expiresAt: new Date(createdAt.getTime() + this.config.ASSET_CLAIM_LIFETIME_MS),
    };
    const token = await this.tokens.issue(format, claim);
    if (token.length > MAX_TOKEN_LENGTH) throw claimTooLong();
    const slug = randomBytes(SLUG_BYTES).toString('base64url');
    const stored = { ...claim, signature: getSignature(token) };
    const isStored = await this.database.transaction(async (manager) => {
      await lockCredentials(manager, userId);
      // The token works for some seconds after the erasure of its user, which has deleted the claims by then.
      if (await hasConsentEnded(manager, { userId })) throw consentRequired();
      return insertClaim(manager, stored, hashSlug(slug), MAX_CLAIMS_PER_USER);
    });
    if (!isStored) throw assetClaimLimitExceeded();
    return { token, slug, url: `${this.config.PUBLIC_URL}/asset-verification/${slug}` };
  }
}

type OwnerReader = (assets: readonly AssetId[]) => ReturnType<AssetOwnershipService['readOwners']>;

/** @returns the ids of the assets. @throws AppError 409 unless all of them are held */
export async function checkHeld(assets: readonly AssetId[], read: OwnerReader): Promise<string[]> {
  const { owned, errors } = await read(assets);
  if (errors.some(({ retryable }) => retryable)) throw assetsUnavailable(errors);
  const notHeld = owned.filter(({ owner }) => !owner).map(({ asset }) => asset);
  if (notHeld.length > 0 || errors.length > 0) throw heldAssetsRequired(notHeld, errors);
  return assets.map(({ id }) => id);
}

/** The ids of the first assets that are held. @throws AppError 409 without one */
async function findHeld(assets: readonly AssetId[], read: OwnerReader): Promise<string[]> {
  const { owned, errors } = await read(assets);
  const held = owned.filter(({ owner }) => owner).map(({ asset }) => asset);
  if (held.length > 0) return held.slice(0, MAX_DEFAULT_ASSETS);
  if (errors.some(({ retryable }) => retryable)) throw assetsUnavailable(errors);
  throw heldAssetsRequired(assets.map(({ id }) => id));
}

const userForbidden = () =>
  forbidden('user_forbidden', 'A claim can only be made for yourself: leave out `userId`.');

import { serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';
import { Injectable } from '@nestjs/common';
import { TokenGatingClient } from '../../clients/token-gating-client.js';
import { shortenAccount } from '../../users/wallets/wallet.js';
import { formatDay } from '../views/format-values.js';
import type { AssetClaimView } from '../views/page-views.js';

@Injectable()
export class AssetClaimsService {
  constructor(private readonly tokenGating: TokenGatingClient) {}

  /** The valid claims of a user, the newest first. @throws AppError 503 */
  async list(userId: string): Promise<AssetClaimView[]> {
    const { claims } = await this.tokenGating.listAssetClaims({ userId }).catch(rethrowAsUnavailable);
    return claims.map(({ createdTime, expiresTime, ...claim }) => ({
      ...claim,
      accountId: claim.account,
      account: shortenAccount(claim.account),
      created: formatDay(new Date(createdTime)),
      expires: formatDay(new Date(expiresTime)),
    }));
  }

  /** @returns whether the user had this claim. @throws AppError 503 */
  async revoke(userId: string, id: string): Promise<boolean> {
    const request = { userId, id };
    return (await this.tokenGating.revokeAssetClaim(request).catch(rethrowAsUnavailable)).isRevoked;
  }
}

function rethrowAsUnavailable(cause: unknown): never {
  throw serviceUnavailable(
    'asset_claims_unavailable',
    'Your asset claims cannot be loaded at the moment. Try again in a few seconds.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );
}

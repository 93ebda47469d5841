import { Database } from '@app/database';
import {
  type AssetClaimsRequest,
  assetClaimsRequest,
  type AssetClaimsResponse,
  assetClaimsResponse,
  type RevokeAssetClaimRequest,
  revokeAssetClaimRequest,
  type RevokeAssetClaimResponse,
  revokeAssetClaimResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { deleteClaim, listClaims } from './asset-claims.queries.js';

/** Claims, for identity's portal. */
@InternalController('internal/asset-claims', 'identity')
export class AssetClaimsController {
  constructor(private readonly database: Database) {}

  @Post('list')
  @Returns(assetClaimsResponse)
  async list(
    @Body({ schema: assetClaimsRequest }) { userId }: AssetClaimsRequest,
  ): Promise<AssetClaimsResponse> {
    const claims = await listClaims(this.database, userId);
    return {
      claims: claims.map(({ id, account, assets, createdAt, expiresAt }) => ({
        ...{ id, account, assets: [...assets] },
        createdTime: createdAt.toISOString(),
        expiresTime: expiresAt.toISOString(),
      })),
    };
  }

  @Post('revoke')
  @Returns(revokeAssetClaimResponse)
  async revoke(
    @Body({ schema: revokeAssetClaimRequest }) { userId, id }: RevokeAssetClaimRequest,
  ): Promise<RevokeAssetClaimResponse> {
    return { isRevoked: await deleteClaim(this.database, userId, id) };
  }
}

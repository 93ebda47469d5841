import { CurrentPrincipal, getTenantId, type Principal, requireSignedInUser } from '@app/auth';
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
  balancesResponse,
  type BalancesResponse,
  balancesRequest,
  type BalancesRequest,
} from '@app/dto';
import type { DeclaredError } from '@app/openapi';
import { Body, Controller, Get, Param, Post, Query, Res, UseInterceptors } from '@nestjs/common';
import { InternalController, Operation, Returns } from '@app/service';
import { ApiBody } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentRequester, LenientHandling } from '../access-control/request.decorators.js';
import type { Requester } from '../subjects/user-addresses.service.js';
import { AssetListService } from './lists/asset-list.service.js';
import { MAX_TOKENS } from './lists/asset-reader.js';
import { AssetOwnershipService } from './asset-ownership.service.js';
import {
  type AccountParams,
  accountParams,
  type AssetClaimResponse,
  assetClaimResponse,
  type AssetListItem,
  assetListItem,
  type AssetsQuery,
  assetsQuery,
  MAX_ASSETS,
  type OwnedAssetsQuery,
  ownedAssetsQuery,
} from './asset-ownership.dto.js';
import { MAX_CLAIMS_PER_USER } from './assets.errors.js';
import { deleteClaim, listClaims } from './verification/asset-claims.queries.js';
import {
  type AssetVerificationRequest,
  assetVerificationRequest,
  type AssetVerificationResponse,
  assetVerificationResponse,
  type AssetVerificationToken,
  assetVerificationToken,
  type FormatQuery,
  formatQuery,
  type TokenParams,
  tokenParams,
} from './verification/asset-verification.dto.js';
import { ClaimPageInterceptor } from './verification/claim-page.js';
import { CreateClaimService } from './verification/create-claim.service.js';
import { VerifyClaimService } from './verification/verify-claim.service.js';
import { WalletBalancesService } from './balances/wallet-balances.service.js';

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

const byClient = { caller: 'client', scope: 'token-gating' } as const;
const READ_ERRORS: readonly DeclaredError[] = [
  '400 chain_not_supported',
  '403 client_required',
  '404 account_not_found',
  '503 assets_unavailable',
];

/** Assets of an account and proofs of ownership (spec.md 4.2). */
@Controller()
export class AssetOwnershipController {
  constructor(
    private readonly lists: AssetListService,
    private readonly ownership: AssetOwnershipService,
    private readonly claims: CreateClaimService,
    private readonly verification: VerifyClaimService,
  ) {}

  @Get('asset-list/:account')
  @Operation({
    ...byClient,
    summary: 'List the assets of an account',
    description:
      `\`assets\` is repeated, at most ${MAX_ASSETS} times; without it the response lists the coins and tokens that this ` +
      'deployment watches and the account holds. One item per asset, in the order asked: `balance` in whole tokens, or the ' +
      `number of NFTs with at most ${MAX_TOKENS} \`tokens\`, which are absent when their ids cannot be known. An asset that ` +
      'can never be read has `errors` instead. When a node does not answer, the status is 503 with Retry-After; with the ' +
      'header `Prefer: handling=lenient` it is 200 with `errors`.',
    errors: READ_ERRORS,
  })
  @Returns(assetListItem, { isArray: true, headers: ['Preference-Applied'] })
  async getAssets(
    @Param({ schema: accountParams }) { account }: AccountParams,
    @Query({ schema: assetsQuery }) { assets }: AssetsQuery,
    @CurrentRequester() requester: Requester,
    @CurrentPrincipal() principal: Principal,
    @LenientHandling() lenient: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AssetListItem[]> {
    const options = { requester, tenantId: getTenantId(principal), lenient };
    const items = await this.lists.list(account, assets, options);
    if (lenient) response.setHeader('Preference-Applied', 'handling=lenient');
    return items;
  }

  @Get('asset-ownership/:account')
  @Operation({
    ...byClient,
    summary: 'Check which of these assets an account owns',
    description:
      `\`assets\` is repeated, 1 to ${MAX_ASSETS} times. The account owns an asset when it holds any of it; the holdings of ` +
      'all wallets of a user id are summed. Assets that can never be read are left out of `assets` and have an entry in ' +
      '`errors`. When a node does not answer, the status is 503 with Retry-After; with the header ' +
      '`Prefer: handling=lenient` it is 200 with `errors`.',
    errors: READ_ERRORS,
  })
  @Returns(assetClaimResponse, { headers: ['Preference-Applied'] })
  async getOwnership(
    @Param({ schema: accountParams }) { account }: AccountParams,
    @Query({ schema: ownedAssetsQuery }) { assets }: OwnedAssetsQuery,
    @CurrentRequester() requester: Requester,
    @CurrentPrincipal() principal: Principal,
    @LenientHandling() lenient: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AssetClaimResponse> {
    const options = { requester, tenantId: getTenantId(principal), lenient };
    const result = await this.ownership.findOwned(account, assets, options);
    if (lenient) response.setHeader('Preference-Applied', 'handling=lenient');
    return result;
  }

  @Post('asset-verification')
  @Operation({
    caller: 'user',
    summary: 'Create a token that proves what the user owns',
    description:
      'The token is a JWT, or encrypted with `format=ae`; `url` contains a short name for it. Every asset must be held now. ' +
      'The claim is valid for thirty days, while the wallet is linked and until the user revokes it in the portal.',
    conflicts: {
      asset_claim_limit_exceeded: `the user has ${MAX_CLAIMS_PER_USER} valid claims`,
      consent_required: 'the user was erased less than a minute ago',
      held_assets_required:
        'the account does not hold all of the assets (`details.assets` names those), or, without `assets`, no token that this deployment watches',
      wallet_required: 'the user has no linked wallet',
    },
    errors: [
      '400 asset_claim_length_limit_exceeded',
      '400 chain_not_supported',
      '403 account_forbidden',
      '403 user_forbidden',
      '503 asset_claim_keys_unavailable',
      '503 assets_unavailable',
      '503 identity_unavailable',
    ],
  })
  @ApiBody({ required: false })
  @Returns(assetVerificationToken)
  generateJwt(
    @Query({ schema: formatQuery }) { format }: FormatQuery,
    @Body({ schema: assetVerificationRequest.optional() }) request: AssetVerificationRequest | undefined,
    @CurrentPrincipal() principal: Principal,
  ): Promise<AssetVerificationToken> {
    const { id } = requireSignedInUser(principal);
    return this.claims.create(id, request ?? {}, { format, tenantId: getTenantId(principal) });
  }

  @Get('asset-verification/:token')
  @UseInterceptors(ClaimPageInterceptor)
  @Operation({
    caller: 'none',
    summary: 'Verify a token',
    description:
      '`token` is a token of `POST /asset-verification` or its slug. `assets` says whether the account owns them now. A claim ' +
      'that expired or was revoked, and one whose wallet is no longer linked, is 404. With `Accept: text/html` the response is ' +
      'a page. When a node does not answer, the status is 503 with Retry-After; with the header `Prefer: handling=lenient` ' +
      'it is 200 with `errors`.',
    errors: [
      '404 asset_claim_not_found',
      '503 asset_claim_keys_unavailable',
      '503 assets_unavailable',
      '503 identity_unavailable',
    ],
    example: { status: 404, reason: 'a claim needs a token of its own' },
  })
  @Returns(assetVerificationResponse, { headers: ['Preference-Applied'] })
  async verifyOwnership(
    @Param({ schema: tokenParams }) { token }: TokenParams,
    @LenientHandling() lenient: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AssetVerificationResponse> {
    const result = await this.verification.verify(token, lenient);
    if (lenient) response.setHeader('Preference-Applied', 'handling=lenient');
    return result;
  }
}

/** Balances of a linked wallet, for identity. */
@InternalController('internal/balances', 'identity')
export class BalancesController {
  constructor(private readonly balances: WalletBalancesService) {}

  @Post()
  @Returns(balancesResponse)
  read(@Body({ schema: balancesRequest }) request: BalancesRequest): Promise<BalancesResponse> {
    return this.balances.readBalances(request);
  }
}

import { CurrentPrincipal, getTenantId, type Principal } from '@app/auth';
import type { DeclaredError } from '@app/openapi';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { throwNotImplemented, Operation, Returns } from '@app/service';
import { ApiBody } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentRequester, LenientHandling } from '../access-control/request.decorators.js';
import type { Requester } from '../subjects/requester.js';
import { AssetListService } from './lists/asset-list.service.js';
import { MAX_TOKENS } from './lists/holding.js';
import { AssetOwnershipService } from './ownership/asset-ownership.service.js';
import {
  type AccountParams,
  accountParams,
  type AssetClaimResponse,
  assetClaimResponse,
  type AssetListItem,
  assetListItem,
  type AssetsQuery,
  assetsQuery,
  assetVerificationRequest,
  assetVerificationResponse,
  assetVerificationToken,
  formatQuery,
  MAX_ASSETS,
  type OwnedAssetsQuery,
  ownedAssetsQuery,
  tokenParams,
} from './asset-ownership.dto.js';

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
  @Operation({ caller: 'user', summary: 'Create a token that proves what the user owns', isPlanned: true })
  @ApiBody({ required: false })
  @Returns(assetVerificationToken)
  generateJwt(
    @Query({ schema: formatQuery }) _query: unknown,
    @Body({ schema: assetVerificationRequest.optional() }) _request: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Get('asset-verification/:token')
  @Operation({ caller: 'none', summary: 'Verify a token', isPlanned: true })
  @Returns(assetVerificationResponse)
  verifyOwnership(@Param({ schema: tokenParams }) _params: unknown): never {
    return throwNotImplemented();
  }
}

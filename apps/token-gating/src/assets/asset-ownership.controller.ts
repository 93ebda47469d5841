import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { throwNotImplemented, Operation, Returns } from '@app/service';
import { ApiBody } from '@nestjs/swagger';
import {
  accountParams,
  assetClaimResponse,
  assetListItem,
  assetsQuery,
  assetVerificationRequest,
  assetVerificationResponse,
  assetVerificationToken,
  formatQuery,
  tokenParams,
} from './asset-ownership.dto.js';

const byClient = { caller: 'client', scope: 'token-gating', isPlanned: true } as const;

/** Assets of an account and proofs of ownership (spec.md 4.2). */
@Controller()
export class AssetOwnershipController {
  @Get('asset-list/:account')
  @Operation({ ...byClient, summary: 'List the assets of an account' })
  @Returns(assetListItem, { isArray: true })
  getAssets(
    @Param({ schema: accountParams }) _params: unknown,
    @Query({ schema: assetsQuery }) _query: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Get('asset-ownership/:account')
  @Operation({ ...byClient, summary: 'Check which of these assets an account owns' })
  @Returns(assetClaimResponse)
  getOwnership(
    @Param({ schema: accountParams }) _params: unknown,
    @Query({ schema: assetsQuery }) _query: unknown,
  ): never {
    return throwNotImplemented();
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

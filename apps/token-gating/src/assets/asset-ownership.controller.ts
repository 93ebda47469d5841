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

const byClient = { caller: 'client', scope: 'token-gating' } as const;

/** spec.md 4.2: what an account owns, and proofs of it. */
@Controller()
export class AssetOwnershipController {
  @Get('asset-list/:account')
  @Operation({ ...byClient, summary: 'The assets of an account' })
  @Returns(assetListItem, { isArray: true })
  getAssets(
    @Param({ schema: accountParams }) _params: unknown,
    @Query({ schema: assetsQuery }) _query: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Get('asset-ownership/:account')
  @Operation({ ...byClient, summary: 'Which of these assets does an account own?' })
  @Returns(assetClaimResponse)
  getOwnership(
    @Param({ schema: accountParams }) _params: unknown,
    @Query({ schema: assetsQuery }) _query: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Post('asset-verification')
  @Operation({ caller: 'user', summary: 'A token that proves what the user owns' })
  @ApiBody({ required: false })
  @Returns(assetVerificationToken)
  generateJwt(
    @Query({ schema: formatQuery }) _query: unknown,
    @Body({ schema: assetVerificationRequest.optional() }) _request: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Get('asset-verification/:token')
  @Operation({ caller: 'none', summary: 'What a verification token says' })
  @Returns(assetVerificationResponse)
  verifyOwnership(@Param({ schema: tokenParams }) _params: unknown): never {
    return throwNotImplemented();
  }
}

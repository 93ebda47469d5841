import type { Account, AssetId } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { checkChains } from '../../checks/check-chains.js';
import { CheckRolesService, type CheckRolesOptions } from '../../checks/check-roles.service.js';
import { ChainService } from '../../rules/chains/chain.service.js';
import type { Verdict } from '../../rules/verdict.js';
import { assetsUnavailable, toAssetError } from '../assets.errors.js';
import type { AssetClaimResponse, AssetError, OwnedAsset } from '../asset-ownership.dto.js';

/** Determines which assets an account holds any of: one check of all assets, as if each were a rule. */
@Injectable()
export class AssetOwnershipService {
  constructor(
    private readonly chains: ChainService,
    private readonly checks: CheckRolesService,
  ) {}

  /** @throws AppError 400, 404 for a user id that the requester may not have checked, or 503 */
  async findOwned(
    account: Account,
    assets: readonly AssetId[],
    { requester, tenantId, lenient }: CheckRolesOptions,
  ): Promise<AssetClaimResponse> {
    checkAssetChains(assets, this.chains);
    const rules = assets.map(({ rule }) => rule);
    const verdicts = await this.checks.judgeAccount({ account, rules }, requester, { tenantId });
    const { owned, errors } = separateErrors(assets, verdicts);
    if (!lenient && errors.some(({ retryable }) => retryable))
      throw assetsUnavailable(errors, { assets: owned });
    return errors.length > 0 ? { assets: owned, errors } : { assets: owned };
  }
}

/** @throws AppError 400 that names the assets whose chain has no node in this deployment */
export function checkAssetChains(assets: readonly AssetId[], chains: Pick<ChainService, 'find'>): void {
  checkChains(
    assets.map(({ rule }) => rule),
    chains,
    (index) => `assets.${index}`,
  );
}

/** Omits assets whose owner could not be determined from `owned`. `verdicts` holds one entry per asset. */
export function separateErrors(
  assets: readonly AssetId[],
  verdicts: readonly Verdict[],
): { owned: OwnedAsset[]; errors: AssetError[] } {
  const owned: OwnedAsset[] = [];
  const errors: AssetError[] = [];
  assets.forEach((asset, index) => {
    const verdict = verdicts[index];
    if (verdict?.kind === 'undetermined') errors.push(toAssetError(asset, index, verdict.failure));
    else owned.push({ asset: asset.id, owner: verdict?.kind === 'granted' });
  });
  return { owned, errors };
}

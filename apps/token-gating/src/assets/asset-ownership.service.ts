import { type Account, type AssetId, parseAssetId } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { checkChains } from '../checks/validate-rules.js';
import { CheckRolesService, type CheckRolesOptions } from '../checks/check-roles.service.js';
import { type ChainReadOptions, ChainService } from '../rules/chains/chain.service.js';
import type { Verdict } from '../rules/verdict.js';
import type { SubjectAddresses } from '../subjects/subject-addresses.js';
import { assetsUnavailable, toAssetError } from './assets.errors.js';
import type { AssetClaimResponse, AssetError, OwnedAsset } from './asset-ownership.dto.js';

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

  /** @throws AppError 400 for assets of a chain without a node */
  async readOwners(
    assets: readonly AssetId[],
    addresses: SubjectAddresses,
    options: ChainReadOptions,
  ): Promise<Owners> {
    checkAssetChains(assets, this.chains);
    const rules = assets.map(({ rule }) => rule);
    return separateErrors(assets, await this.checks.judge(rules, addresses, options));
  }
}

/** Assets by whether the account holds any of them; those that could not be read have an error instead. */
export interface Owners {
  readonly owned: OwnedAsset[];
  readonly errors: AssetError[];
}

/** @throws AppError 400 that names the assets whose chain has no node in this deployment */
export function checkAssetChains(assets: readonly AssetId[], chains: Pick<ChainService, 'find'>): void {
  checkChains(
    assets.map(({ rule }) => rule),
    chains,
    (index) => `assets.${index}`,
  );
}

/** Parses ids that were valid when they were stored. */
export const parseAssets = (ids: readonly string[]): AssetId[] =>
  ids.map((id) => {
    const asset = parseAssetId(id);
    if (typeof asset === 'string') throw new Error(`The stored asset ${id} ${asset}`);
    return asset;
  });

/** `verdicts` holds one entry per asset. */
function separateErrors(assets: readonly AssetId[], verdicts: readonly Verdict[]): Owners {
  const owned: OwnedAsset[] = [];
  const errors: AssetError[] = [];
  assets.forEach((asset, index) => {
    const verdict = verdicts[index];
    if (verdict?.kind === 'undetermined') errors.push(toAssetError(asset, index, verdict.failure));
    else owned.push({ asset: asset.id, owner: verdict?.kind === 'granted' });
  });
  return { owned, errors };
}

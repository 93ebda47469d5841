import { type AppError, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';
import type { AssetId } from '@app/dto';
import { describeFailure } from '../checks/merge-roles.js';
import type { RuleFailure } from '../rules/verdict.js';
import type { AssetError } from './asset-ownership.dto.js';

export const toAssetError = ({ id }: AssetId, index: number, failure: RuleFailure): AssetError => ({
  asset: id,
  index,
  ...describeFailure(failure),
});

/** @param found what could be read */
export const assetsUnavailable = (errors: readonly AssetError[], found: object = {}): AppError =>
  serviceUnavailable('assets_unavailable', 'Some assets could not be read, because a node did not answer.', {
    retryAfter: RETRY_AFTER_SECONDS.upstream,
    ...found,
    errors,
  });

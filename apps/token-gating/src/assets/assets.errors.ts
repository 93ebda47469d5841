import {
  type AppError,
  badRequest,
  conflict,
  forbidden,
  notFound,
  RETRY_AFTER_SECONDS,
  serviceUnavailable,
} from '@app/common';
import type { AssetId } from '@app/dto';
import { describeFailure } from '../checks/roles-response.js';
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

/** Bounds the rows that one user keeps. */
export const MAX_CLAIMS_PER_USER = 100;
/** Fits URLs, and the limits of servers on request targets. */
export const MAX_TOKEN_LENGTH = 6_000;

export const assetClaimNotFound = () =>
  notFound('asset_claim_not_found', 'This claim does not exist, or is no longer valid.');

/** @param assets those that the account does not hold */
export const heldAssetsRequired = (assets: readonly string[], errors: readonly AssetError[] = []) =>
  conflict('held_assets_required', 'The account does not hold all of these assets now.', {
    assets,
    ...(errors.length > 0 ? { errors } : {}),
  });

export const walletRequired = () =>
  conflict('wallet_required', 'You have no linked wallet that could own assets: link one first.');

export const assetClaimLimitExceeded = () =>
  conflict(
    'asset_claim_limit_exceeded',
    `You have ${MAX_CLAIMS_PER_USER} valid claims: revoke one in the portal first.`,
  );

export const accountForbidden = () =>
  forbidden('account_forbidden', 'This account is not one of your linked wallets.');

export const claimTooLong = () => {
  const message = `the token would be longer than ${MAX_TOKEN_LENGTH} characters: name fewer assets`;
  return badRequest('asset_claim_length_limit_exceeded', `assets: ${message}`, {
    issues: [{ path: 'assets', message }],
  });
};

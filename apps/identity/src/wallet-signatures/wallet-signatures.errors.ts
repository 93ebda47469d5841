import type { NodesUnavailableError } from '@app/chain/evm';
import { serviceUnavailable, tooManyRequests, RETRY_AFTER_SECONDS } from '@app/common';

/** 503: no node answered, so the signature is neither valid nor invalid. */
export const nodesUnavailable = (cause: NodesUnavailableError) =>
  serviceUnavailable(
    'nodes_unavailable',
    'The signature of this contract wallet could not be checked because no chain node answered. Try again later; a login needs a new challenge.',
    { retryAfter: RETRY_AFTER_SECONDS.upstream },
    { cause },
  );

/** 429: the signature was not checked. @param retryAfter seconds */
export const contractCheckLimitExceeded = (retryAfter: number) =>
  tooManyRequests(
    'contract_check_limit_exceeded',
    'Too many signatures of contract wallets are being checked. Try again later; a login needs a new challenge.',
    { retryAfter },
  );

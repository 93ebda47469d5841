import { AppError } from '@app/common';
import { chainUnavailable } from './evm.errors.js';
import { toBoundedError } from './to-bounded-error.js';

/**
 * Turns an error of a node into 503, as if the node had failed before the request began. An answer of a wrong form
 * counts as such, and viem has no common error for it: `BigInt` throws a SyntaxError, a missing field a TypeError. The
 * error is logged as the cause.
 * @throws AppError
 */
export function throwChainUnavailable(error: unknown): never {
  throw error instanceof AppError ? error : chainUnavailable({ cause: toBoundedError(error) });
}

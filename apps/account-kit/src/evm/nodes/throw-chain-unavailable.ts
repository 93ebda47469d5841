import { AppError } from '@app/common';
import { chainUnavailable } from './evm.errors.js';
import { toBoundedError } from './to-bounded-error.js';

/**
 * For `catch` of what asks a node: a node that fails in the middle of a request is 503 as if it had failed before. An answer of a wrong form
 * counts as such, and viem has no common error for it: `BigInt` throws a SyntaxError, a missing field a TypeError. The error is logged as the
 * cause. @throws AppError
 */
export function throwChainUnavailable(error: unknown): never {
  throw error instanceof AppError ? error : chainUnavailable({ cause: toBoundedError(error) });
}

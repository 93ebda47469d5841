import { BaseError } from 'viem';
import { chainUnavailable } from './evm.errors.js';
import { toBoundedError } from './to-bounded-error.js';

/** For `catch` of requests: a node that fails in the middle of one is 503 as if it had failed before. @throws */
export function throwChainUnavailable(error: unknown): never {
  throw error instanceof BaseError ? chainUnavailable({ cause: toBoundedError(error) }) : error;
}

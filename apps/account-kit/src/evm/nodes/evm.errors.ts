import {
  AppError,
  badRequest,
  formatErrorReason,
  RETRY_AFTER_SECONDS,
  serviceUnavailable,
} from '@app/common';
import { BaseError, MethodNotFoundRpcError, MethodNotSupportedRpcError } from 'viem';

const MAX_LENGTH = 500;
const isFrame = (line: string): boolean => /^ {4}at /.test(line);

/** viem puts the request into `message` and `stack`: the calldata of a bundle has hundreds of kilobytes. Other errors stay. */
export function toBoundedError(error: unknown): unknown {
  if (!(error instanceof BaseError)) return error;
  const bounded = new Error(`${error.shortMessage} ${error.details}`.slice(0, MAX_LENGTH));
  bounded.name = error.name;
  const frames = (error.stack ?? '').split('\n').filter(isFrame);
  bounded.stack = [`${bounded.name}: ${bounded.message}`, ...frames].join('\n');
  return bounded;
}

/** viem's messages end with the URL and the request; `shortMessage` does not. */
export function toShortReason(error: unknown): string {
  if (error instanceof Error && 'shortMessage' in error) return String(error.shortMessage);
  return formatErrorReason(error);
}

export const chainNotSupported = (chainId: number) =>
  badRequest('chain_not_supported', `Smart accounts do not act on chain ${chainId}.`, {
    issues: [{ path: 'chainId', message: 'is not a chain of smart accounts' }],
  });

/** The deterministic deployer (0x4e59…956C) has no code on the chain. */
export const mintNotSupported = (chainId: number) =>
  badRequest(
    'mint_not_supported',
    `Chain ${chainId} has no deterministic deployer, through which tokens are minted: mint on another chain.`,
    { issues: [{ path: 'chainId', message: 'is a chain without the deterministic deployer' }] },
  );

/** No node of the chain answers as the right chain with the contracts of smart accounts. */
export const chainUnavailable = (options?: ErrorOptions) =>
  serviceUnavailable(
    'chain_unavailable',
    'The chain cannot be used at the moment. Try again later.',
    { retryAfter: RETRY_AFTER_SECONDS.upstream },
    options,
  );

/**
 * Turns an error of a node into 503, as if the node had failed before the request began. An answer of a wrong form
 * counts as such, and viem has no common error for it: `BigInt` throws a SyntaxError, a missing field a TypeError. The
 * error is logged as the cause.
 * @throws AppError
 */
export function throwChainUnavailable(error: unknown): never {
  throw error instanceof AppError ? error : chainUnavailable({ cause: toBoundedError(error) });
}

/** Whether a node said that it does not serve the method. */
export const isMethodMissing = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk(
    (cause) => cause instanceof MethodNotFoundRpcError || cause instanceof MethodNotSupportedRpcError,
  ) !== null;

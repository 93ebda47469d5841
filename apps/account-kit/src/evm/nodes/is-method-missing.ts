import { BaseError, MethodNotFoundRpcError, MethodNotSupportedRpcError } from 'viem';

/** Whether a node said that it does not serve the method. */
export const isMethodMissing = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk(
    (cause) => cause instanceof MethodNotFoundRpcError || cause instanceof MethodNotSupportedRpcError,
  ) !== null;

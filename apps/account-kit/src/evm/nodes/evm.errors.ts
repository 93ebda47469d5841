import { badRequest, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';

export const chainNotSupported = (chainId: number) =>
  badRequest('chain_not_supported', `Smart accounts do not act on chain ${chainId}.`, {
    issues: [{ path: 'chainId', message: 'is not a chain of smart accounts' }],
  });

/** No node of the chain answers as the right chain with the contracts of smart accounts. */
export const chainUnavailable = (options?: ErrorOptions) =>
  serviceUnavailable(
    'chain_unavailable',
    'The chain cannot be used at the moment. Try again later.',
    { retryAfter: RETRY_AFTER_SECONDS.upstream },
    options,
  );

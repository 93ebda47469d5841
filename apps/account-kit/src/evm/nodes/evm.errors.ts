import { badRequest, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';

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

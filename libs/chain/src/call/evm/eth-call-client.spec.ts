import { describe, expect, it } from '@jest/globals';
import { RpcNodeError } from '../../node/rpc-node-error.js';
import { gasSentinelResult } from '../../reads/evm/multicall3.js';
import { ChainHeadTracker } from '../../node/chain-head-tracker.js';
import type { RpcNodeClient } from '../../node/evm/rpc-node-client.js';
import { FailoverEthCallClient } from './eth-call-client.js';

/** Answers one call after the other. */
function createClient(...answers: readonly (string | RpcNodeError)[]) {
  const rest = answers.values();
  const node = {
    getState: () => 'up',
    isSlow: () => false,
    runDueChecks: () => undefined,
    request: () => {
      const { value } = rest.next();
      return value instanceof RpcNodeError ? Promise.reject(value) : Promise.resolve(value);
    },
  } as unknown as RpcNodeClient; // the other methods are not called
  const headTracker = new ChainHeadTracker({ hasFixedBlockTime: false });
  return new FailoverEthCallClient([node], 'Chain', headTracker, {
    isArbitrum: false,
    includeTimestamp: false,
  });
}

describe('FailoverEthCallClient', () => {
  const { signal } = new AbortController();

  it('FailoverEthCallClient: asks for the gas sentinel again after a node was too slow to tell', async () => {
    const client = createClient(new RpcNodeError('too_heavy', 'execution timeout'), gasSentinelResult);
    expect(await client.hasGasSentinel(signal)).toBe(false);
    expect(await client.hasGasSentinel(signal)).toBe(true);
  });

  it('FailoverEthCallClient: remembers that a chain has no gas sentinel', async () => {
    const client = createClient(new RpcNodeError('reverted', 'execution reverted'), gasSentinelResult);
    expect(await client.hasGasSentinel(signal)).toBe(false);
    expect(await client.hasGasSentinel(signal)).toBe(false);
  });
});

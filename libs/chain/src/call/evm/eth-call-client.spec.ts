import { describe, expect, it } from '@jest/globals';
import { RpcNodeError } from '../../node/rpc-node-error.js';
import { gasSentinelResult } from '../../reads/evm/multicall3.js';
import { type ConfirmingClient, FailoverEthCallClient } from './eth-call-client.js';

/** Answers one call after the other. */
function createClient(...answers: readonly (string | RpcNodeError)[]) {
  const rest = answers.values();
  const nodes = {
    request: () => {
      const { value } = rest.next();
      return value instanceof RpcNodeError ? Promise.reject(value) : Promise.resolve(value);
    },
  } as unknown as ConfirmingClient; // the other methods are not called
  return new FailoverEthCallClient(nodes, { isArbitrum: false, includeTimestamp: false });
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

import { afterEach, describe, expect, it } from '@jest/globals';
import { ChainConfig, createConfiguredChainRegistry } from './nodes.config.js';

const NAMES = ['RPC_URL_1', 'RPC_QUORUM_1'] as const;

function findConfigured(rpcUrl: string, quorum: string) {
  process.env['RPC_URL_1'] = rpcUrl;
  process.env['RPC_QUORUM_1'] = quorum;
  return createConfiguredChainRegistry(new ChainConfig()).find(1);
}

describe('RPC_QUORUM_<chainId>', () => {
  afterEach(() => {
    for (const name of NAMES) Reflect.deleteProperty(process.env, name);
  });

  it('RPC_QUORUM_<chainId>: sets the quorum of the chain', () => {
    expect(findConfigured('https://a.example,https://b.example', '2')).toMatchObject({ quorum: 2 });
  });

  it.each(['0', 'two', '1.5', '0x2'])('RPC_QUORUM_<chainId>: is rejected by name when it is %s', (quorum) => {
    expect(() => findConfigured('https://a.example', quorum)).toThrow(/RPC_QUORUM_1/);
  });

  it('RPC_QUORUM_<chainId>: is an InvalidConfigurationError when there are too few nodes', () => {
    expect(() => findConfigured('https://a.example', '2')).toThrow(
      expect.objectContaining({
        name: 'InvalidConfigurationError',
        message: expect.stringContaining('a quorum of 2 on chain 1'),
      }),
    );
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import { ChainConfig } from './chain-config.js';
import { createConfiguredChainRegistry } from './create-configured-chain-registry.js';

const NAMES = ['RPC_URL_1', 'RPC_QUORUM_1'] as const;

function configured(rpcUrl: string, quorum: string) {
  process.env['RPC_URL_1'] = rpcUrl;
  process.env['RPC_QUORUM_1'] = quorum;
  return createConfiguredChainRegistry(new ChainConfig()).find(1);
}

describe('RPC_QUORUM_<chainId>', () => {
  afterEach(() => {
    for (const name of NAMES) Reflect.deleteProperty(process.env, name);
  });

  it('asks for the agreement of so many nodes', () => {
    expect(configured('https://a.example,https://b.example', '2')).toMatchObject({ quorum: 2 });
  });

  it.each(['0', 'two', '1.5', '0x2'])('is refused by its name when it is %s', (quorum) => {
    expect(() => configured('https://a.example', quorum)).toThrow(/RPC_QUORUM_1/);
  });

  it('is refused as configuration when there are too few nodes', () => {
    expect(() => configured('https://a.example', '2')).toThrow(
      expect.objectContaining({
        name: 'InvalidConfigurationError',
        message: expect.stringContaining('a quorum of 2 on chain 1'),
      }),
    );
  });
});

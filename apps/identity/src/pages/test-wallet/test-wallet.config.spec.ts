import { loadConfig } from '@app/config';
import { describe, expect, it } from '@jest/globals';
import { testWalletConfigSchema } from './test-wallet.config.js';

const TEST_WALLET = JSON.stringify({
  rpcUrl: 'http://127.0.0.1:8545',
  chainId: 31_337,
  accounts: { holder: `0x${'1'.repeat(40)}` },
});
const LOCAL = { NODE_ENV: 'test', PUBLIC_URL: 'http://localhost:3000', TEST_WALLET };

const load = (env: Record<string, string>) => () => loadConfig(testWalletConfigSchema, { ...LOCAL, ...env });

describe('the test wallet', () => {
  it('test wallet: is accepted in the local profile', () => {
    expect(load({})()).toMatchObject({ TEST_WALLET: { chainId: 31_337 } });
    expect(load({ PUBLIC_URL: 'http://127.0.0.1:3000', AUTH_URL: 'http://localhost:3000' })).not.toThrow();
  });

  it.each([
    ['in production', { NODE_ENV: 'production' }],
    ['without NODE_ENV', { NODE_ENV: '' }],
    ['with a public PUBLIC_URL', { NODE_ENV: 'development', PUBLIC_URL: 'https://gatehouse.example' }],
    ['with a public AUTH_URL', { NODE_ENV: 'development', AUTH_URL: 'https://login.example' }],
    ['with a host that starts with localhost', { PUBLIC_URL: 'http://localhost.example' }],
  ])('test wallet: is refused %s', (_, env) => {
    expect(load(env)).toThrow('TEST_WALLET: lets anyone sign in: it is refused');
  });

  it('test wallet: accepts only a node on loopback', () => {
    const elsewhere = TEST_WALLET.replace('127.0.0.1', '127.0.0.1.example');
    expect(load({ TEST_WALLET: elsewhere })).toThrow('must be a node on this machine');
  });
});

import { afterEach, expect, it } from '@jest/globals';
import { ChainConfig } from '@app/chain/evm';
import { SafeFetcherConfig } from '../../apps/token-gating/src/clients/safe-fetcher.module.js';
import { WatchedTokensConfig } from '../../apps/token-gating/src/assets/balances/watched-assets.js';
import { CallbackKeyConfig } from '../../apps/token-gating/src/callbacks/callback.config.js';

const before = { ...process.env };

afterEach(() => {
  for (const name of Object.keys(process.env))
    if (!(name in before)) Reflect.deleteProperty(process.env, name);
});

it.each([
  ['RPC_URL_1', 'https://fine.example, ftp://key@node.example', ChainConfig],
  ['CHAINS', '[{"id":"1"}]', ChainConfig],
  ['PUBLIC_RPC', 'yes', ChainConfig],
  ['CALLBACK_ALLOW_CIDRS', '127.1/8', SafeFetcherConfig],
  ['CALLBACK_ALLOW_CIDRS', '10.0.0.0', SafeFetcherConfig],
  ['CALLBACK_KEY_SECRET', 'key@', CallbackKeyConfig],
  [
    'WATCHED_TOKENS',
    '[{"chainId":8000000000101,"contractAddress":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"}]',
    WatchedTokensConfig,
  ],
  [
    'WATCHED_TOKENS',
    '[{"chainId":1,"contractAddress":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v","cashtag":"$X"}]',
    WatchedTokensConfig,
  ],
  ['CALLBACK_KEY_SECRET', 'dG9vIHNob3J0', CallbackKeyConfig],
])(
  'configuration of token-gating: %s=%s is refused, and the message names the variable without its secret',
  (name, value, Config) => {
    process.env[name] = value;
    let message = '';
    try {
      new Config();
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toContain(name);
    expect(message).not.toContain('key@');
  },
);

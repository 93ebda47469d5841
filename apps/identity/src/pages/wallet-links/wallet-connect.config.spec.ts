import { describe, expect, it } from '@jest/globals';
import { walletConnectConfigSchema } from './wallet-connect.config.js';

const relay = (url: string) => walletConnectConfigSchema.safeParse({ WALLETCONNECT_RELAY_URL: url }).success;

describe('the configuration of WalletConnect', () => {
  it('walletConnectConfigSchema: is off by itself, and then names the public relay', () => {
    expect(walletConnectConfigSchema.parse({})).toEqual({
      WALLETCONNECT_RELAY_URL: 'wss://relay.walletconnect.org',
    });
  });

  it('walletConnectConfigSchema: takes origins only, and unencrypted ones on this machine only', () => {
    for (const url of ['wss://relay.example', 'wss://relay.example:8443', 'ws://127.0.0.1:7000'])
      expect([url, relay(url)]).toEqual([url, true]);
    for (const url of [
      'ws://relay.example',
      'https://relay.example',
      'wss://relay.example/',
      'wss://relay.example/path',
      'wss://relay.example?a=b',
      'wss://a:b@relay.example',
      'wss://relay.example; script-src *',
    ])
      expect([url, relay(url)]).toEqual([url, false]);
  });

  it('walletConnectConfigSchema: refuses a project id that is none', () => {
    for (const id of ['', 'project', 'A'.repeat(32), `${'a'.repeat(32)} `])
      expect(walletConnectConfigSchema.safeParse({ WALLETCONNECT_PROJECT_ID: id }).success).toBe(false);
  });
});

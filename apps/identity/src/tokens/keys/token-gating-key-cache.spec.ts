import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { InternalSigningKey } from '@app/auth';
import { pino } from 'pino';
import { TokenGatingKeyCache } from './token-gating-key-cache.js';
import { TokenGatingClient } from '../../clients/token-gating-client.js';

const key = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: 'k'.repeat(43), x: 'x'.repeat(43) };

describe('TokenGatingKeyCache', () => {
  let server: Server;
  let client: TokenGatingClient;
  let keys: TokenGatingKeyCache;
  let requests: number;
  let status: number;
  let now: number;

  beforeEach(async () => {
    [requests, status, now] = [0, 200, 1_000_000];
    server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(status).end(JSON.stringify({ keys: [key] }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    client = new TokenGatingClient({
      INTERNAL_SIGNING_KEY: { ...jwk, kid: 'identity' } as InternalSigningKey,
      TOKEN_GATING_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    keys = new TokenGatingKeyCache(client, pino({ level: 'silent' }), () => now);
  });

  afterEach(async () => {
    await client.onApplicationShutdown();
    server.close();
    await once(server, 'close');
  });

  it('TokenGatingKeyCache: loads keys once per refresh interval, also for concurrent calls', async () => {
    await Promise.all([keys.getKeys(), keys.getKeys()]);
    now += 29_000;
    await keys.getKeys();
    expect(requests).toBe(1);
    now += 1_000;
    expect(await keys.getKeys()).toEqual({ keys: [key], claimKeys: [] });
    expect(requests).toBe(2);
  });

  it('TokenGatingKeyCache: returns the last keys while token-gating is unavailable', async () => {
    await keys.getKeys();
    status = 503;
    now += 30_000;
    expect(await keys.getKeys()).toEqual({ keys: [key], claimKeys: [] });
    expect(await keys.getKeys()).toEqual({ keys: [key], claimKeys: [] });
    expect(requests).toBe(2);
  });

  it('TokenGatingKeyCache: returns undefined until token-gating has answered once', async () => {
    status = 503;
    expect(await keys.getKeys()).toBeUndefined();
    status = 200;
    expect(await keys.getKeys()).toBeUndefined();
    now += 2_000;
    expect(await keys.getKeys()).toEqual({ keys: [key], claimKeys: [] });
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { createSignInNonce, decryptAeToken, encryptAeToken } from '@app/auth';
import { type Database, createDatabase } from '@app/database';
import { tokenKeys } from '@app/dto';
import { calculateJwkThumbprint, createLocalJWKSet, importJWK, jwtVerify, SignJWT } from 'jose';
import { pino } from 'pino';
import { storage } from '../../apps/identity/src/database/storage.js';
import { createTokenKeyStore, TOKEN_KEY_USES } from '../../apps/identity/src/tokens/keys/key-material.js';
import { TokenKeysService } from '../../apps/identity/src/tokens/keys/token-keys.service.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { runningApp } from '../support/running-app.js';
import { GATEWAY_ITSELF, identityUnderTest } from './identity-under-test.js';
import { loadConfig } from '@app/config';
import { identityConfigSchema } from '../../apps/identity/src/common/identity.config.js';
import { queryDatabase } from './query-database.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const secret = randomBytes(32);
const config = {
  ACCESS_TOKEN_LIFETIME_SECONDS: 3_600,
  TOKEN_KEY_SECRET: secret,
  TOKEN_KEY_LIFETIME_MS: 90 * DAY,
  TOKEN_KEY_PUBLISH_AHEAD_MS: DAY,
};
const logger = pino({ level: 'silent' });

describe('token keys', () => {
  let fresh: FreshDatabase;
  let database: Database;
  let now: number;

  beforeAll(async () => {
    fresh = await freshDatabase('identity');
    const { env } = await identityUnderTest(fresh.url);
    database = createDatabase(storage, loadConfig(identityConfigSchema, env), { name: 'identity', logger });
    await database.connect();
  });

  afterAll(async () => {
    await database.close();
    await fresh.drop();
  });

  beforeEach(async () => {
    now = Date.UTC(2026, 0, 1);
    await queryDatabase(fresh.url, 'DELETE FROM identity.token_keys');
  });

  const instance = async (keySecret = secret) => {
    const store = createTokenKeyStore(database, { ...config, TOKEN_KEY_SECRET: keySecret });
    const keys = new TokenKeysService(store, logger, () => now);
    await keys.refresh();
    return keys;
  };

  const accessKeys = (keys: TokenKeysService) => keys.getGatewayKeys().access.map(({ kid }) => kid);

  it('token keys: are created at the first start, one per use, with unique ids', async () => {
    const keys = await instance();
    const kids = [
      ...(['access', 'id-rs256', 'id-es256'] as const).map((use) => keys.getSigningKey(use).kid),
      keys.getSealingKey().kid,
      keys.getNonceKey().kid,
    ];
    expect(new Set(kids).size).toBe(5);
    expect(keys.getNonceKey().kid).toMatch(/^[0-9A-Za-z]{8}$/);
    for (const jwk of keys.getPublicKeys()) {
      expect(jwk.kid).toBe(await calculateJwkThumbprint(jwk));
      expect(Object.keys(jwk)).not.toContain('d');
    }
    expect(keys.findAeKey(keys.getNonceKey().kid)).toBeUndefined();
    expect(keys.findNonceKey(keys.getSealingKey().kid)).toBeUndefined();
  });

  it.each(['access', 'id-rs256', 'id-es256'] as const)(
    'token keys for %s: sign tokens that verify with the public keys',
    async (use) => {
      const keys = await instance();
      const { kid, alg, privateKey } = keys.getSigningKey(use);
      const token = await new SignJWT({}).setProtectedHeader({ alg, kid }).sign(privateKey);
      const { protectedHeader } = await jwtVerify(token, createLocalJWKSet({ keys: keys.getPublicKeys() }));
      expect(protectedHeader).toEqual({ alg: use === 'id-rs256' ? 'RS256' : 'ES256', kid });
    },
  );

  it('token keys: are published a day ahead, used for their lifetime, and kept until their tokens have expired', async () => {
    const keys = await instance();
    const at = async (time: number) => {
      now = time;
      await keys.refresh();
      return { published: accessKeys(keys), signing: keys.getSigningKey('access').kid };
    };
    const start = now;
    const { signing: first } = await at(start);
    expect(await at(start + 89 * DAY - 1)).toEqual({ published: [first], signing: first });
    const [, second = ''] = (await at(start + 89 * DAY)).published;
    expect(await at(start + 90 * DAY - 1)).toEqual({ published: [first, second], signing: first });
    const both = [first, second];
    expect(await at(start + 90 * DAY)).toEqual({ published: both, signing: second });
    // An hour of overlap, an hour of token lifetime, and ten minutes of margin.
    expect(await at(start + 90 * DAY + 2 * HOUR + 599_999)).toEqual({ published: both, signing: second });
    expect(await at(start + 90 * DAY + 2 * HOUR + 600_000)).toEqual({ published: [second], signing: second });
    // Nonces are valid for a day.
    expect(keys.getGatewayKeys().nonce).toHaveLength(2);
    await at(start + 92 * DAY);
    expect(keys.getGatewayKeys().nonce).toHaveLength(1);
  });

  it('token keys: change at the scheduled time without the database, and decrypt what their predecessors encrypted', async () => {
    const keys = await instance();
    const before = keys.getSealingKey();
    const nonce = keys.getNonceKey();
    now += 89 * DAY;
    await keys.refresh();
    expect(keys.getSealingKey()).toEqual(before);
    now += DAY;
    expect(keys.getSealingKey().kid).not.toBe(before.kid);
    expect(keys.findAeKey(before.kid)).toEqual(before.key);
    expect(keys.findNonceKey(nonce.kid)).toEqual(nonce.key);
  });

  it('token keys: are created once by concurrent instances', async () => {
    const instances = await Promise.all(Array.from({ length: 6 }, () => instance()));
    const kids = instances.map((keys) => [
      accessKeys(keys),
      keys.getSealingKey().kid,
      keys.getNonceKey().kid,
    ]);
    for (const instanceKids of kids) expect(instanceKids).toEqual(kids[0]);
    now += 89 * DAY;
    await Promise.all(instances.map((keys) => keys.refresh()));
    const rows = await queryDatabase(
      fresh.url,
      'SELECT use, count(*)::int AS keys FROM identity.token_keys GROUP BY use ORDER BY use',
    );
    expect(rows).toEqual([...TOKEN_KEY_USES].sort().map((use) => ({ use, keys: 2 })));
  });

  it('token keys: stay few at the shortest lifetime', async () => {
    const shortest = { ...config, TOKEN_KEY_LIFETIME_MS: 4 * HOUR, TOKEN_KEY_PUBLISH_AHEAD_MS: HOUR };
    const store = createTokenKeyStore(database, shortest);
    const keys = new TokenKeysService(store, logger, () => now);
    for (let hour = 0; hour < 24; hour += 1) {
      await keys.refresh();
      expect(keys.getGatewayKeys().nonce.length).toBeLessThan(16);
      now += HOUR;
    }
  });

  it('token keys: are encrypted at rest, each bound to its row', async () => {
    const keys = await instance();
    const stored = (await queryDatabase(fresh.url, 'SELECT kid, use, sealed FROM identity.token_keys')) as {
      kid: string;
      use: string;
      sealed: Buffer;
    }[];
    const { d = '' } = keys.getSigningKey('access').privateKey.export({ format: 'jwk' });
    const secrets = [Buffer.from(d, 'base64url'), keys.getSealingKey().key, keys.getNonceKey().key];
    for (const { sealed } of stored) for (const bytes of secrets) expect(sealed.includes(bytes)).toBe(false);
    // An AE key in the row of a nonce key does not decrypt.
    await queryDatabase(
      fresh.url,
      `UPDATE identity.token_keys SET sealed = (SELECT sealed FROM identity.token_keys WHERE use = 'ae') WHERE use = 'nonce'`,
    );
    await keys.refresh();
    expect(keys.getGatewayKeys().nonce.map(({ k }) => k)).not.toContain(
      keys.getSealingKey().key.toString('base64url'),
    );
  });

  it('token keys: are ignored when they were not encrypted with the secret', async () => {
    const keys = await instance();
    const [{ sealed }] = (await queryDatabase(
      fresh.url,
      `SELECT sealed FROM identity.token_keys WHERE use = 'access'`,
    )) as [{ sealed: Buffer }];
    const trusted = accessKeys(keys);
    for (const bytes of [randomBytes(200), sealed])
      await queryDatabase(
        fresh.url,
        `INSERT INTO identity.token_keys (kid, use, sealed, published_at, signs_from)
         VALUES ($1, 'access', $2, now(), now() - interval '1 day')`,
        [randomBytes(8).toString('hex'), bytes],
      );
    await keys.refresh();
    expect(accessKeys(keys)).toEqual(trusted);
  });

  it('token keys: are created under another secret without replacing the existing ones', async () => {
    const [before, after] = [await instance(), await instance(randomBytes(32))];
    expect(accessKeys(after)).not.toEqual(accessKeys(before));
    const token = encryptAeToken(claims, after.getSealingKey());
    for (let round = 0; round < 3; round += 1) {
      await before.refresh();
      await after.refresh();
    }
    expect(decryptAeToken(token, (kid) => after.findAeKey(kid))).toEqual(claims);
    expect(decryptAeToken(token, (kid) => before.findAeKey(kid))).toBeUndefined();
    const [{ count }] = (await queryDatabase(fresh.url, 'SELECT count(*)::int FROM identity.token_keys')) as [
      { count: number },
    ];
    expect(count).toBe(2 * TOKEN_KEY_USES.length);
  });

  it('token keys: throw before the first load', () => {
    const store = createTokenKeyStore(database, config);
    const keys = new TokenKeysService(store, logger);
    for (const ask of [
      () => keys.getSigningKey('access'),
      () => keys.getSealingKey(),
      () => keys.getPublicKeys(),
    ])
      expect(ask).toThrow(/not loaded yet/);
    expect(() => {
      keys.checkLoaded();
    }).toThrow(/not loaded/);
  });
});

const claims = {
  iss: 'http://localhost:3000',
  sub: 'user_1',
  aud: 'http://localhost:3000',
  iat: 1,
  exp: 2,
  jti: 'a',
  client_id: 'client_1',
  scope: '$public',
  wallet: 'eip155:1:0x0000000000000000000000000000000000000000',
};

it('token keys: serves the token keys to the gateway only', async () => {
  const database = await freshDatabase('identity');
  const identity = await identityUnderTest(database.url);
  const app = await runningApp('identity', identity.env);
  try {
    const answer = await identity.get('/internal/token-keys', GATEWAY_ITSELF);
    expect(answer.status).toBe(200);
    const keys = tokenKeys.parse(await answer.json());
    expect([keys.access.length, keys.ae.length, keys.nonce.length]).toEqual([1, 1, 1]);
    for (const jwk of keys.access) await importJWK(jwk, 'ES256');
    const [key] = keys.nonce;
    const nonce = createSignInNonce(
      { purpose: 'login', clientId: 'a', text: 'b' },
      { kid: key?.kid ?? '', key: Buffer.from(key?.k ?? '', 'base64url') },
    );
    expect(nonce).toMatch(/^[0-9A-Za-z]{47}$/);
    for (const name of ['token-gating', 'analytics', 'account-kit']) {
      const token = await identity.tokenFor({ kind: 'service', name }, name);
      const refused = await fetch(`${app.url}/internal/token-keys`, {
        headers: { 'x-gatehouse-principal': token },
      });
      expect(refused.status).toBe(403);
      expect(await refused.text()).not.toContain('"k"');
    }
    expect((await identity.get('/internal/token-keys', { kind: 'anonymous' })).status).toBe(403);
    const secrets = [...keys.ae, ...keys.nonce].map(({ k }) => k);
    expect(app.logLines.filter((line) => secrets.some((k) => line.includes(k)))).toEqual([]);
  } finally {
    expect(await app.stop()).toBe(0);
    await database.drop();
  }
});

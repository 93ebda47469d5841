import { createHash, createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { type Database, createDatabase } from '@app/database';
import { pino } from 'pino';
import {
  CallbackKeyRing,
  createCallbackKeyStore,
} from '../../apps/token-gating/src/callbacks/callback-key-ring.js';
import { storage } from '../../apps/token-gating/src/database/storage.js';
import { queryDatabase } from '../identity/query-database.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { GatingApp } from './gating-app.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const config = {
  CALLBACK_KEY_SECRET: randomBytes(32),
  CALLBACK_KEY_LIFETIME_MS: 90 * DAY,
  CALLBACK_KEY_PUBLISH_AHEAD_MS: DAY,
  CALLBACK_KEY_OVERLAP_MS: DAY,
};
const logger = pino({ level: 'silent' });

describe('callback keys', () => {
  let fresh: FreshDatabase;
  let database: Database;
  let now: number;

  beforeAll(async () => {
    fresh = await freshDatabase('token-gating');
    const settings = { DATABASE_URL: fresh.url, DATABASE_POOL_SIZE: 5, DATABASE_STATEMENT_TIMEOUT_MS: 5_000 };
    database = createDatabase(storage, settings, { name: 'token-gating', logger });
    await database.connect();
  });

  afterAll(async () => {
    await database.close();
    await fresh.drop();
  });

  beforeEach(async () => {
    now = Date.UTC(2026, 0, 1);
    await queryDatabase(fresh.url, 'DELETE FROM token_gating.callback_keys');
  });

  const instance = (secret = config.CALLBACK_KEY_SECRET) => {
    const store = createCallbackKeyStore(database, { ...config, CALLBACK_KEY_SECRET: secret });
    return new CallbackKeyRing(store, logger, () => now);
  };
  const published = (keys: CallbackKeyRing) => keys.getPublicKeys().keys.map(({ kid }) => kid);
  const signing = (keys: CallbackKeyRing) => keys.getSigningKeys().map(({ kid }) => kid);

  it('callback keys: are published before they sign, overlap, and are removed', async () => {
    const keys = instance();
    const at = async (time: number) => {
      now = time;
      await keys.refresh();
      return { published: published(keys), signing: signing(keys) };
    };
    const start = now;
    const [first = ''] = (await at(start)).published;
    expect(await at(start)).toEqual({ published: [first], signing: [first] });
    expect((await at(start + 89 * DAY - 1)).published).toEqual([first]);
    const [, second = ''] = (await at(start + 89 * DAY)).published;
    expect(await at(start + 90 * DAY - 1)).toEqual({ published: [first, second], signing: [first] });
    expect(await at(start + 90 * DAY)).toEqual({ published: [first, second], signing: [first, second] });
    expect(await at(start + 91 * DAY - 1)).toEqual({ published: [first, second], signing: [first, second] });
    expect(await at(start + 91 * DAY)).toEqual({ published: [second], signing: [second] });
    // A new instance loads the same keys.
    const another = instance();
    await another.refresh();
    expect(signing(another)).toEqual([second]);
  });

  it('callback keys: switch by the clock without another database query', async () => {
    const keys = instance();
    await keys.refresh();
    now += 89 * DAY;
    await keys.refresh();
    expect(signing(keys)).toHaveLength(1);
    now += DAY;
    expect(signing(keys)).toHaveLength(2);
    now += DAY;
    expect(signing(keys)).toHaveLength(1);
  });

  it('callback keys: are created once by concurrent instances', async () => {
    const instances = Array.from({ length: 10 }, () => instance());
    for (const pause of [0, 89 * DAY, 2 * DAY]) {
      now += pause;
      await Promise.all(instances.map((one) => one.refresh()));
      for (const one of instances) expect(published(one)).toEqual(published(instances[0] ?? one));
    }
    const rows = await queryDatabase(
      fresh.url,
      'SELECT count(*)::int AS rows FROM token_gating.callback_keys',
    );
    expect(rows).toEqual([{ rows: 1 }]);
  });

  it('callback keys: have their thumbprint as id, and signatures verify with the published key', async () => {
    const keys = instance();
    await keys.refresh();
    const [{ kty, crv, x, kid, use, alg } = { kty: '', crv: '', x: '', kid: '', use: '', alg: '' }] =
      keys.getPublicKeys().keys;
    expect([use, alg]).toEqual(['sig', 'EdDSA']);
    const members = `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`;
    expect(kid).toBe(createHash('sha256').update(members).digest('base64url'));
    const [{ privateKey } = { privateKey: undefined }] = keys.getSigningKeys();
    if (!privateKey) throw new Error('no key signs');
    const signature = sign(null, Buffer.from('body'), privateKey);
    const publicKey = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
    expect(verify(null, Buffer.from('body'), publicKey, signature)).toBe(true);
  });

  it('callback keys: are encrypted in the database', async () => {
    const keys = instance();
    await keys.refresh();
    const [{ privateKey } = { privateKey: undefined }] = keys.getSigningKeys();
    const { d = '' } = privateKey?.export({ format: 'jwk' }) ?? {};
    const [row] = await queryDatabase(fresh.url, 'SELECT * FROM token_gating.callback_keys');
    const { sealed_private_key: sealed } = row as { sealed_private_key: Buffer };
    expect(sealed.includes(Buffer.from(d, 'base64url'))).toBe(false);
    expect(sealed).toHaveLength(12 + 16 + 32);
    expect(JSON.stringify(row)).not.toContain(d);
  });

  it('callback keys: are created anew under another secret', async () => {
    const [before, after] = [instance(), instance(randomBytes(32))];
    await before.refresh();
    await after.refresh();
    expect(published(after)).toHaveLength(2);
    expect(signing(after)).not.toEqual(signing(before));
    // An instance with the old secret keeps signing and creates no further keys.
    await before.refresh();
    expect(published(before)).toEqual(published(after));
    expect(signing(before)).toHaveLength(1);
    now += DAY;
    await after.refresh();
    expect(published(after)).toEqual(signing(after));
  });

  it('callback keys: are unavailable before they are loaded', () => {
    expect(() => instance().getSigningKeys()).toThrow(/not loaded yet/);
    expect(() => {
      instance().checkLoaded();
    }).toThrow(/not loaded/);
  });
});

describe('the app', () => {
  it('app: serves its public keys to other apps only', async () => {
    const gating = await GatingApp.start({});
    try {
      expect((await gating.request('GET', '/internal/jwks')).status).toBe(403);
      const ready = (await (await fetch(`${gating.app.managementUrl}/health/ready`)).json()) as object;
      expect(ready).toMatchObject({ checks: { database: 'ok', 'callback-keys': 'ok' } });
    } finally {
      await gating.stop();
    }
  });
});

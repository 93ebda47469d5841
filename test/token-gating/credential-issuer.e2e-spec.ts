import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import { queryDatabase } from '../identity/query-database.js';
import { until } from '../support/until.js';
import { GatingApp } from './gating-app.js';

const PUBLIC_URL = 'http://localhost:3000';
const anonymous: Principal = { kind: 'anonymous' };

let gating: GatingApp;

beforeAll(async () => {
  gating = await GatingApp.start({});
});

afterAll(async () => {
  await gating.stop();
});

const ask = (path: string) => gating.request('GET', path, undefined, {}, anonymous);

describe('CredentialIssuerController', () => {
  it('getIssuer: publishes one public ES256 key by value and no private part', async () => {
    // Keys load beside the start, because role checks need none.
    await until('the keys are loaded', async () => (await ask('/.well-known/jwt-vc-issuer')).status !== 503);
    const { status, headers, body } = await ask('/.well-known/jwt-vc-issuer');
    expect({ status, cache: headers.get('cache-control') }).toEqual({
      status: 200,
      cache: 'public, max-age=300',
    });
    const key = { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' };
    const text = expect.stringMatching(/^[\w-]{43}$/);
    expect(body).toEqual({ issuer: PUBLIC_URL, jwks: { keys: [{ ...key, kid: text, x: text, y: text }] } });
  });

  it('getIssuer: keys are sealed at rest', async () => {
    const sql = `SELECT position('\\x020101'::bytea IN sealed) AS "found" FROM token_gating.credential_keys`;
    expect(await queryDatabase(gating.databaseUrl, sql)).toEqual([{ found: 0 }]);
  });

  it('getType: answers the metadata whose vct is its own URL', async () => {
    const { status, body } = await ask('/credential-types/asset-ownership');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      vct: `${PUBLIC_URL}/credential-types/asset-ownership`,
      name: 'Asset ownership',
    });
  });

  it('getType: refuses an unknown type with 400', async () => {
    expect((await ask('/credential-types/nothing')).status).toBe(400);
  });

  it.each(['1', '2147483647'])(
    'getStatusList: answers 404 for the list %s, which does not exist',
    async (list) => {
      const { status, headers } = await ask(`/credential-status-lists/${list}`);
      expect(status).toBe(404);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    },
  );

  it.each(['0', '-1', '1.5', '2147483648', '99999999999', 'x'])(
    'getStatusList: refuses the list %s with 400',
    async (list) => {
      expect((await ask(`/credential-status-lists/${list}`)).status).toBe(400);
    },
  );
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { spawnApp } from '../support/running-app.js';
import { freePort } from '../../scripts/processes/ports.mjs';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import { queryDatabase } from '../identity/query-database.js';
import { GatingApp } from './gating-app.js';

let gating: GatingApp;

beforeAll(async () => {
  gating = await GatingApp.start({});
});

afterAll(async () => {
  await gating.stop();
});

it('token-gating: is ready without any node', async () => {
  expect((await fetch(`${gating.app.managementUrl}/health/ready`)).status).toBe(200);
});

it('token-gating: shares nine connections among its queues on PostgreSQL, beside one for each worker that listens', async () => {
  const rows = await queryDatabase(
    gating.databaseUrl,
    `SELECT count(*)::int AS connections FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'token-gating queues'`,
  );
  const [{ connections = 0 } = {}] = rows as { connections?: number }[];
  expect(connections).toBeGreaterThan(0);
  expect(connections).toBeLessThanOrEqual(9);
});

it('token-gating: rejects requests that do not come from the gateway', async () => {
  const response = await fetch(`${gating.app.url}/access-control/check-roles`, {
    method: 'POST',
    body: '{}',
  });
  expect(response.status).toBe(401);
});

it('token-gating: rejects an unknown format of a verification token', async () => {
  expect((await gating.request('POST', '/asset-verification?format=xml')).status).toBe(400);
});

// All others: invalid-configuration.spec.ts.
it.each([
  ['RPC_URL_1', 'https://fine.example, ftp://key@node.example'],
  ['CALLBACK_KEY_SECRET', 'key@'],
])(
  'token-gating: does not start with %s=%s, and names the variable without its secret',
  async (name, value) => {
    const PORT = String(await freePort());
    const MANAGEMENT_PORT = String(await freePort());
    const { signing, keySet, callbackKeySecret, opaqueTokenSecret } = makeSecrets([
      'gateway',
      'token-gating',
    ]);
    const app = spawnApp('token-gating', {
      PORT,
      MANAGEMENT_PORT,
      INTERNAL_KEYS: JSON.stringify(keySet),
      INTERNAL_SIGNING_KEY: JSON.stringify(signing['token-gating']),
      GATEWAY_URL: 'http://127.0.0.1:1',
      IDENTITY_URL: 'http://127.0.0.1:1',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
      CALLBACK_KEY_SECRET: callbackKeySecret,
      OPAQUE_TOKEN_SECRET: opaqueTokenSecret,
      PUBLIC_URL: 'http://localhost:3000',
      [name]: value,
    });
    const [code] = (await once(app.process, 'close')) as [number];
    const log = app.logLines.join('\n');
    expect(code).toBe(78);
    expect(log).toContain(name);
    expect(log).not.toContain('key@');
  },
);

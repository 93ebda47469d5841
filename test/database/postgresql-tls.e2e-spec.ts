import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateCommands } from '../../scripts/postgres/migrations.mjs';
import { root } from '../../scripts/build/project.mjs';
import { databasePool } from '../support/database-pool.js';
import { LocalPostgres } from '../support/local-postgres.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { selfSigned } from '../support/self-signed.js';

const run = promisify(execFile);
const shared = process.env['TEST_DATABASE_URL'];

/** A managed PostgreSQL: encrypted, with a certificate of an authority that Node does not know. */
describe('PostgreSQL with TLS', () => {
  let server: LocalPostgres;
  let folder: string;
  let ca: string;
  let suite: RunningSuite | undefined;
  const urlOf = (url: string, parameters: Record<string, string>): string => {
    const changed = new URL(url);
    for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value);
    return changed.href;
  };
  beforeAll(async () => {
    const tls = selfSigned('127.0.0.1');
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-tls-'));
    ca = join(folder, 'ca.crt');
    writeFileSync(ca, tls.cert);
    server = await LocalPostgres.start({}, tls);
  });
  afterAll(async () => {
    await suite?.stop();
    process.env['TEST_DATABASE_URL'] = shared;
    await server.stop();
    await rm(folder, { recursive: true });
  });

  const migrate = (env: NodeJS.ProcessEnv) => {
    const [command] = migrateCommands(root);
    return run(process.execPath, [command?.file ?? ''], { env: { PATH: process.env['PATH'], ...env } });
  };

  it('migrate: refuses a certificate of an authority that it does not know, with sslmode=verify-full', async () => {
    const refused = migrate({ DATABASE_URL: urlOf(server.url, { sslmode: 'verify-full' }) });
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringMatching(/certificate/) });
  });

  it('migrate: trusts the authority in NODE_EXTRA_CA_CERTS, as the component ca-certificates sets it', async () => {
    const DATABASE_URL = urlOf(server.url, { sslmode: 'verify-full' });
    await expect(migrate({ DATABASE_URL, NODE_EXTRA_CA_CERTS: ca })).resolves.toMatchObject({ stderr: '' });
  });

  it('DATABASE_URL: with sslmode=verify-full and an authority every connection of every app is encrypted', async () => {
    // The test itself connects with sslrootcert, because Node reads NODE_EXTRA_CA_CERTS at its start.
    process.env['TEST_DATABASE_URL'] = urlOf(server.url, { sslmode: 'verify-full', sslrootcert: ca });
    const nowhere = 'http://127.0.0.1:1';
    suite = await runningSuite({
      with: ['account-kit', 'analytics'],
      rpcUrls: { 1: nowhere },
      env: { NODE_EXTRA_CA_CERTS: ca, PLATFORM_CHAT_URL: nowhere },
    });
    const pool = databasePool(suite.databaseUrl);
    const { rows } = await pool.query<{ name: string; ssl: boolean }>(
      `SELECT DISTINCT application_name AS name, ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
       WHERE backend_type = 'client backend'`,
    );
    await pool.end();
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['identity', 'token-gating', 'account-kit', 'analytics']),
    );
    expect(rows.filter(({ ssl }) => !ssl)).toEqual([]);
  }, 120_000);
});

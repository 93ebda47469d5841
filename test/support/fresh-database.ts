import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { migrateCommands } from '../../scripts/postgres/migrations.mjs';
import { root } from '../../scripts/build/project.mjs';
import { databasePool } from './database-pool.js';

const run = promisify(execFile);
const MIGRATE_MS = 60_000;
const TEMPLATE_LOCK = 7_402_116;

/** A database of one test's own. */
export interface FreshDatabase {
  url: string;
  drop: () => Promise<void>;
}

/**
 * Makes a database with the schemas of these apps, and that of queues. It is a copy of a template, which the first caller
 * migrates with the built migrate commands; so it costs a few dozen milliseconds. Without apps it has no schema at all.
 * Needs TEST_DATABASE_URL, which `npm test` sets.
 */
export async function freshDatabase(...apps: string[]): Promise<FreshDatabase> {
  const template = await templateOf([...apps].sort());
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying its files takes half of what logging its pages does.
  await admin().query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return {
    url: databaseUrl(name),
    drop: async () => {
      await admin().query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Pools by URL, because a test may start a server of its own. */
const pools = new Map<string, pg.Pool>();
const templates = new Map<string, Promise<string>>();

/** The pool of this process for administration of the server. */
function admin(): pg.Pool {
  const url = adminUrl();
  const pool =
    pools.get(url) ?? databasePool(url, { connectionTimeoutMillis: 30_000, allowExitOnIdle: true });
  pools.set(url, pool);
  return pool;
}

function templateOf(apps: string[]): Promise<string> {
  const key = [adminUrl(), ...apps].join();
  const template = templates.get(key) ?? withConnection((connection) => ensureTemplate(connection, apps));
  templates.set(key, template);
  return template;
}

async function ensureTemplate(connection: pg.PoolClient, apps: string[]): Promise<string> {
  const template = `template_${fingerprint(apps)}`;
  await connection.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  const { rowCount } = await connection.query('SELECT FROM pg_database WHERE datname = $1', [template]);
  if (rowCount === 0) {
    const unfinished = `${template}_unfinished`;
    await connection.query(`DROP DATABASE IF EXISTS ${unfinished}`);
    await connection.query(`CREATE DATABASE ${unfinished}`);
    await migrate(apps, databaseUrl(unfinished));
    if (apps.length > 0) await createQueueSchema(databaseUrl(unfinished));
    await connection.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`);
  }
  return template; // the lock goes with the connection
}

async function migrate(apps: string[], url: string): Promise<void> {
  for (const { app, file } of migrateCommands(root)) {
    if (!apps.includes(app)) continue;
    const env = { ...process.env, NODE_ENV: 'test', DATABASE_URL: url, NODE_OPTIONS: '' };
    await run(process.execPath, [file], { env, timeout: MIGRATE_MS });
  }
}

/** Creates the schema as the first app that starts does: for each database anew, that took a tenth of a second. */
async function createQueueSchema(url: string): Promise<void> {
  const { runMigrations } = await import('bullmq'); // few workers make a template
  const pool = databasePool(url);
  const connection = await pool.connect();
  try {
    await runMigrations(connection, 'queue');
  } finally {
    connection.release();
    await pool.end();
  }
}

/** Names the built code, so that a server that is kept between runs never hands out an outdated template. */
function fingerprint(apps: string[]): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'node_modules/bullmq/package.json')));
  for (const folder of [...apps.map((app) => join('apps', app)), join('libs', 'database')])
    for (const file of builtFiles(join(root, 'dist', folder))) hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 24);
}

function builtFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .sort()
    .map((name) => join(folder, name));
}

/** A connection that is closed afterwards, and its locks with it. */
async function withConnection<T>(work: (connection: pg.PoolClient) => Promise<T>): Promise<T> {
  const connection = await admin().connect();
  try {
    return await work(connection);
  } finally {
    connection.release(true);
  }
}

function databaseUrl(name: string): string {
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  return url.href;
}

function adminUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (url === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests with `npm test`.');
  return url;
}

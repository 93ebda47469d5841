import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { idsOf, QueueWorld, someJobs, until } from './queue-world.js';
import type { TestApp } from './test-app-process.js';

describe('the queue schema in PostgreSQL', () => {
  let world: QueueWorld;
  let admin: pg.Client;
  const roles: string[] = [];

  beforeEach(async () => {
    world = await QueueWorld.make('postgres');
    admin = new pg.Client({ connectionString: world.database.url });
    await admin.connect();
  });

  afterEach(async () => {
    await admin.end();
    const { url } = world.database;
    await world.stop();
    await dropRoles(url);
  });

  const dropRoles = async (url: string): Promise<void> => {
    const server = new URL(url);
    server.pathname = '/postgres';
    const client = new pg.Client({ connectionString: server.href });
    await client.connect();
    for (const role of roles.splice(0)) await client.query(`DROP ROLE ${role}`);
    await client.end();
  };

  const asRole = async (): Promise<{ role: string; env: Record<string, string> }> => {
    const role = `queues_${randomBytes(6).toString('hex')}`;
    roles.push(role);
    await admin.query(`CREATE ROLE ${role} LOGIN NOSUPERUSER PASSWORD 'pass'`);
    const url = new URL(world.database.url);
    url.username = role;
    url.password = 'pass';
    return { role, env: { QUEUE_DATABASE_URL: url.href } };
  };

  const isReady = (app: TestApp) => async () => (await app.health('ready')) === 200;

  const expectWorking = async (app: TestApp): Promise<void> => {
    await until('ready', isReady(app));
    const jobs = someJobs(10);
    expect(await app.enqueue(jobs)).toEqual({ status: 200 });
    await until('done', async () => {
      const effects = await world.effects();
      return idsOf(jobs).every((id) => effects.includes(id));
    });
  };

  it('queue schema in PostgreSQL: is created once by apps that start together', async () => {
    const apps = await Promise.all(['one', 'two', 'three'].map((name) => world.app(name)));
    await Promise.all(apps.map(expectWorking));
    const warnings = apps
      .flatMap(({ logLines }) => logLines)
      // An app that stood still while it started may be late to connect.
      .filter((line) => line.includes('"level":"warn"') && !/timeout|timed out/i.test(line));
    expect(warnings).toEqual([]);
  });

  it('queue schema in PostgreSQL: can be created by a role that is no superuser, and used by one without any CREATE privilege', async () => {
    const owner = await asRole();
    const user = await asRole();
    const { rows } = await admin.query<{ name: string }>('SELECT current_database() AS name');
    await admin.query(`GRANT CREATE ON DATABASE ${rows[0]?.name ?? ''} TO ${owner.role}`);

    const early = await world.app('early', user.env);
    await until('logged', () =>
      Promise.resolve(early.logLines.some((line) => line.includes('permission denied for database'))),
    );
    expect(await early.health('ready')).toBe(503);

    await expectWorking(await world.app('owner', owner.env));
    await admin.query(`GRANT USAGE ON SCHEMA queue TO ${user.role}`);
    await admin.query(`GRANT ALL ON ALL TABLES IN SCHEMA queue TO ${user.role}`);
    await admin.query(`GRANT ALL ON ALL SEQUENCES IN SCHEMA queue TO ${user.role}`);
    await expectWorking(early);
  });
});

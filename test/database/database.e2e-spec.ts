import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { createDataSource, Database, StatementError } from '@app/database';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { freePort } from '../../scripts/local/ports.mjs';
import { queryDatabase } from '../identity/query-database.js';
import { type TcpForwarder, tcpForwarder } from '../identity/tcp-forwarder.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';

const UNAVAILABLE = { statusCode: 503, details: { code: 'database_unavailable', retryAfter: 1 } };

describe('Database', () => {
  let server: FreshDatabase;
  let way: TcpForwarder;
  let url: string;
  let database: Database;
  let lost = 0;

  beforeAll(async () => {
    server = await freshDatabase();
    await queryDatabase(
      server.url,
      'CREATE TABLE notes (id int CONSTRAINT notes_pkey PRIMARY KEY, text text)',
    );
  });

  beforeEach(async () => {
    const target = new URL(server.url);
    const port = await freePort();
    way = tcpForwarder(port, { host: target.hostname, port: Number(target.port || 5432) });
    await way.open();
    target.host = `127.0.0.1:${String(port)}`;
    url = target.href;
    database = open();
    await database.connect();
    lost = 0;
    await queryDatabase(server.url, 'TRUNCATE notes');
  });

  afterEach(async () => {
    await database.close();
    await way.close();
  });

  afterAll(async () => {
    await server.drop();
  });

  const open = (): Database =>
    new Database(
      createDataSource({
        url,
        schema: 'public',
        entities: [],
        migrations: [],
        poolSize: 2,
        applicationName: 'database-test',
        onConnectionLost: () => {
          lost += 1;
        },
        statementTimeoutMs: 400,
      }),
      pino({ level: 'silent' }),
    );

  const terminateAll = () =>
    queryDatabase(
      server.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'database-test'`,
    );

  const fillPool = () =>
    Promise.all([database.query('SELECT pg_sleep(0.05)'), database.query('SELECT pg_sleep(0.05)')]);

  const notes = () => queryDatabase(server.url, 'SELECT id FROM notes ORDER BY id');

  it('reads int8 exactly', async () => {
    expect(await database.query('SELECT 9223372036854775807 AS most')).toEqual([
      { most: 9223372036854775807n },
    ]);
  });

  it('gives the rows of what it changed', async () => {
    const insert = `INSERT INTO notes VALUES (1, 'a'), (2, 'b') RETURNING id`;
    expect(await database.query(insert)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await database.query('DELETE FROM notes WHERE id = $1 RETURNING text', [2])).toEqual([
      { text: 'b' },
    ]);
  });

  it('does all of a transaction or nothing', async () => {
    await database.transaction((manager) => manager.query('INSERT INTO notes VALUES (1)'));
    const failing = database.transaction(async (manager) => {
      await manager.query('INSERT INTO notes VALUES (2)');
      throw new RangeError('changed my mind');
    });
    await expect(failing).rejects.toThrow(new RangeError('changed my mind'));
    expect(await notes()).toEqual([{ id: 1 }]);
  });

  it('says which constraint refused a statement, and none of its values', async () => {
    const secret = 'do not log me';
    const insert = () => database.query('INSERT INTO notes VALUES (7, $1)', [secret]);
    await insert();
    const failure: unknown = await insert().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StatementError);
    expect(failure).toMatchObject({ sqlState: '23505', constraint: 'notes_pkey' });
    const { message, stack, ...rest } = failure as StatementError;
    expect(JSON.stringify({ message, stack, ...rest, cause: (failure as Error).cause })).not.toContain(
      secret,
    );
  });

  it('ends a statement that takes too long, with a 503, and goes on', async () => {
    await expect(database.query('SELECT pg_sleep(10)')).rejects.toMatchObject(UNAVAILABLE);
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('answers 503 for what was under way when its connections were terminated, and writes no half', async () => {
    const inTransaction = database.transaction(async (manager) => {
      await manager.query('INSERT INTO notes VALUES (1)');
      await terminateAll();
      await manager.query('INSERT INTO notes VALUES (2)');
    });
    await expect(inTransaction).rejects.toMatchObject(UNAVAILABLE);
    expect(await notes()).toEqual([]);
    await database.transaction((manager) => manager.query('INSERT INTO notes VALUES (3)'));
    expect(await notes()).toEqual([{ id: 3 }]);
  });

  it('does not mind losing idle connections', async () => {
    await fillPool();
    await terminateAll();
    while (lost < 2) await sleep(5);
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('gives up on a server that went silent, and uses none of those connections again', async () => {
    await fillPool();
    way.goSilent();
    const silent = Promise.allSettled([
      database.query('SELECT 1'),
      database.transaction((manager) => manager.query('INSERT INTO notes VALUES (1)')),
    ]);
    for (const outcome of await silent)
      expect(outcome).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
    // New connections get through again.
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await notes()).toEqual([]);
  });

  it('answers 503 while the server is away, and 200 after', async () => {
    await way.close();
    await expect(database.query('SELECT 1')).rejects.toMatchObject(UNAVAILABLE);
    await expect(database.check()).rejects.toMatchObject(UNAVAILABLE);
    await way.open();
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('turns away who waits too long for one of few connections, and hands all of them back', async () => {
    const hog = () => database.transaction((manager) => manager.query('SELECT pg_sleep(0.3)'));
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, hog));
    const kinds = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? 200 : (outcome.reason as { statusCode: number }).statusCode,
    );
    expect(new Set(kinds)).toEqual(new Set([200, 503]));
    expect(
      await Promise.all([database.query('SELECT 1 AS one'), database.query('SELECT 1 AS one')]),
    ).toHaveLength(2);
  });

  it('closes while it is still trying to connect', async () => {
    await way.close();
    const waiting = open();
    waiting.onModuleInit();
    await expect(waiting.query('SELECT 1')).rejects.toMatchObject(UNAVAILABLE);
    await waiting.close();
    await way.open();
  });
});

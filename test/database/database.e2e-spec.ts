import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { createDataSource, Database, StatementError } from '@app/database';
import { pino } from 'pino';
import { freePort } from '../../scripts/processes/ports.mjs';
import { queryDatabase } from '../identity/query-database.js';
import { type TcpForwarder, tcpForwarder } from '../identity/tcp-forwarder.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { until } from '../support/until.js';

const UNAVAILABLE = { statusCode: 503, details: { code: 'database_unavailable', retryAfter: 1 } };

describe('Database', () => {
  let server: FreshDatabase;
  let forwarder: TcpForwarder;
  let url: string;
  let database: Database;
  let lostConnections = 0;

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
    forwarder = tcpForwarder(port, { host: target.hostname, port: Number(target.port || 5432) });
    await forwarder.open();
    target.host = `127.0.0.1:${String(port)}`;
    url = target.href;
    database = createDatabase();
    await database.connect();
    lostConnections = 0;
    await queryDatabase(server.url, 'TRUNCATE notes');
  });

  afterEach(async () => {
    await database.close();
    await forwarder.close();
  });

  afterAll(async () => {
    await server.drop();
  });

  const createDatabase = (preparesStatements = false): Database =>
    new Database(
      createDataSource({
        url,
        schema: 'public',
        entities: [],
        migrations: [],
        poolSize: 2,
        applicationName: 'database-test',
        onConnectionLost: () => {
          lostConnections += 1;
        },
        statementTimeoutMs: 2_000,
        preparesStatements,
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

  /** The setting is changed from another database, because a statement of a read-only session cannot end it. */
  const setReadOnly = (setting: 'on' | 'off') =>
    queryDatabase(
      process.env.TEST_DATABASE_URL ?? '',
      `ALTER DATABASE ${new URL(server.url).pathname.slice(1)} SET default_transaction_read_only = ${setting}`,
    );

  it('T242: Database: a server that became read-only is unavailable for writes and not ready, and is written to again without a restart', async () => {
    await database.query('INSERT INTO notes (id) VALUES (1)');
    const becomeReadOnly = () =>
      database.query(`SELECT set_config('default_transaction_read_only', 'on', false), pg_sleep(0.05)`);
    await Promise.all([becomeReadOnly(), becomeReadOnly()]);
    await setReadOnly('on');
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(database.query('INSERT INTO notes (id) VALUES (2)')).rejects.toMatchObject(UNAVAILABLE);
    await expect(
      database.transaction((manager) => manager.query('INSERT INTO notes (id) VALUES (2)')),
    ).rejects.toMatchObject(UNAVAILABLE);
    await expect(
      database.queryTogether([{ sql: 'INSERT INTO notes (id) VALUES (2)', parameters: [] }]),
    ).rejects.toMatchObject(UNAVAILABLE);
    await expect(database.check()).rejects.toMatchObject(UNAVAILABLE);
    await setReadOnly('off');
    // Sessions keep the setting: each refused one was ended, or one of the pool would refuse again.
    await database.query('INSERT INTO notes (id) VALUES (2)');
    expect(await notes()).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('T242: Database: opens no connection to a read-only server, which would go on to read the past after a failover', async () => {
    await setReadOnly('on');
    await terminateAll();
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(fillPool()).rejects.toMatchObject(UNAVAILABLE);
    await expect(database.check()).rejects.toMatchObject(UNAVAILABLE);
    await setReadOnly('off');
    await fillPool();
    await database.check();
  });

  it('T243: Database: a full disk makes an app not ready, until PostgreSQL takes pages again', async () => {
    const refuse = (name: string, returns: string) =>
      `CREATE FUNCTION ${name}() RETURNS ${returns} LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`;
    await database.check();
    await queryDatabase(server.url, refuse('refuse_row', 'trigger'));
    await queryDatabase(server.url, refuse('refuse_table', 'event_trigger'));
    await queryDatabase(
      server.url,
      'CREATE TRIGGER refuse_row BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION refuse_row()',
    );
    await queryDatabase(
      server.url,
      `CREATE EVENT TRIGGER refuse_table ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION refuse_table()`,
    );
    await expect(database.query('INSERT INTO notes (id) VALUES (3)')).rejects.toMatchObject(UNAVAILABLE);
    await expect(database.check()).rejects.toThrow('the disk of PostgreSQL is full');
    await expect(database.check()).rejects.toThrow('the disk of PostgreSQL is full');
    await queryDatabase(server.url, 'DROP EVENT TRIGGER refuse_table');
    await queryDatabase(server.url, 'DROP TRIGGER refuse_row ON notes');
    await database.check();
    await database.query('INSERT INTO notes (id) VALUES (3)');
    expect(await notes()).toEqual([{ id: 3 }]);
  });

  it('Database: reads int8 exactly', async () => {
    expect(await database.query('SELECT 9223372036854775807 AS most')).toEqual([
      { most: 9223372036854775807n },
    ]);
  });

  it('Database: returns the rows of RETURNING', async () => {
    const insert = `INSERT INTO notes VALUES (1, 'a'), (2, 'b') RETURNING id`;
    expect(await database.query(insert)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await database.query('DELETE FROM notes WHERE id = $1 RETURNING text', [2])).toEqual([
      { text: 'b' },
    ]);
  });

  it('Database: rolls back a failed transaction', async () => {
    await database.transaction((manager) => manager.query('INSERT INTO notes VALUES (1)'));
    const failing = database.transaction(async (manager) => {
      await manager.query('INSERT INTO notes VALUES (2)');
      throw new RangeError('expected failure');
    });
    await expect(failing).rejects.toThrow(new RangeError('expected failure'));
    expect(await notes()).toEqual([{ id: 1 }]);
  });

  it('Database: keeps the plans of statements with parameters where a data source says so, until their types change', async () => {
    const preparing = createDatabase(true);
    await preparing.connect();
    const find = (id: number) => preparing.query('SELECT text FROM notes WHERE id = $1', [id]);
    try {
      await preparing.query("INSERT INTO notes VALUES (1, 'a'), (2, 'b')");
      expect([await find(1), await find(2)]).toEqual([[{ text: 'a' }], [{ text: 'b' }]]);
      const plans = await preparing.query('SELECT statement FROM pg_prepared_statements');
      expect(plans).toEqual([{ statement: 'SELECT text FROM notes WHERE id = $1' }]);
      await expect(preparing.query('SELECT 1 / $1::int', [0])).rejects.toThrow('division by zero');
      await queryDatabase(server.url, 'ALTER TABLE notes ALTER COLUMN text TYPE varchar');
      await expect(find(1)).rejects.toMatchObject(UNAVAILABLE);
      expect(await find(2)).toEqual([{ text: 'b' }]);
    } finally {
      await preparing.close();
    }
  });

  it.each([false, true])(
    'Database: keeps the plan of a prepared statement, and answers when its types have changed (kept plans of all: %s)',
    async (prepares) => {
      const preparing = createDatabase(prepares);
      await preparing.connect();
      const sql = 'SELECT text, 9007199254740993 AS large FROM notes WHERE id = $1';
      const find = (id: number) => preparing.queryPrepared(sql, [id]);
      const row = (text: string) => [{ text, large: 9_007_199_254_740_993n }];
      try {
        await preparing.query("INSERT INTO notes VALUES (1, 'a'), (2, 'b')");
        expect([await find(1), await find(2), await preparing.query(sql, [1])]).toEqual(
          ['a', 'b', 'a'].map(row),
        );
        const plans = await preparing.query('SELECT statement FROM pg_prepared_statements');
        expect(plans).toEqual([{ statement: sql }]);
        await queryDatabase(server.url, 'ALTER TABLE notes ALTER COLUMN text TYPE varchar(20)');
        expect([await find(1), await find(2)]).toEqual(['a', 'b'].map(row));
        await expect(preparing.queryPrepared('SELECT 1 / $1::int', [0])).rejects.toThrow(StatementError);
      } finally {
        await preparing.close();
        await queryDatabase(server.url, 'ALTER TABLE notes ALTER COLUMN text TYPE text');
      }
    },
  );

  it.each([false, true])('runs statements together as one transaction (kept plans: %s)', async (prepares) => {
    const together = createDatabase(prepares);
    await together.connect();
    const insert = (id: number) => ({ sql: 'INSERT INTO notes VALUES ($1) RETURNING id', parameters: [id] });
    const count = { sql: 'SELECT count(*) FROM notes', parameters: [] };
    const divide = { sql: 'SELECT 1 / $1::int AS quotient', parameters: [0] };
    const failure = { sqlState: '22012', message: 'division by zero' };
    try {
      // All batches run on one connection, which has not parsed what was skipped, and has parsed what was rolled back.
      await expect(together.queryTogether([insert(1), divide, count])).rejects.toMatchObject(failure);
      expect(await notes()).toEqual([]);
      for (const id of [1, 2])
        expect(await together.queryTogether([insert(id), count])).toEqual([
          [{ id }],
          [{ count: BigInt(id) }],
        ]);
      await expect(together.queryTogether([insert(3), insert(3)])).rejects.toMatchObject({
        sqlState: '23505',
      });
      expect(await together.queryTogether([{ ...divide, parameters: [1] }])).toEqual([[{ quotient: 1 }]]);
      expect(await notes()).toEqual([{ id: 1 }, { id: 2 }]);
    } finally {
      await together.close();
    }
  });

  it('Database: runs a statement after one that waits for a lock with what was committed meanwhile', async () => {
    const lock = { sql: 'SELECT pg_advisory_xact_lock($1)', parameters: [1] };
    // Other databases of the server have locks of their own.
    const locks = `pg_locks l JOIN pg_database d ON d.oid = l.database AND datname = current_database() WHERE locktype = 'advisory'`;
    const waiting = `SELECT 1 FROM ${locks} AND NOT granted`;
    let together: Promise<unknown[][]> | undefined;
    await database.transaction(async (manager) => {
      await manager.query(lock.sql, lock.parameters);
      const count = { sql: 'SELECT count(*) FROM notes', parameters: [] };
      const holders = { sql: `SELECT count(*) FROM ${locks}`, parameters: [] };
      together = database.queryTogether([lock, count, holders]);
      await until('it waits', async () => (await queryDatabase(server.url, waiting)).length === 1);
      await manager.query('INSERT INTO notes VALUES (1)');
    });
    const [, count, holders] = (await together) ?? [];
    expect([count, holders]).toEqual([[{ count: 1n }], [{ count: 1n }]]);
    expect(await queryDatabase(server.url, `SELECT 1 FROM ${locks}`)).toEqual([]);
  });

  it('Database: fails statements together with a 503 when the server does not answer, or cancels one', async () => {
    const sleep = { sql: 'SELECT pg_sleep(10)', parameters: [] };
    const insert = { sql: 'INSERT INTO notes VALUES ($1)', parameters: [1] };
    await expect(database.queryTogether([insert, sleep])).rejects.toMatchObject(UNAVAILABLE);
    await fillPool();
    forwarder.goSilent();
    for (const outcome of await Promise.allSettled([1, 2].map(() => database.queryTogether([insert]))))
      expect(outcome).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await notes()).toEqual([]);
  });

  it('Database: throws a StatementError with the violated constraint, and without values', async () => {
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

  it('Database: cancels a slow statement with a 503, and continues', async () => {
    await expect(database.query('SELECT pg_sleep(10)')).rejects.toMatchObject(UNAVAILABLE);
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('Database: fails a transaction with a 503 when its connection is terminated, and rolls it back', async () => {
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

  it('Database: replaces lost idle connections', async () => {
    await fillPool();
    await terminateAll();
    await until('both connections are lost', () => lostConnections >= 2);
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('Database: fails with a 503 when the server stops answering, and does not reuse those connections', async () => {
    await fillPool();
    forwarder.goSilent();
    const pending = Promise.allSettled([
      database.query('SELECT 1'),
      database.transaction((manager) => manager.query('INSERT INTO notes VALUES (1)')),
    ]);
    for (const outcome of await pending)
      expect(outcome).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
    // The forwarder forwards new connections again.
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await notes()).toEqual([]);
  });

  it('Database: fails with a 503 while the server is unavailable, and recovers', async () => {
    await forwarder.close();
    await expect(database.query('SELECT 1')).rejects.toMatchObject(UNAVAILABLE);
    await expect(database.check()).rejects.toMatchObject(UNAVAILABLE);
    await forwarder.open();
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('Database: fails with a 503 when the pool is exhausted for too long, and leaks no connection', async () => {
    const sleepInTransaction = () => database.transaction((manager) => manager.query('SELECT pg_sleep(0.3)'));
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, sleepInTransaction));
    const statuses = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? 200 : (outcome.reason as { statusCode: number }).statusCode,
    );
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(
      await Promise.all([database.query('SELECT 1 AS one'), database.query('SELECT 1 AS one')]),
    ).toHaveLength(2);
  });

  it('Database: closes while it is connecting', async () => {
    await forwarder.close();
    const connecting = createDatabase();
    connecting.onModuleInit();
    await expect(connecting.query('SELECT 1')).rejects.toMatchObject(UNAVAILABLE);
    await connecting.close();
    await forwarder.open();
  });
});

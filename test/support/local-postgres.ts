import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../scripts/processes/ports.mjs';
import { prepareCluster } from '../../scripts/postgres/postgres-cluster.mjs';
import { placePostgres, type PostgresPlace } from '../../scripts/postgres/postgres-place.mjs';
import { root } from '../../scripts/build/project.mjs';
import { throwAwayFolder } from '../../scripts/processes/throw-away-folder.mjs';
import { killAtExit } from './killed-at-exit.js';
import type { SelfSigned } from './self-signed.js';

const run = promisify(execFile);
const START_MS = 30_000;
const ENV = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

/** A PostgreSQL of one test's own, which may be ended and started again; other tests share another. */
export class LocalPostgres {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    private readonly place: PostgresPlace,
    private readonly data: string,
    private readonly port: number,
    /** The superuser's URL. */
    readonly url: string,
    private readonly env: Record<string, string>,
    private readonly settings: readonly string[],
  ) {}

  /**
   * @param env of the server only, such as the variables that turn its clock
   * @param tls its key and certificate, with which it takes encrypted connections, too
   * @param parent the folder on the disk of which it keeps its data
   */
  static async start(
    env: Record<string, string> = {},
    tls?: SelfSigned,
    parent = throwAwayFolder(),
  ): Promise<LocalPostgres> {
    const folder = await createFolder(parent);
    const place = placePostgres(root, join(folder, 'postgres'));
    const init = (command: string, args: string[], options: object) =>
      run(command, args, { ...options, env: ENV, timeout: START_MS });
    const { data, password } = await prepareCluster(place, init, ['--no-sync']);
    const port = await freePort();
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    const settings = tls === undefined ? [] : writeTlsFiles(data, tls, place);
    const server = new LocalPostgres(folder, place, data, port, url, env, settings);
    await server.begin();
    return server;
  }

  /** The "immediate" end, which leaves recovery to the start that follows at once. */
  async restartImmediately(): Promise<void> {
    await this.end('SIGQUIT');
    await this.begin();
  }

  /** Starts a cold copy, taken after an "immediate" end, as a server of its own. This one goes on at once. Stop the copy first. */
  async startCopy(): Promise<LocalPostgres> {
    const folder = await createFolder();
    const data = join(folder, 'data');
    await this.end('SIGQUIT');
    await run('cp', ['-a', this.data, data]);
    await this.begin();
    const port = await freePort();
    const url = new URL(this.url);
    url.port = String(port);
    const copy = new LocalPostgres(folder, this.place, data, port, url.href, this.env, this.settings);
    await copy.begin();
    return copy;
  }

  /** Starts a standby of this server, which replicates by streaming. This one goes on at once. Stop the standby first. */
  async startStandby(): Promise<LocalPostgres> {
    const folder = await createFolder();
    const data = join(folder, 'data');
    await this.end('SIGINT');
    await run('cp', ['-a', this.data, data]);
    await this.begin();
    const port = await freePort();
    const url = new URL(this.url);
    url.port = String(port);
    const standby = new LocalPostgres(folder, this.place, data, port, url.href, this.env, this.settings);
    await standby.restartAsStandbyOf(this);
    return standby;
  }

  /** The server must have ended in order (`shutDown`), or have been promoted from this one. */
  async restartAsStandbyOf({ url }: LocalPostgres): Promise<void> {
    const { port, username, password } = new URL(url);
    const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
    await appendFile(join(this.data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
    const signal = join(this.data, 'standby.signal');
    await writeFile(signal, '');
    await run('chown', [`--reference=${this.data}`, signal]);
    await this.begin();
  }

  /** Ends it in order, after its standbys have received everything. */
  shutDown(): Promise<void> {
    return this.end('SIGINT');
  }

  async promote(): Promise<void> {
    await this.query('SELECT pg_promote()');
  }

  /** A standby shows nothing of what its primary writes from now on. */
  async pauseReplay(): Promise<void> {
    await this.query('SELECT pg_wal_replay_pause()');
  }

  /** The last statements of the clients that are connected. */
  async listClients(): Promise<string[]> {
    const rows = await this.query(
      `SELECT application_name || ': ' || query AS client FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    return rows.map(({ client }) => String(client));
  }

  async stop(): Promise<void> {
    await this.end('SIGQUIT');
    await rm(this.folder, { recursive: true, force: true });
  }

  private async query(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(sql);
    await client.end();
    return rows;
  }

  private async begin(): Promise<void> {
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=400',
      ...this.settings,
    ];
    const flags = ['-D', this.data, '-p', String(this.port), ...settings.flatMap((one) => ['-c', one])];
    const { home: cwd, user } = this.place;
    const child = spawn(join(this.place.server, 'bin/postgres'), flags, {
      cwd,
      uid: user?.uid,
      gid: user?.gid,
      env: { ...ENV, ...this.env },
      stdio: 'ignore',
    });
    this.child = child;
    killAtExit(child, 'SIGQUIT');
    const deadline = Date.now() + START_MS;
    while (!(await this.answers())) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error('PostgreSQL does not start');
      await sleep(30);
    }
  }

  private async answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      await client.end();
      return true;
    } catch (error) {
      const { code } = error as { code?: string };
      // 57P03: it recovers.
      if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === '57P03') return false;
      throw error;
    }
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}

/** @returns the settings of a server that has this certificate */
function writeTlsFiles(data: string, tls: SelfSigned, { user }: PostgresPlace): string[] {
  const files = { 'server.key': tls.key, 'server.crt': tls.cert };
  for (const [name, text] of Object.entries(files)) {
    const file = join(data, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (user !== undefined) chownSync(file, user.uid, user.gid);
  }
  return ['ssl=on'];
}

async function createFolder(parent = throwAwayFolder()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'gatehouse-postgres-'));
  chmodSync(folder, 0o755); // the server's own user walks through to the data
  return folder;
}

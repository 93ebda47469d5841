import 'reflect-metadata';
import { createDatabase, type Database } from '@app/database';
import type pg from 'pg';
import { pino } from 'pino';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { storage } from '../../apps/account-kit/src/database/storage.js';
import { freeze } from '../../apps/account-kit/src/limits/freezes.queries.js';
import {
  type AccountKitSuite,
  type CallResponse,
  startAccountKitSuite,
} from '../account-kit/account-kit-suite.js';
import { runCommand } from '../account-kit/run-command.js';
import { databasePool } from '../support/database-pool.js';
import type { ChainOptions } from '../support/local-chain.js';
import type { RunningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { type HeldStatement, Hold } from './hold.js';
import {
  choosePorts,
  type Instance,
  InstancePlaces,
  type StoppableInstance,
  urlAt,
} from './instance-places.js';

const RECIPIENT: Address = '0x00000000000000000000000000000000000a11ce';
const FUNDS = 10n ** 18n;
/** Shorter than the defaults, so that another instance continues soon. */
const SCHEDULE = { EXECUTOR_POLL_MS: '100', EXECUTOR_LEASE_MS: '2000' };
/** The longest that a statement may take. */
export const STATEMENT_TIMEOUT_MS = 14_000;

export interface Submitted {
  readonly userOperationHash: Hex;
}

interface OperationRow {
  readonly id: string;
  readonly state: string;
  readonly hash: Hex | null;
  readonly sequence: number;
  readonly success: boolean | null;
}

/** Account-kit with instances that a test starts and kills, and what they did on the chain and in the database. */
export class AccountKitWorld {
  readonly pool: pg.Pool;
  readonly executors: readonly Address[];
  private readonly database: Database;

  private constructor(
    readonly kit: AccountKitSuite,
    readonly executorKeys: readonly Hex[],
    private readonly places: InstancePlaces,
  ) {
    this.executors = executorKeys.map((key) => privateKeyToAddress(key));
    this.pool = databasePool(kit.suite.databaseUrl);
    const settings = {
      DATABASE_URL: kit.suite.databaseUrl,
      DATABASE_POOL_SIZE: 1,
      DATABASE_STATEMENT_TIMEOUT_MS: STATEMENT_TIMEOUT_MS,
    };
    this.database = createDatabase(storage, settings, {
      name: 'test',
      logger: pino({ level: 'silent' }),
    });
  }

  static async start(
    env: Record<string, string> = {},
    chainOptions: ChainOptions = {},
  ): Promise<AccountKitWorld> {
    const keys = [generatePrivateKey(), generatePrivateKey()];
    const ports = await choosePorts();
    const kit = await startAccountKitSuite(
      { ...SCHEDULE, EXECUTOR_KEYS: keys.join(), ACCOUNT_KIT_URL: urlAt(ports), ...env },
      { hasInstance: false, chainOptions },
    );
    const place = { ports, redisUrl: env.REDIS_URL, gateway: kit.suite.app('gateway') };
    const world = new AccountKitWorld(kit, keys, new InstancePlaces(kit.suite, place));
    await world.database.connect();
    for (const executor of world.executors) await kit.chain.setNativeBalance(executor, 100n * FUNDS);
    return world;
  }

  startInstance(env: Record<string, string> = {}): Promise<StoppableInstance> {
    return this.places.startInstance(env);
  }

  async fundedAccount({ gateway }: Instance, userId: string): Promise<Address> {
    const { body } = await this.call<{ evm: { address: Address }[] }>(
      gateway,
      '/accountkit/v1/chatbot/accounts',
      userId,
    );
    const address = body.evm[0]?.address;
    if (!address) throw new Error(`no account: ${JSON.stringify(body)}`);
    await this.kit.chain.setNativeBalance(address, FUNDS);
    return address;
  }

  /** Pays the recipient. */
  submit(
    { gateway }: Instance,
    userId: string,
    value: bigint,
    headers: Record<string, string> = {},
  ): Promise<CallResponse<Submitted>> {
    const path = `/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${this.kit.chain.chainId}`;
    const body = { target: RECIPIENT, callData: '0x', value: String(value) };
    return this.call(gateway, path, userId, { body, headers });
  }

  /** Sets the OAuth application that the stand-in of the code host knows, as an operator does. */
  async setCodehostApp(): Promise<void> {
    const { client, platforms, suite } = this.kit;
    const { oauthClientId, secret } = platforms.codehostApp;
    await runCommand(
      'platforms',
      ['set-codehost-app', '--client', client.clientId, '--oauth-client-id', oauthClientId],
      {
        env: { DATABASE_URL: suite.databaseUrl, ACCOUNT_KEY_SECRET: suite.secrets.accountKeySecret },
        input: secret,
      },
    );
  }

  /** Submits a payment of nothing for a user of the code host. */
  signWith({ gateway }: Instance, token: string): Promise<CallResponse<Submitted>> {
    const path = `/accountkit/v2/platform/evm/submitUserOperation?platform=codehost&chainId=${this.kit.chain.chainId}`;
    const body = { userOps: [{ target: RECIPIENT, callData: '0x', value: '0' }] };
    return this.call(gateway, path, '0', { body, headers: { 'X-ACCESS-TOKEN': token } });
  }

  async call<Body>(
    gateway: RunningApp,
    path: string,
    userId: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<CallResponse<Body>> {
    const response = await fetch(gateway.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'X-API-Key': this.kit.client.apiKey,
        'X-BOT-TOKEN': this.kit.platforms.botToken(userId),
        'Content-Type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { status } = response;
    return { status, headers: response.headers, body: (await response.json()) as Body };
  }

  /** The operations of a user in the order of their nonces. */
  async operationsOf(userId: string): Promise<OperationRow[]> {
    const { rows } = await this.pool.query<OperationRow>(
      `SELECT o.id, o.state, o.hash, o.nonce_sequence::int AS sequence, o.success
       FROM account_kit.user_operations AS o JOIN account_kit.smart_accounts AS a ON a.id = o.account_id
       WHERE a.platform_user_id = $1 ORDER BY o.nonce_sequence, o.accepted_at`,
      [userId],
    );
    return rows;
  }

  async untilIncluded(userId: string): Promise<OperationRow[]> {
    await until(`the operations of ${userId} are included`, async () => {
      const rows = await this.operationsOf(userId);
      return rows.length > 0 && rows.every(({ state }) => state === 'included' || state === 'final');
    });
    return this.operationsOf(userId);
  }

  received(): Promise<bigint> {
    return this.kit.chain.client.getBalance({ address: RECIPIENT });
  }

  /** Whether the chain has mined each nonce of the executors that was stored, and no other. */
  async hasNoGap(): Promise<boolean> {
    for (const executor of this.executors) {
      const { rows } = await this.pool.query<{ nonce: number }>(
        `SELECT nonce::int FROM account_kit.executor_transactions WHERE executor = $1 ORDER BY nonce`,
        [executor],
      );
      const mined = await this.kit.chain.client.getTransactionCount({ address: executor });
      if (mined !== rows.length || rows.some(({ nonce }, index) => nonce !== index)) return false;
    }
    return true;
  }

  async countTransactions(): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      'SELECT count(*)::int FROM account_kit.executor_transactions',
    );
    return rows[0]?.count ?? 0;
  }

  async countSigned(): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      "SELECT count(*)::int FROM account_kit.user_operations WHERE state = 'signed'",
    );
    return rows[0]?.count ?? 0;
  }

  /** Waits until the command waits for transactions that are being stored. */
  async untilFreezeWaits(): Promise<void> {
    await until('the freeze waits for its lock', async () => {
      const { rows } = await this.pool.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND mode = 'ExclusiveLock'
           AND ((classid::bigint << 32) | objid::bigint) = hashtextextended('freezes', 0)`,
      );
      return rows.length > 0;
    });
  }

  /**
   * Freezes everything as the command of operators does, which takes seconds to start on a busy machine. When it
   * resolves, nothing more may be stored as sent.
   */
  freezeEverything(): Promise<void> {
    return freeze(this.database, { scope: 'everything', subject: '' }, 'test');
  }

  /** Waits until every executor in use has renewed its lease twice, which it does between its looks at the table. */
  async untilExecutorsHaveLooked(): Promise<void> {
    const load = async (): Promise<Map<string, number>> => {
      const { rows } = await this.pool.query<{ name: string; until: Date }>(
        `SELECT name, leased_until AS until FROM account_kit.chain_leases
         WHERE name = ANY($1) AND leased_until > now()`,
        [this.executors],
      );
      return new Map(rows.map(({ name, until: end }) => [name, end.getTime()]));
    };
    for (let renewals = 0; renewals < 2; renewals += 1) {
      const known = await load();
      await until('the executors have renewed their leases', async () => {
        const now = await load();
        return [...known].every(([name, end]) => (now.get(name) ?? 0) > end);
      });
    }
  }

  /** Holds every statement of a kind until it is released. */
  hold(held: HeldStatement): Promise<Hold> {
    return Hold.place(this.pool, held);
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.database.close();
    await this.kit.stop();
  }
}

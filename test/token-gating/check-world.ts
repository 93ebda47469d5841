import { PRINCIPAL_HEADER, PrincipalIssuer, type InternalSigningKey, type Principal } from '@app/auth';
import type { Scope } from '@app/dto';
import type pg from 'pg';
import type { Address } from 'viem';
import { GatedChain } from '../support/gated-chain.js';
import { operationOf } from '../support/operation-of.js';
import type { RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { memberAddress } from '../support/seeded-communities.mjs';
import { StatementLog } from '../support/statement-log.js';
import type { Answer } from './gating-app.js';
import { databasePool } from '../support/database-pool.js';

const SCOPES: Scope[] = ['community:read', 'community:write'];

/** A client application without a user. */
export const clientAlone = (id: string): Principal => ({
  kind: 'caller',
  client: { id, ownerId: `owner_of_${id}`, plan: 'free' },
  scopes: SCOPES,
});

export const userOf = (id: string, clientId = 'client_any'): Principal =>
  ({
    ...clientAlone(clientId),
    user: { id },
  }) as Principal;

export interface CheckWorldOptions {
  /** Configuration of every app. */
  env?: Record<string, string>;
  /** Replaces the node that tests can pause. */
  rpcUrl?: string;
}

/** Identity, token-gating and a chain, for tests of balance checks. */
export class CheckWorld {
  private constructor(
    readonly node: GatedChain,
    readonly suite: RunningSuite,
    readonly sql: pg.Pool,
    /** SQL statements of `app`. */
    readonly log: StatementLog,
    readonly app: RunningApp,
    private readonly issuer: PrincipalIssuer,
  ) {}

  static async start({ env = {}, rpcUrl }: CheckWorldOptions = {}): Promise<CheckWorld> {
    const node = await GatedChain.start();
    const suite = await runningSuite({
      without: ['token-gating', 'gateway'],
      rpcUrls: { [node.chain.chainId]: rpcUrl ?? node.node.url },
      env: { SWEEP_INTERVAL_MS: '500', BALANCE_CHECK_COOLDOWN_MS: '0', ...env },
    });
    const issuer = new PrincipalIssuer(suite.secrets.signing['gateway'] as InternalSigningKey);
    const sql = databasePool(suite.databaseUrl);
    const log = await StatementLog.start(suite.databaseUrl);
    const databases = { DATABASE_URL: log.url, QUEUE_DATABASE_URL: suite.databaseUrl };
    const app = await suite.another('token-gating', databases);
    return new CheckWorld(node, suite, sql, log, app, issuer);
  }

  /** Sends a request like the gateway's for a principal. */
  async request(principal: Principal, method: string, path: string, app = this.app): Promise<Answer> {
    const token = await this.issuer.issueToken(principal, 'token-gating', operationOf(method, path));
    const response = await fetch(app.url + path, { method, headers: { [PRINCIPAL_HEADER]: token } });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.sql.query<Row>(text, values)).rows;
  }

  /** Sets the native balance of a member of a seeded community, in whole coins. */
  async fund(member: number, coins: bigint): Promise<void> {
    await this.node.chain.setNativeBalance(memberAddress(member) as Address, coins * 10n ** 18n);
  }

  async stop(): Promise<void> {
    await this.sql.end();
    await this.suite.stop();
    await this.log.stop();
    await this.node.stop();
  }
}

import { expect } from '@jest/globals';
import type pg from 'pg';
import type { Client } from '../support/create-client.js';
import { databasePool } from '../support/database-pool.js';
import type { BackendName } from '../support/queue-backend.js';
import type { SeededCommunity } from '../support/seeded-communities.mjs';
import { until } from '../support/until.js';
import { seedCommunity } from '../token-gating/seeded-communities.js';
import { Product } from './product.js';

export interface Check {
  id: string;
  state: string;
  total: number;
  done: number;
  changed: number;
  failed: number;
}

/** A suite whose balance checks take pages of two members, and are repeated soon. Tests start its instances. */
export class BalanceCheckWorld {
  private communities = 0;

  private constructor(
    readonly product: Product,
    readonly client: Client,
    readonly sql: pg.Pool,
  ) {}

  static async start(backend: BackendName): Promise<BalanceCheckWorld> {
    const product = await Product.start({
      backend,
      instances: 0,
      env: {
        BALANCE_CHECK_PAGE_READS: '2', // two members a page
        BALANCE_CHECK_COOLDOWN_MS: '0',
        BALANCE_CHECK_RETRY_AFTER_MS: '200',
        SWEEP_AFTER_MS: '3000',
        RPC_TIMEOUT_MS: '9000',
      },
    });
    const client = await product.suite.createClient({ scopes: ['community:read', 'community:write'] });
    return new BalanceCheckWorld(product, client, databasePool(product.suite.databaseUrl));
  }

  /** @returns its id */
  addCommunity(
    options: Pick<SeededCommunity, 'members'> & Partial<Pick<SeededCommunity, 'rules'>>,
  ): Promise<string> {
    this.communities += 1;
    const { clientId } = this.client;
    return seedCommunity(this.sql, { id: `community_${this.communities}`, clientId, ...options });
  }

  async request(communityId: string): Promise<Check> {
    const path = `/communities/${communityId}/balance-checks`;
    const answer = await this.product.request('POST', path, undefined, { 'X-API-Key': this.client.apiKey });
    expect(answer.status).toBe(202);
    return answer.body as Check;
  }

  /** Reads the database, because instances may be frozen or stopped. */
  async lookUp({ id }: Check): Promise<Check> {
    const text = 'SELECT * FROM token_gating.balance_checks WHERE id = $1';
    const [check] = (await this.sql.query<Check>(text, [id])).rows;
    if (!check) throw new Error('The balance check is deleted');
    return check;
  }

  async finish(check: Check): Promise<Check> {
    await until('the check is done', async () => (await this.lookUp(check)).state === 'done', 90_000);
    return this.lookUp(check);
  }

  /** Makes the next test begin with a node that answers. Instances stay for it: a start costs more than most tests. */
  reset(): void {
    this.product.node.onCall = undefined;
    this.product.reset();
  }

  async stop(): Promise<void> {
    await this.sql.end();
    await this.product.stop();
  }
}

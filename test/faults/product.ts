import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Balancer, balancer } from '../support/balancer.js';
import { CallbackLog, type PublishedKeys } from '../support/callback-log.js';
import type { Client } from '../support/create-client.js';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';
import { GatedChain } from '../support/gated-chain.js';
import { type BackendName, type QueueBackend, queueBackend } from '../support/queue-backend.js';
import { hasEnded, type RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { databasePool } from '../support/database-pool.js';
import { until } from '../support/until.js';

export interface ProductOptions {
  /** Queue backend. */
  backend?: BackendName;
  /** Whether the backend runs from the start. */
  isThere?: boolean;
  /** Initial instances of token-gating; default 1. */
  instances?: number;
  /** Additional configuration of every app. */
  env?: Record<string, string>;
  /** RPC URLs of the local chain, instead of the node that tests can pause. */
  rpcUrls?: string[];
}

export interface Answered {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Schedules and lock times of seconds instead of minutes. The sweeper keeps its production delay, so that it hides no failure. */
const SHORTENED = {
  QUEUE_LOCK_MS: '1500',
  QUEUE_STALLED_INTERVAL_MS: '1000',
  QUEUE_BACKOFF_MS: '200',
  SWEEP_INTERVAL_MS: '1000',
  CHECK_REREAD_AFTER_MS: '200',
  CALLBACK_RETRY_AFTER_MS: '300,600,900,1200',
  ADDRESS_REQUESTS_PER_SECOND: '100000',
};

const PATH = '/access-control/check-roles';
const PATIENCE_MS = 30_000;
const SHOWN_WARNINGS = 30;

/** The built suite as deployed: gateway, identity, load-balanced instances of token-gating, and a callback receiver. */
export class Product {
  readonly instances: RunningApp[] = [];
  private readonly closers: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly node: GatedChain,
    readonly callbacks: CallbackLog,
    readonly queue: QueueBackend,
    readonly queueDatabase: FreshDatabase,
    private readonly door: Balancer,
    readonly suite: RunningSuite,
    readonly client: Client,
    private readonly pool: pg.Pool,
  ) {}

  static async start(options: ProductOptions = {}): Promise<Product> {
    const closers: (() => Promise<unknown>)[] = [];
    const opened = async <T>(opening: Promise<T>, close: (opened: T) => Promise<unknown>): Promise<T> => {
      const resource = await opening;
      closers.unshift(() => close(resource));
      return resource;
    };
    try {
      const node = await opened(GatedChain.start(), (one) => one.stop());
      const callbacks = await opened(CallbackLog.start(), (one) => one.stop());
      const database = await opened(freshDatabase(), (one) => one.drop());
      const { backend = 'postgres', isThere = true } = options;
      const queue = await opened(queueBackend(backend, { database, isThere }), (one) => one.stop());
      const door = await opened(balancer(), (one) => one.stop());
      const suite = await opened(
        runningSuite({
          without: ['token-gating'],
          rpcUrls: { 31337: (options.rpcUrls ?? [node.node.url]).join(',') },
          env: { ...SHORTENED, TOKEN_GATING_URL: door.url, ...queue.env, ...options.env },
        }),
        (one) => one.stop(),
      );
      const client = await suite.createClient({ requestsPerSecond: 100_000 });
      const pool = await opened(Promise.resolve(databasePool(suite.databaseUrl)), (one) => one.end());
      const product = new Product(node, callbacks, queue, database, door, suite, client, pool);
      product.closers.push(...closers);
      for (let made = 0; made < (options.instances ?? 1); made += 1) await product.addInstance();
      return product;
    } catch (error) {
      for (const close of closers) await close();
      throw error;
    }
  }

  /** Starts another instance of token-gating behind the load balancer, and waits until it is ready. */
  async addInstance(env: Record<string, string> = {}): Promise<RunningApp> {
    const app = await this.suite.another('token-gating', env);
    await this.admit(app);
    return app;
  }

  /** The oldest instance that runs, or the first one. None that ended is behind the load balancer any more. */
  async someInstance(): Promise<RunningApp> {
    const ended = this.instances.filter(({ process }) => hasEnded(process));
    await until('none that ended is served', () => !ended.some((app) => this.isServing(app)));
    return this.instances.find((app) => !ended.includes(app)) ?? this.addInstance();
  }

  /** Starts another instance without waiting for readiness. */
  async spawnInstance(env: Record<string, string> = {}): Promise<RunningApp> {
    const app = await this.suite.spawnAnother('token-gating', env);
    await this.admit(app);
    return app;
  }

  /** Whether the load balancer forwards to the instance: a moment after it became ready. */
  isServing(app: RunningApp): boolean {
    return this.door.isServing(app);
  }

  get account(): string {
    return this.node.chain.client.account.address;
  }

  readonly rule = { type: 'NATIVE', chainId: 31337, minToken: '1', roleId: 'rich' };

  /** POST check-roles through the gateway. */
  check(body: object = {}, headers: Record<string, string> = {}): Promise<Answered> {
    return this.request('POST', PATH, { account: this.account, rules: [this.rule], ...body }, headers);
  }

  /** Starts an asynchronous check. @returns its requestId @throws Error when it is not accepted */
  async accepted(body: object = {}, headers: Record<string, string> = {}): Promise<string> {
    const { status, body: answer } = await this.check({ async: true, ...body }, headers);
    if (status !== 200) throw new Error(`Not accepted: ${status} ${JSON.stringify(answer)}`);
    return (answer as { requestId: string }).requestId;
  }

  /** Starts checks with a callback. */
  calledBack(count: number, body: object = {}): Promise<string[]> {
    const callbackUrl = this.callbacks.url();
    return Promise.all(Array.from({ length: count }, () => this.accepted({ callbackUrl, ...body })));
  }

  poll(requestId: string, gatewayUrl = this.suite.gatewayUrl): Promise<Answered> {
    return this.request('GET', `${PATH}/responses/${requestId}`, undefined, {}, gatewayUrl);
  }

  /** Polls until the check is finished. */
  async result(requestId: string, patienceMs = 60_000): Promise<unknown> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const { status, body } = await this.poll(requestId);
      if (status === 200) return body;
      if (status !== 202 || Date.now() > deadline)
        throw new Error(`No result of ${requestId}: ${status} ${JSON.stringify(body)}`);
      await sleep(50);
    }
  }

  granted(requestId: string): object {
    return { requestId, roles: [{ id: 'rich', granted: true }], errors: [] };
  }

  async request(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    gatewayUrl = this.suite.gatewayUrl,
  ): Promise<Answered> {
    const response = await fetch(gatewayUrl + path, {
      method,
      body: body && JSON.stringify(body),
      headers: { 'X-API-Key': this.client.apiKey, 'Content-Type': 'application/json', ...headers },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  async publishedKeys(gatewayUrl = this.suite.gatewayUrl): Promise<PublishedKeys> {
    return (await (await fetch(`${gatewayUrl}/.well-known/jwks.json`)).json()) as PublishedKeys;
  }

  async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(text, values)).rows;
  }

  /** Waits until each check has exactly one delivery, in the state delivered. @throws Error that tells what became of the others */
  async untilDelivered(requestIds: string[], timeoutMs?: number): Promise<void> {
    const areDelivered = async (): Promise<boolean> => {
      const states = await this.deliveriesOf(requestIds);
      return states.length >= requestIds.length && states.every(({ state }) => state === 'delivered');
    };
    try {
      await until('delivered', areDelivered, timeoutMs);
    } catch (error) {
      const warnings = this.instances.flatMap(({ logLines }) =>
        logLines.filter((line) => !line.includes('"level":"info"')).slice(-SHOWN_WARNINGS),
      );
      const missing = (await this.undelivered(requestIds)).map((one) => JSON.stringify(one));
      throw new Error([String(error), ...missing, ...warnings].join('\n'), { cause: error });
    }
  }

  private undelivered(requestIds: string[]): Promise<object[]> {
    return this.sql(
      `SELECT c.id, c.created_at, c.done_at, c.next_run_at, d.state, d.attempts, d.next_attempt_at, now()
       FROM token_gating.checks c LEFT JOIN token_gating.deliveries d ON d.check_id = c.id
       WHERE c.id = ANY($1) AND d.state IS DISTINCT FROM 'delivered'`,
      [requestIds],
    );
  }

  deliveriesOf(requestIds: string[]): Promise<{ id: string; state: string; attempts: number }[]> {
    return this.sql(
      'SELECT id, state, attempts FROM token_gating.deliveries WHERE check_id = ANY($1) ORDER BY created_at',
      [requestIds],
    );
  }

  /** Undoes what a test has set; its instances stay for the next one. */
  reset(): void {
    this.node.release();
    this.callbacks.acceptAll();
    this.callbacks.seen.length = 0;
  }

  /** Stops the instances of token-gating that a test used, and undoes what it has set. */
  async endInstances(): Promise<void> {
    this.reset();
    await Promise.all(this.instances.splice(0).map((app) => app.stop()));
  }

  async stop(): Promise<void> {
    for (const close of this.closers) await close();
  }

  private async admit(app: RunningApp): Promise<void> {
    this.instances.push(app);
    await this.door.add(app);
  }
}

export async function health(app: RunningApp, which: 'live' | 'ready'): Promise<number> {
  const response = await fetch(`${app.managementUrl}/health/${which}`, {
    signal: AbortSignal.timeout(10_000),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Sums a metric over all series whose labels match. */
export async function metric(app: RunningApp, name: string, labels = ''): Promise<number> {
  const text = await (await fetch(`${app.managementUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(labels));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

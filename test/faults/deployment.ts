import { Agent } from 'undici';
import { type Address, parseEther } from 'viem';
import { signInWithWallet } from '../../scripts/demo/wallet-sign-in.mjs';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { deployAccountContracts } from '../../scripts/chain/deploy-account-contracts.mjs';
import { root } from '../../scripts/build/project.mjs';
import { queryDatabase } from '../identity/query-database.js';
import { type Balancer, balancer } from '../support/balancer.js';
import { CallbackLog, type PublishedKeys } from '../support/callback-log.js';
import type { Client } from '../support/create-client.js';
import { LocalChain } from '../support/local-chain.js';
import { LocalPostgres } from '../support/local-postgres.js';
import { LocalRedis } from '../support/local-redis.js';
import { PlatformsStandIn } from '../support/platforms.js';
import type { RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { DeploymentDatabase } from './deployment-database.js';

export const APPS = ['identity', 'token-gating', 'account-kit', 'analytics', 'gateway'] as const;
export type AppName = (typeof APPS)[number];

const RECIPIENT: Address = '0x00000000000000000000000000000000000a11ce';
const ORIGIN = 'https://shop.example';
const SCOPES = ['community:read', 'community:write', 'community:analytics', 'user:read'];
const REPLICAS = 2;
/** The idle time of the load balancers of operations.md, less than the time in which a gateway that ends serves on. */
const IDLE_CONNECTION_MS = 2_000;
/** The delays are those of production: a balancer has time to notice. */
const ROLLOUT = { SHUTDOWN_DELAY_MS: '3000', SHUTDOWN_GRACE_MS: '30000' };
/** Lock times and schedules of seconds instead of minutes. */
const SCHEDULE = {
  QUEUE_LOCK_MS: '3000',
  QUEUE_STALLED_INTERVAL_MS: '1000',
  CALLBACK_RETRY_AFTER_MS: ['500', ...Array.from({ length: 18 }, () => '2000')].join(','),
  SWEEP_INTERVAL_MS: '1000',
  SWEEP_AFTER_MS: '2000',
  EXECUTOR_POLL_MS: '100',
  EXECUTOR_LEASE_MS: '2000',
  OPERATION_CALLBACKS_PER_MINUTE: '100000',
  ADDRESS_REQUESTS_PER_SECOND: '100000',
};

export interface Response<Body> {
  readonly status: number;
  readonly body: Body;
}

export interface Request {
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

/** Every app with two replicas behind one address, as in production: PostgreSQL and Redis of its own, a chain, a receiver. */
export class Deployment {
  readonly replicas: Record<AppName, RunningApp[]>;
  readonly database: DeploymentDatabase;
  private readonly agent = new Agent({
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    headersTimeout: 30_000,
    bodyTimeout: 30_000,
  });

  private constructor(
    readonly chain: LocalChain,
    readonly platforms: PlatformsStandIn,
    readonly callbacks: CallbackLog,
    readonly postgres: LocalPostgres,
    readonly redis: LocalRedis,
    private readonly fronts: Record<AppName, Balancer>,
    readonly suite: RunningSuite,
    readonly client: Client,
  ) {
    this.replicas = { identity: [], 'token-gating': [], 'account-kit': [], analytics: [], gateway: [] };
    this.database = new DeploymentDatabase(suite.databaseUrl);
  }

  static async start(): Promise<Deployment> {
    const [chain, platforms, callbacks, postgres, redis, accounts] = await Promise.all([
      LocalChain.start(),
      PlatformsStandIn.start(),
      CallbackLog.start(),
      LocalPostgres.start(),
      LocalRedis.start(),
      demoAccounts(),
    ]);
    await chain.installMulticall3();
    await deployAccountContracts({ rpcUrl: chain.rpcUrl, root, accounts });
    const fronts = Object.fromEntries(
      await Promise.all(APPS.map(async (name) => [name, await balancer()] as const)),
    ) as Record<AppName, Balancer>;
    const suite = await onServer(postgres.url, () =>
      runningSuite({
        with: ['account-kit', 'analytics'],
        without: ['token-gating', 'gateway'],
        rpcUrls: { [chain.chainId]: chain.rpcUrl },
        env: {
          ...SCHEDULE,
          ...ROLLOUT,
          ...platforms.environment,
          REDIS_URL: redis.url,
          PUBLIC_URL: fronts.gateway.url,
          IDENTITY_URL: fronts.identity.url,
          TOKEN_GATING_URL: fronts['token-gating'].url,
          ACCOUNT_KIT_URL: fronts['account-kit'].url,
          ANALYTICS_URL: fronts.analytics.url,
          ACCOUNT_KIT_CHAINS: String(chain.chainId),
          EXECUTOR_KEYS: accounts.executor.privateKey,
          DEFAULT_POLICY: 'open',
        },
      }),
    );
    const client = await suite.createClient({
      scopes: ['token-gating', 'accountkit', ...SCOPES],
      requestsPerSecond: 100_000,
    });
    await queryDatabase(
      suite.databaseUrl,
      'UPDATE identity.client_applications SET origins = $1 WHERE id = $2',
      [[ORIGIN], client.clientId],
    );
    const deployment = new Deployment(chain, platforms, callbacks, postgres, redis, fronts, suite, client);
    for (const name of ['identity', 'account-kit', 'analytics'] as const)
      await deployment.admit(name, suite.app(name));
    for (const name of APPS)
      await Promise.all(
        Array.from({ length: REPLICAS - deployment.replicas[name].length }, () =>
          deployment.addReplica(name),
        ),
      );
    return deployment;
  }

  /** The URL of the balancer before all gateways. */
  get url(): string {
    return this.fronts.gateway.url;
  }

  /**
   * Replaces replicas as a rollout does: for each it starts another one, waits until it gets connections, and ends the
   * old one.
   */
  async rollOut(name: AppName): Promise<(number | null)[]> {
    const codes: (number | null)[] = [];
    for (const old of [...this.replicas[name]]) {
      await this.addReplica(name);
      this.replicas[name].splice(this.replicas[name].indexOf(old), 1);
      codes.push(await old.stop('SIGTERM'));
    }
    return codes;
  }

  /** @param env on top of what all replicas have */
  async addReplica(name: AppName, env: Record<string, string> = {}): Promise<void> {
    await this.admit(name, await this.suite.another(name, env));
  }

  /** Ends all replicas without a word. */
  async killAll(): Promise<void> {
    await Promise.all(
      APPS.flatMap((name) => this.replicas[name].splice(0).map((app) => app.stop('SIGKILL'))),
    );
  }

  /** Granted to the chain's first account. */
  get check(): object {
    const { chainId, client } = this.chain;
    const rules = [{ type: 'NATIVE', chainId, minToken: '1', roleId: 'rich' }];
    return { account: client.account.address, rules };
  }

  /** An asynchronous check. */
  requestCheck(log: CallbackLog): Promise<Response<{ requestId: string }>> {
    return this.request('/access-control/check-roles', { body: { ...this.check, callbackUrl: log.url() } });
  }

  async request<Body>(path: string, { headers = {}, body }: Request = {}): Promise<Response<Body>> {
    const response = await this.agent.request({
      origin: this.url,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'X-API-Key': this.client.apiKey, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.statusCode, body: (await response.body.json()) as Body };
  }

  /** @returns the value of `Authorization` */
  signIn(privateKey: string): Promise<string> {
    const { client, chain, url } = this;
    return signInWithWallet(
      { gatewayUrl: url, apiKey: client.apiKey, origin: ORIGIN, chainId: chain.chainId },
      privateKey,
      SCOPES,
    );
  }

  /** The smart account of a user of the chat platform. */
  async addressOf(userId: string): Promise<Address> {
    const headers = { 'X-BOT-TOKEN': this.platforms.botToken(userId) };
    const { body } = await this.request<{ evm: { address: Address }[] }>('/accountkit/v1/chatbot/accounts', {
      headers,
    });
    const address = body.evm[0]?.address;
    if (address === undefined) throw new Error(`no account: ${JSON.stringify(body)}`);
    return address;
  }

  /** Funds the account of a user and deploys it, so that several operations may wait at a time. */
  async fundedAccount(userId: string): Promise<Address> {
    const address = await this.addressOf(userId);
    await this.chain.setNativeBalance(address, parseEther('1'));
    await this.pay(userId);
    await until(
      'the account is deployed',
      async () => (await this.database.countUnfinishedOperations()) === 0,
    );
    return address;
  }

  /** Pays the recipient 1 wei from the user's account. */
  pay(userId: string): Promise<Response<{ userOperationHash: string }>> {
    return this.request(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${this.chain.chainId}`, {
      headers: { 'X-BOT-TOKEN': this.platforms.botToken(userId) },
      body: { target: RECIPIENT, callData: '0x', value: '1' },
    });
  }

  received(): Promise<bigint> {
    return this.chain.client.getBalance({ address: RECIPIENT });
  }

  async userIdOf(authorization: string): Promise<string> {
    const headers = { Authorization: authorization };
    return (await this.request<{ id: string }>('/account/me', { headers })).body.id;
  }

  async publishedKeys(): Promise<PublishedKeys> {
    return (await this.request<PublishedKeys>('/.well-known/jwks.json')).body;
  }

  async stop(): Promise<void> {
    await this.database.stop();
    await this.agent.destroy();
    await this.killAll();
    await this.suite.stop();
    await Promise.all(APPS.map((name) => this.fronts[name].stop()));
    await Promise.all([this.chain, this.platforms, this.callbacks, this.redis].map((one) => one.stop()));
    await this.postgres.stop();
  }

  private async admit(name: AppName, app: RunningApp): Promise<void> {
    this.replicas[name].push(app);
    await this.fronts[name].add(app);
    await until(`${name} gets connections`, () => this.fronts[name].isServing(app));
  }
}

/** Databases are created on this server meanwhile, instead of on the one that all tests share. */
async function onServer<T>(url: string, work: () => Promise<T>): Promise<T> {
  const shared = process.env.TEST_DATABASE_URL;
  process.env.TEST_DATABASE_URL = url;
  try {
    return await work();
  } finally {
    process.env.TEST_DATABASE_URL = shared;
  }
}

import { deployAccountContracts } from '../../scripts/chain/deploy-account-contracts.mjs';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { root } from '../../scripts/build/project.mjs';
import type { Client } from '../support/create-client.js';
import { lease } from '../support/lease.js';
import { type ChainOptions, LocalChain } from '../support/local-chain.js';
import { PlatformsStandIn } from '../support/platforms.js';
import { runningSuite, type RunningSuite } from '../support/running-suite.js';

/** The suite with account-kit, a chain with the contracts of smart accounts, and stand-ins of the platforms. */
export interface AccountKitSuite {
  readonly suite: RunningSuite;
  readonly chain: LocalChain;
  readonly contracts: Awaited<ReturnType<typeof deployAccountContracts>>;
  readonly platforms: PlatformsStandIn;
  readonly client: Client;
  /** Sends a request with the client application's key. */
  readonly call: <Body>(path: string, options?: CallOptions) => Promise<CallResponse<Body>>;
  readonly stop: () => Promise<void>;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The body is what the test asked for; an error is asserted with `toMatchObject`. */
export interface CallResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface AccountKitSuiteOptions {
  readonly hasPaymasters?: boolean;
  readonly hasConsumers?: boolean;
  readonly hasInstance?: boolean;
  readonly chainOptions?: ChainOptions;
}

type Contracts = AccountKitSuite['contracts'];
type Environment = Record<string, string>;

/** The suite that test files share. A file has users of its own, and leaves no operation behind that waits. */
export function leaseAccountKitSuite(options: { hasPaymasters?: boolean } = {}): Promise<AccountKitSuite> {
  return lease('account-kit', options, () => startAccountKitSuite({}, options));
}

/**
 * @param env further variables, also from the addresses of the contracts
 * @param options.hasPaymasters without them accounts pay for their operations
 * @param options.hasInstance without it the test starts instances of its own with `another`
 * @param options.chainOptions for the chain that is started
 * @param options.hasConsumers starts token-gating and analytics, too, which consume the events of operations
 */
export async function startAccountKitSuite(
  env: Environment | ((contracts: Contracts, chain: LocalChain) => Environment | Promise<Environment>) = {},
  {
    hasPaymasters = false,
    hasConsumers = false,
    hasInstance = true,
    chainOptions,
  }: AccountKitSuiteOptions = {},
): Promise<AccountKitSuite> {
  const [chain, platforms, accounts] = await Promise.all([
    LocalChain.startStrict(undefined, chainOptions),
    PlatformsStandIn.start(),
    demoAccounts(),
  ]);
  const contracts = await deployAccountContracts({ rpcUrl: chain.rpcUrl, root, accounts });
  const { paymaster07, paymaster08 } = contracts;
  const suite = await runningSuite({
    ...(hasConsumers
      ? { with: ['account-kit', 'analytics'] }
      : {
          with: ['account-kit'],
          without: ['token-gating', ...(hasInstance ? [] : (['account-kit'] as const))],
        }),
    rpcUrls: { [chain.chainId]: chain.rpcUrl },
    env: {
      ACCOUNT_KIT_CHAINS: String(chain.chainId),
      EXECUTOR_KEYS: accounts.executor.privateKey,
      DEFAULT_POLICY: 'open',
      ...(hasPaymasters
        ? {
            [`PAYMASTER_${chain.chainId}`]: `${paymaster08},0.7:${paymaster07}`,
            PAYMASTER_SIGNER_KEY: accounts.paymasterSigner.privateKey,
          }
        : {}),
      ...platforms.environment,
      ...(typeof env === 'function' ? await env(contracts, chain) : env),
    },
  });
  const client = await suite.createClient({ scopes: ['accountkit'] });
  const call = async <Body>(
    path: string,
    { method = 'GET', headers = {}, body }: CallOptions = {},
  ): Promise<CallResponse<Body>> => {
    const response = await fetch(suite.gatewayUrl + path, {
      method,
      headers: {
        'X-API-Key': client.apiKey,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as Body,
    };
  };
  const stop = async () => {
    await suite.stop();
    await Promise.all([chain.stop(), platforms.stop()]);
  };
  return { suite, chain, contracts, platforms, client, call, stop };
}

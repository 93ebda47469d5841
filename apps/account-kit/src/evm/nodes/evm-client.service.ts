import { setTimeout as sleep } from 'node:timers/promises';
import { ChainConfig, createConfiguredChainRegistry } from '@app/chain/evm';
import { formatErrorReason, MINUTE_MS } from '@app/common';
import { InvalidConfigurationError } from '@app/config';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BaseError, createPublicClient, fallback, type PublicClient } from 'viem';
import { PaymasterConfig } from '../paymasters/paymaster.config.js';
import { AccountKitChainsConfig } from '../chains/account-kit-chains.config.js';
import { ChainNode } from './chain-node.js';
import { checkChainContracts } from './check-chain-contracts.js';
import { createNodeTransports, type NodeTransports } from './create-node-transport.js';
import { chainNotSupported, chainUnavailable } from './evm.errors.js';
import { toBoundedError } from './to-bounded-error.js';

/** Nodes that failed their check are checked again after this time. */
const RECHECK_MS = 5_000;
/** Nodes that passed are checked again after this time: a provider may serve another chain, or another network of it, at the same URL. */
const RECHECK_PASSED_MS = 10 * MINUTE_MS;
/** A list of chains waits this long for chains that were never checked: a check takes some milliseconds unless a node is slow. */
const LIST_WAIT_MS = 2_000;

/** When one node has told its head, the others have this time: a node that hangs does not hold up each poll. */
const HEAD_WAIT_MS = 300;

interface CheckedChain {
  readonly client: PublicClient | undefined;
  readonly hasDeterministicDeployer: boolean;
  /** A client of each node that passed, in the configured order. */
  readonly nodes: readonly PublicClient[];
  /** Time by `performance.now()`. */
  readonly recheckAt: number;
}

/** Clients of the chains on which smart accounts act. A node is used once it has shown its chain and the contracts. */
@Injectable()
export class EvmClientService implements OnApplicationShutdown {
  private readonly transports: NodeTransports;
  private readonly registry: ReturnType<typeof createConfiguredChainRegistry>;
  private readonly chains = new Map<number, CheckedChain>();
  private readonly checks = new Map<number, Promise<CheckedChain>>();
  private readonly nodeClients = new Map<string, PublicClient>();
  /** URLs of nodes that have passed a check and were not refuted since. */
  private readonly passedUrls = new Set<string>();
  private readonly maxLag: bigint;

  constructor(
    private readonly config: AccountKitChainsConfig,
    chainConfig: ChainConfig,
    private readonly context: ServiceContext,
    private readonly paymasters: PaymasterConfig,
  ) {
    const { RPC_CONNECT_TIMEOUT_MS, RPC_TIMEOUT_MS, RPC_MAX_LAG_BLOCKS } = chainConfig.settings;
    this.maxLag = BigInt(RPC_MAX_LAG_BLOCKS);
    // Public nodes that nobody has chosen do not decide about money.
    this.registry = createConfiguredChainRegistry(chainConfig, { publicRpc: false });
    this.checkNodesAreNamed(chainConfig);
    this.transports = createNodeTransports({
      connectTimeoutMs: RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: RPC_TIMEOUT_MS,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.transports.close();
  }

  /** The configured chains, also those that are unavailable. */
  get chainIds(): readonly number[] {
    return this.config.ACCOUNT_KIT_CHAINS;
  }

  /**
   * The chains on which accounts can act, in the configured order: a node has shown the chain and its contracts. A chain stays in the list
   * while its nodes are away, and leaves it when they turn out to serve something else.
   */
  async listUsableChainIds(): Promise<readonly number[]> {
    const isChecked = (chainId: number) => this.chains.has(chainId);
    const [known, unknown] = [
      this.chainIds.filter(isChecked),
      this.chainIds.filter((chainId) => !isChecked(chainId)),
    ];
    // Checks that are due run in the background, and only the first one of a chain is waited for.
    const check = (chainId: number) => this.getClient(chainId).catch(() => undefined);
    for (const chainId of known) void check(chainId);
    if (unknown.length > 0)
      await Promise.race([Promise.all(unknown.map(check)), sleep(LIST_WAIT_MS, undefined, { ref: false })]);
    return this.chainIds.filter((chainId) => this.chains.get(chainId)?.client !== undefined);
  }

  /** @throws AppError 400 `chain_not_supported` for a chain that the deployment does not have */
  checkSupported(chainId: number): void {
    if (!this.chainIds.includes(chainId)) throw chainNotSupported(chainId);
  }

  /** @throws AppError 400 `chain_not_supported`, 503 `chain_unavailable` */
  async getClient(chainId: number): Promise<PublicClient> {
    this.checkSupported(chainId);
    const known = this.chains.get(chainId);
    const isStale = known !== undefined && performance.now() >= known.recheckAt;
    if (known?.client) {
      // The others are checked in the background: the chain is usable without them. It never rejects.
      if (isStale) void this.check(chainId);
      return known.client;
    }
    const { client } = known && !isStale ? known : await this.check(chainId);
    if (!client) throw chainUnavailable();
    return client;
  }

  /** Whether mints can work on a chain whose client was asked for before. */
  hasDeterministicDeployer(chainId: number): boolean {
    return this.chains.get(chainId)?.hasDeterministicDeployer ?? false;
  }

  /**
   * The first node that is not behind the best one, with its newest block: what is decided by several answers is asked of this node.
   * @throws AppError 400 `chain_not_supported`, 503 `chain_unavailable`
   */
  async pinNode(chainId: number): Promise<ChainNode> {
    await this.getClient(chainId);
    const loaded: (ChainNode | undefined)[] = [];
    const failures: unknown[] = [];
    const loads = (this.chains.get(chainId)?.nodes ?? []).map(async (client, index) => {
      loaded[index] = await ChainNode.load(client);
    });
    const all = Promise.all(loads.map((load) => load.catch((error: unknown) => failures.push(error))));
    const first = Promise.any(loads).then(
      () => sleep(HEAD_WAIT_MS, undefined, { ref: false }),
      () => undefined,
    );
    await Promise.race([all, first]);
    const nodes = loaded.flatMap((node) => node ?? []);
    const best = nodes.reduce((highest, { head }) => (head.number > highest ? head.number : highest), 0n);
    const node = nodes.find(({ head }) => head.number + this.maxLag >= best);
    if (node) return node;
    throw chainUnavailable({ cause: toBoundedError(failures[0]) });
  }

  /** Pins a node at the first call, and answers the same node afterwards. */
  pinNodeOnce(chainId: number): () => Promise<ChainNode> {
    let node: Promise<ChainNode> | undefined;
    return () => (node ??= this.pinNode(chainId));
  }

  /** @throws InvalidConfigurationError */
  private checkNodesAreNamed({ rpcUrls }: ChainConfig): void {
    const unnamed = this.chainIds.filter((chainId) => !this.registry.find(chainId)?.rpcUrls.length);
    if (unnamed.length > 0) {
      const lines = unnamed.map((chainId) =>
        rpcUrls.has(chainId)
          ? `  CHAINS: must have chain ${chainId} of ACCOUNT_KIT_CHAINS, which viem does not know`
          : `  RPC_URL_${chainId}: is required, because ACCOUNT_KIT_CHAINS has ${chainId}`,
      );
      throw new InvalidConfigurationError(`The environment is not usable:\n${lines.join('\n')}`);
    }
    if (this.chainIds.length === 0)
      this.context.logger.warn(
        'there is no chain of smart accounts: set ACCOUNT_KIT_CHAINS, and RPC_URL_<chainId> for each of them',
      );
  }

  private check(chainId: number): Promise<CheckedChain> {
    const running = this.checks.get(chainId);
    if (running) return running;
    const check = this.checkNodes(chainId).finally(() => this.checks.delete(chainId));
    this.checks.set(chainId, check);
    return check;
  }

  private async checkNodes(chainId: number): Promise<CheckedChain> {
    const urls = this.registry.find(chainId)?.rpcUrls ?? [];
    const results = await Promise.allSettled(
      urls.map((url) =>
        checkChainContracts(
          createPublicClient({ transport: this.transports.create(url) }),
          chainId,
          this.paymasters,
        ),
      ),
    );
    for (const [index, url] of urls.entries()) {
      const result = results[index];
      if (result?.status === 'fulfilled') this.passedUrls.add(url);
      // A node that is away has shown nothing else than before.
      else if (!(result?.reason instanceof BaseError)) this.passedUrls.delete(url);
    }
    const passed = urls.filter((url) => this.passedUrls.has(url));
    const hasFailures = results.some(({ status }) => status === 'rejected');
    if (hasFailures) this.logFailures(chainId, results);
    const hasDeterministicDeployer =
      results.some((result) => result.status === 'fulfilled' && result.value.hasDeterministicDeployer) ||
      (results.every(({ status }) => status === 'rejected') && this.hasDeterministicDeployer(chainId));
    const checked = {
      client: passed.length > 0 ? this.createClient(passed) : undefined,
      nodes: passed.map((url) => this.getNodeClient(url)),
      hasDeterministicDeployer,
      recheckAt:
        performance.now() + (hasFailures || !hasDeterministicDeployer ? RECHECK_MS : RECHECK_PASSED_MS),
    };
    this.chains.set(chainId, checked);
    return checked;
  }

  /** The same client for each check, because what is known about a node is kept by its client. */
  private getNodeClient(url: string): PublicClient {
    const client = this.nodeClients.get(url) ?? this.createClient([url]);
    this.nodeClients.set(url, client);
    return client;
  }

  private createClient(urls: readonly string[]): PublicClient {
    const transports = urls.map((url) => this.transports.create(url));
    return createPublicClient({ transport: fallback(transports, { retryCount: 0 }), cacheTime: 0 });
  }

  /** Reasons have no URL, which may contain a key. */
  private logFailures(chainId: number, results: readonly PromiseSettledResult<unknown>[]): void {
    const reasons = results.flatMap((result, index) =>
      result.status === 'rejected' ? [`node ${index + 1}: ${toReason(result.reason)}`] : [],
    );
    this.context.logger.warn({ chainId, reasons }, 'nodes of a chain are not usable');
  }
}

/** viem's messages end with the URL and the request; `shortMessage` does not. */
function toReason(error: unknown): string {
  if (error instanceof Error && 'shortMessage' in error) return String(error.shortMessage);
  return formatErrorReason(error);
}

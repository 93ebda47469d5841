import { setTimeout as sleep } from 'node:timers/promises';
import { ChainConfig, createConfiguredChainRegistry } from '@app/chain/evm';
import { MINUTE_MS } from '@app/common';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createPublicClient, type PublicClient } from 'viem';
import { NodeOrder } from '../../chain-nodes/node-order.js';
import { PaymasterConfig } from '../paymaster.config.js';
import { AccountKitChainsConfig, checkNodesAreNamed } from '../account-kit-chains.config.js';
import { ChainNode, type CheckedNode } from './chain-node.js';
import { checkChainContracts, isRefuted } from './check-chain-contracts.js';
import { createNodeTransports, type NodeTransports } from '@app/chain/node-transports';
import { chainNotSupported, chainUnavailable, toBoundedError, toShortReason } from './evm.errors.js';
import { findHeadOutliers, type HeadRule, toHeadRule } from './find-head-outliers.js';
/** Nodes that failed their check are checked again after this time. */
const RECHECK_MS = 5_000;
/** Nodes that passed are checked again after this time: a provider may serve another chain, or another network of it, at the same URL. */
const RECHECK_PASSED_MS = 10 * MINUTE_MS;
/** A list of chains waits this long for chains that were never checked: a check takes some milliseconds unless a node is slow. */
const LIST_WAIT_MS = 2_000;

/**
 * The time that other nodes have after the first one has told its head: a node that hangs does not hold up each poll.
 */
const HEAD_WAIT_MS = 300;
/** Heads of the nodes of a chain in use are compared at this interval. */
const COMPARE_MS = 5_000;

interface CheckedChain {
  readonly client: PublicClient | undefined;
  readonly hasDeterministicDeployer: boolean;
  /** Nodes that passed: in the configured order, but nodes whose head no other node explains come last. */
  readonly nodes: readonly CheckedNode[];
  /** Times by `performance.now()`. */
  readonly recheckAt: number;
  readonly compareAt: number;
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
  /** URLs of nodes whose head no other node explains. */
  private readonly outlierUrls = new Set<string>();
  /** Nodes of all chains, by URL. */
  private readonly nodeOrder = new NodeOrder<string>();
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
    checkNodesAreNamed(this.chainIds, this.registry, chainConfig);
    if (this.chainIds.length === 0)
      this.context.logger.warn(
        'there is no chain of smart accounts: set ACCOUNT_KIT_CHAINS, and RPC_URL_<chainId> for each of them',
      );
    this.transports = createNodeTransports({
      connectTimeoutMs: RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: RPC_TIMEOUT_MS,
      onFailure: (url) => {
        this.nodeOrder.putLast(url);
      },
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
      else if (performance.now() >= known.compareAt) void this.loadNodes(chainId, known);
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
   * The first node that is not behind the best one, with its newest block: what is decided by several answers is asked of this node. A node
   * whose head is further above the others than time explains is not the best one. A node that failed or was outvoted a moment ago comes last.
   * @throws AppError 400 `chain_not_supported`, 503 `chain_unavailable`
   */
  async pinNode(chainId: number): Promise<ChainNode> {
    await this.getClient(chainId);
    const checked = this.chains.get(chainId);
    const { nodes, failure } = await this.loadNodes(chainId, checked);
    const best = nodes.reduce((highest, { head }) => (head.number > highest ? head.number : highest), 0n);
    const node = nodes.find(({ head }) => head.number + this.maxLag >= best);
    if (node) return node;
    throw chainUnavailable({ cause: toBoundedError(failure) });
  }

  /** Pins a node at the first call, and answers the same node afterwards. */
  pinNodeOnce(chainId: number): () => Promise<ChainNode> {
    let node: Promise<ChainNode> | undefined;
    return () => (node ??= this.pinNode(chainId));
  }

  /** Loads the heads of the nodes, without outliers, and orders the nodes by them. Never rejects. */
  private async loadNodes(
    chainId: number,
    checked: CheckedChain | undefined,
  ): Promise<{ nodes: readonly ChainNode[]; failure: unknown }> {
    const known = checked?.nodes ?? [];
    if (checked) this.setCompared(chainId, checked);
    const rule = this.getHeadRule(chainId);
    const loaded: (ChainNode | undefined)[] = [];
    const failures: unknown[] = [];
    const rules = { head: rule, order: this.nodeOrder };
    const loads = known.map(async (node, index) => {
      const others = known.filter((other) => other !== node);
      loaded[index] = await ChainNode.load(node, others, rules);
    });
    const all = Promise.all(loads.map((load) => load.catch((error: unknown) => failures.push(error))));
    const first = Promise.any(loads).then(
      () => sleep(HEAD_WAIT_MS, undefined, { ref: false }),
      () => undefined,
    );
    await Promise.race([all, first]);
    const heads = known.map((_, index) => loaded[index]?.head);
    const outliers = findHeadOutliers(heads, rule);
    this.order(chainId, known, { heads, outliers });
    const trusted = known.flatMap(({ url }, index) => {
      const node = this.outlierUrls.has(url) ? undefined : loaded[index];
      return node ? [{ url, node }] : [];
    });
    const nodes = this.nodeOrder.sort(trusted, ({ url }) => url).map(({ node }) => node);
    return { nodes, failure: failures[0] };
  }

  private getHeadRule(chainId: number): HeadRule {
    return toHeadRule(this.maxLag, this.registry.find(chainId)?.blockTime);
  }

  private setCompared(chainId: number, checked: CheckedChain): void {
    this.chains.set(chainId, { ...checked, compareAt: performance.now() + COMPARE_MS });
  }

  /**
   * Requests of every kind are sent to outliers last. A node that did not tell its head stays what it was, and so does an outlier whose head
   * is the only one: that the others are away explains nothing.
   */
  private order(
    chainId: number,
    nodes: readonly CheckedNode[],
    { heads, outliers }: { readonly heads: readonly unknown[]; readonly outliers: ReadonlySet<number> },
  ): void {
    const isCompared = heads.filter((head) => head !== undefined).length > 1;
    const isNew = nodes.map(({ url }, index) => {
      if (!isCompared) return false;
      if (heads[index] === undefined || this.outlierUrls.has(url) === outliers.has(index)) return false;
      if (outliers.has(index)) this.outlierUrls.add(url);
      else this.outlierUrls.delete(url);
      return true;
    });
    if (!isNew.includes(true)) return;
    const urls = this.registry.find(chainId)?.rpcUrls ?? [];
    const positions = nodes
      .filter(({ url }) => this.outlierUrls.has(url))
      .map(({ url }) => urls.indexOf(url) + 1);
    this.context.logger.warn(
      { chainId, nodes: positions },
      positions.length > 0
        ? 'nodes of a chain are asked last: their newest block is further above that of the others than time explains'
        : 'the newest blocks of all nodes of a chain agree again',
    );
    const checked = this.chains.get(chainId);
    const passed = checked?.nodes.map(({ url }) => url) ?? [];
    if (checked) this.chains.set(chainId, { ...checked, ...this.createClients(chainId, passed) });
  }

  private createClients(chainId: number, passed: readonly string[]): Pick<CheckedChain, 'client' | 'nodes'> {
    const configured = (this.registry.find(chainId)?.rpcUrls ?? []).filter((url) => passed.includes(url));
    const isOutlier = (url: string) => this.outlierUrls.has(url);
    const trusted = configured.filter((url) => !isOutlier(url));
    const outliers = configured.filter(isOutlier);
    const urls = [...trusted, ...outliers];
    return {
      client:
        urls.length > 0
          ? this.transports.createClient(urls, () => [
              ...this.nodeOrder.sort(trusted, (url) => url),
              ...outliers,
            ])
          : undefined,
      nodes: urls.map((url) => ({ url, client: this.getNodeClient(url) })),
    };
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
      else if (isRefuted(result?.reason)) this.passedUrls.delete(url);
    }
    const passed = urls.filter((url) => this.passedUrls.has(url));
    const hasFailures = results.some(({ status }) => status === 'rejected');
    if (hasFailures) this.logFailures(chainId, results);
    const hasDeterministicDeployer =
      results.some((result) => result.status === 'fulfilled' && result.value.hasDeterministicDeployer) ||
      (results.every(({ status }) => status === 'rejected') && this.hasDeterministicDeployer(chainId));
    const checked: CheckedChain = {
      ...this.createClients(chainId, passed),
      hasDeterministicDeployer,
      compareAt: 0,
      recheckAt:
        performance.now() + (hasFailures || !hasDeterministicDeployer ? RECHECK_MS : RECHECK_PASSED_MS),
    };
    this.chains.set(chainId, checked);
    // The first requests go to no outlier either.
    if (passed.length > 1) await this.loadNodes(chainId, checked);
    return this.chains.get(chainId) ?? checked;
  }

  /** The same client for each check, because what is known about a node is kept by its client. */
  private getNodeClient(url: string): PublicClient {
    const client = this.nodeClients.get(url) ?? this.transports.createClient([url]);
    this.nodeClients.set(url, client);
    return client;
  }

  /** Reasons have no URL, which may contain a key. */
  private logFailures(chainId: number, results: readonly PromiseSettledResult<unknown>[]): void {
    const reasons = results.flatMap((result, index) =>
      result.status === 'rejected' ? [`node ${index + 1}: ${toShortReason(result.reason)}`] : [],
    );
    this.context.logger.warn({ chainId, reasons }, 'nodes of a chain are not usable');
  }
}

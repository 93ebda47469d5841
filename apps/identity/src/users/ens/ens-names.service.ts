import { deriveUserId } from '@app/auth';
import type { EnsNameReader } from '@app/chain/ens';
import { ChainConfig } from '@app/chain/evm';
import { boundEntries, formatErrorReason, hasFinishedWithin, MINUTE_MS, SECOND_MS } from '@app/common';
import { Database } from '@app/database';
import type { EvmAddress } from '@app/dto';
import { SafeHttpClient } from '@app/http';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import {
  ContractCheckBudget,
  type ContractCheckBudgetSize,
} from '../../wallet-signatures/contract-check-budget.js';
import { EnsConfig } from './ens.config.js';
import { findEnsEntry, saveEnsName } from './ens-names.queries.js';

/** What became of a name that somebody typed. */
export type EnsResolution =
  | { readonly kind: 'found'; readonly name: string; readonly address: EvmAddress }
  | { readonly kind: 'unknown'; readonly name: string }
  /** It has no normal form: it mixes scripts, or has characters that names have not. */
  | { readonly kind: 'invalid' }
  /** A node or a gateway does not answer in time, or the requester has looked up too many names. */
  | { readonly kind: 'unavailable' };

/** Whoever needs a name waits this long. The look-up goes on, and the next request finds its result. */
const MAX_WAIT_MS = SECOND_MS;
/** A look-up ends after this time: two calls of nodes and an answer of a gateway. */
const LOOKUP_TIMEOUT_MS = 5 * SECOND_MS;
/** A look-up without a result is repeated after this time, so that a hanging gateway is waited for once a minute at most. */
const FAILURE_TTL_MS = MINUTE_MS;
const MAX_FAILURES = 20_000;
/** Look-ups of one instance at once. Owners of names choose the contracts and gateways that these wait for. */
const MAX_CONCURRENT_LOOKUPS = 32;
const MAX_REQUESTERS = 10_000;

/**
 * ENS names of users: of externally owned accounts, and of contract accounts on the chain of ENS. A name is kept for an hour, in the database.
 * Callers wait for a look-up a second at most, and never see it fail.
 */
@Injectable()
export class EnsNamesService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly nodeUrls: readonly string[];
  private reader: Promise<EnsNameReader> | undefined;
  private readonly http: SafeHttpClient;
  private readonly running = new Map<string, Promise<string | undefined>>();
  private readonly failed = new LRUCache<string, true>({
    ...boundEntries(MAX_FAILURES),
    ttl: FAILURE_TTL_MS,
  });
  private readonly limits: ContractCheckBudgetSize;
  private readonly budget: ContractCheckBudget;
  private readonly requesters = new LRUCache<string, ContractCheckBudget>(boundEntries(MAX_REQUESTERS));
  private readonly stopping = new AbortController();
  private readonly lookups: Counter<'outcome'>;

  constructor(
    private readonly chains: ChainConfig,
    private readonly config: EnsConfig,
    private readonly database: Database,
    private readonly context: ServiceContext,
  ) {
    this.nodeUrls = chains.rpcUrls.get(config.ENS_CHAIN_ID) ?? [];
    this.limits = { maxConcurrent: MAX_CONCURRENT_LOOKUPS, maxPerMinute: config.ENS_LOOKUPS_PER_MINUTE };
    this.budget = new ContractCheckBudget(this.limits);
    // Gateways' URLs hold what is asked.
    this.http = new SafeHttpClient({ allowedCidrs: config.ENS_GATEWAY_ALLOW_CIDRS, cachesUrls: false });
    this.lookups = new Counter({
      name: 'identity_ens_lookups_total',
      help: 'Look-ups of ENS names.',
      labelNames: ['outcome'],
      registers: [context.metrics.registry],
    });
  }

  /**
   * @param walletKey the platform user id of an Ethereum user
   * @param requester for whom the name is: look-ups for one client application use as much of the limit as they leave to others
   * @returns undefined also if the name is not known in time
   */
  async find(walletKey: string, requester: string): Promise<string | undefined> {
    const address = this.nodeUrls.length > 0 ? this.toAddress(walletKey) : undefined;
    if (address === undefined) return undefined;
    const userId = deriveUserId('ethereum', walletKey);
    const { name, isFresh, now } = await findEnsEntry(this.database, userId);
    if (isFresh) return name ?? undefined;
    const lookup = this.running.get(userId) ?? this.start({ userId, address, now }, requester);
    if (lookup && (await hasFinishedWithin(MAX_WAIT_MS, lookup, this.stopping.signal))) return lookup;
    return undefined;
  }

  /** Whether names can be looked up here. */
  get isAvailable(): boolean {
    return this.nodeUrls.length > 0;
  }

  /**
   * The address of a name that somebody typed, read now: it may have changed since it was read last. Never rejects, and takes 5 s at most.
   * @param requester as for `find`: one requester uses as much of the limits as it leaves to others
   */
  async resolve(text: string, requester: string): Promise<EnsResolution> {
    const { normaliseEnsName } = await import('@app/chain/ens');
    const name = normaliseEnsName(text);
    if (name === undefined) return { kind: 'invalid' };
    const budget = this.findBudget(requester);
    if (this.stopping.signal.aborted || this.budget.limitExceededFor(budget)) {
      this.lookups.inc({ outcome: 'limited' });
      return { kind: 'unavailable' };
    }
    const stop = new AbortController();
    const reading = this.runWithin([this.budget, budget], () => this.readAddress(name, stop.signal));
    const isDone = await hasFinishedWithin(LOOKUP_TIMEOUT_MS, reading, this.stopping.signal);
    if (!isDone) stop.abort();
    return isDone ? reading : { kind: 'unavailable' };
  }

  /** Begins to load viem, for which the first users would wait. */
  onApplicationBootstrap(): void {
    if (this.nodeUrls.length > 0) void this.loadReader();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running.values());
    await this.http.close();
    await (await this.reader)?.close();
  }

  /** Undefined for a contract account on another chain: its address may be another contract on this one. */
  private toAddress(walletKey: string): EvmAddress | undefined {
    const address = walletKey.slice(walletKey.lastIndexOf(':') + 1) as EvmAddress;
    const isHere = walletKey === address || walletKey === `eip155:${this.config.ENS_CHAIN_ID}:${address}`;
    return isHere ? address : undefined;
  }

  /** Never rejects. Undefined where a limit is reached or the last look-up failed a moment ago. */
  private start(user: LookedUpUser, requester: string): Promise<string | undefined> | undefined {
    const { userId } = user;
    if (this.failed.has(userId) || this.stopping.signal.aborted) return undefined;
    const budget = this.findBudget(requester);
    if (this.budget.limitExceededFor(budget)) {
      this.lookups.inc({ outcome: 'limited' });
      return undefined;
    }
    const lookup = this.runWithin([this.budget, budget], () => this.lookUp(user)).finally(() =>
      this.running.delete(userId),
    );
    this.running.set(userId, lookup);
    return lookup;
  }

  private findBudget(requester: string): ContractCheckBudget {
    const budget = this.requesters.get(requester) ?? new ContractCheckBudget(this.limits);
    this.requesters.set(requester, budget);
    return budget;
  }

  /** Occupies both budgets until the look-up has ended, however long somebody waits for it. */
  private async runWithin<T>(budgets: readonly ContractCheckBudget[], lookUp: () => Promise<T>): Promise<T> {
    for (const each of budgets) each.acquire();
    try {
      return await lookUp();
    } finally {
      for (const each of budgets) each.release();
    }
  }

  /** Never rejects. */
  private async readAddress(name: string, signal: AbortSignal): Promise<EnsResolution> {
    try {
      const address = await (await this.loadReader()).readAddress(name, signal);
      this.lookups.inc({ outcome: address === undefined ? 'unnamed' : 'named' });
      return address === undefined ? { kind: 'unknown', name } : { kind: 'found', name, address };
    } catch (error) {
      this.lookups.inc({ outcome: 'failed' });
      // A name's owner can bring this about.
      this.context.logger.debug(
        { reason: formatErrorReason(error) },
        'the address of an ENS name was not read',
      );
      return { kind: 'unavailable' };
    }
  }

  private async lookUp({ userId, address, now }: LookedUpUser): Promise<string | undefined> {
    const stop = new AbortController();
    try {
      const reader = await this.loadReader();
      const reading = reader.readName(address, stop.signal);
      if (!(await hasFinishedWithin(LOOKUP_TIMEOUT_MS, reading, this.stopping.signal)))
        throw new Error('the look-up takes too long');
      const name = await reading;
      await saveEnsName(this.database, userId, { name: name ?? null, now });
      this.lookups.inc({ outcome: name === undefined ? 'unnamed' : 'named' });
      return name;
    } catch (error) {
      this.failed.set(userId, true);
      this.lookups.inc({ outcome: 'failed' });
      // A name's owner can bring this about.
      this.context.logger.debug({ reason: formatErrorReason(error) }, 'an ENS name was not read');
      return undefined;
    } finally {
      stop.abort();
    }
  }

  /** Loads viem where it is needed only. */
  private loadReader(): Promise<EnsNameReader> {
    const { RPC_CONNECT_TIMEOUT_MS, RPC_TIMEOUT_MS } = this.chains.settings;
    this.reader ??= import('@app/chain/ens').then(
      ({ EnsNameReader }) =>
        new EnsNameReader({
          nodeUrls: this.nodeUrls,
          http: this.http,
          universalResolver: this.config.ENS_UNIVERSAL_RESOLVER,
          connectTimeoutMs: RPC_CONNECT_TIMEOUT_MS,
          requestTimeoutMs: RPC_TIMEOUT_MS,
        }),
    );
    return this.reader;
  }
}

interface LookedUpUser {
  readonly userId: string;
  readonly address: EvmAddress;
  /** The beginning of the look-up, by the database's clock. */
  readonly now: string;
}

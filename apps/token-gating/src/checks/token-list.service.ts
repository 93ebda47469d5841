import { parseTokenIdLines, type TokenIds, type TokenGatingRule } from '@app/dto';
import { SafeHttpError, SafeHttpClient } from '@app/http';
import { Bulkhead, BulkheadFullError } from '@app/limits';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  toTokenListFailure,
  findStatusFailure,
  type TokenListFailure,
  createTokenListFailure,
} from '../rules/rule-failures.js';
import { getTokenList, type ResolvedRule, resolveTokenIds } from '../rules/rule-type.js';
import { getRuleType } from '../rules/rule-type-registry.js';
import { countInlineReads } from './validate-rules.js';

/** contract.md section 5. */
const FETCH_LIMITS = { maxBytes: 1024 * 1024, timeoutMs: 5_000 };
const CACHE_TTL_MS = 30_000;
/** Keeps concurrent checks from fetching a failing list again at once. */
const FAILURE_CACHE_TTL_MS = 1_000;
/** Maximum ranges of all cached lists, about 150 bytes each. */
const MAX_CACHED_RANGES = 200_000;
const MAX_CACHED_LISTS = 2_000;
/**
 * Concurrent fetches: further ones fail at once, because clients choose the servers, and waiting would exceed the time
 * limit of a check.
 */
const MAX_CONCURRENT_FETCHES = 128;
/** An eighth, so that no tenant takes all of them. Further ones of the tenant wait: a check may name 20 lists. */
const MAX_FETCHES_PER_TENANT = MAX_CONCURRENT_FETCHES / 8;
/** Half of the connections to a server, which lists of other tenants may be on. */
const MAX_FETCHES_PER_TENANT_AND_SERVER = 8;
/** Fetches that wait, per tenant: the lists of three checks. */
const MAX_WAITING_FETCHES = 60;
/** Leaves time to fetch within the time limit of a check. */
const MAX_WAIT_MS = 4_000;
/**
 * The rest of a server after a timeout. It holds for the tenant alone, because it may have chosen a path of the server
 * that never answers.
 */
const SERVER_REST_MS = FETCH_LIMITS.timeoutMs;
const MAX_RESTING_SERVERS = 2_000;

type TokenListResult = TokenIds | TokenListFailure;

const isFailure = (result: TokenListResult): result is TokenListFailure => 'code' in result;

/**
 * Fetches lists of token ids, once for concurrent checks, and caches them for half a minute. Fetches in progress are shared
 * by tenants, and each tenant's by servers.
 */
@Injectable()
export class TokenListService {
  private readonly cache = new LRUCache<string, TokenListResult>({
    max: MAX_CACHED_LISTS,
    maxSize: MAX_CACHED_RANGES,
    sizeCalculation: (result) => (isFailure(result) ? 1 : result.ranges.length),
  });
  private readonly pending = new Map<string, Promise<TokenListResult>>();
  private readonly limiter = new Bulkhead({ max: MAX_CONCURRENT_FETCHES });
  private readonly tenantLimiter = new Bulkhead({
    maxPerKey: MAX_FETCHES_PER_TENANT,
    maxWaitingPerKey: MAX_WAITING_FETCHES,
  });
  private readonly serverLimiter = new Bulkhead({
    maxPerKey: MAX_FETCHES_PER_TENANT_AND_SERVER,
    maxWaitingPerKey: MAX_WAITING_FETCHES,
  });
  /** Servers that are not asked for a while, by tenant and server. */
  private readonly resting = new LRUCache<string, true>({ max: MAX_RESTING_SERVERS, ttl: SERVER_REST_MS });

  constructor(private readonly fetcher: SafeHttpClient) {}

  /** Why a URL is not allowed, without a request to it; undefined when it is allowed. */
  getBlockReason(url: string): string | undefined {
    return this.fetcher.findUrlProblem(url);
  }

  /**
   * Resolves with a failure when the list cannot be fetched or parsed.
   * @param tenantId whose share of the fetches in progress it takes
   */
  async find(url: string, tenantId: string): Promise<TokenListResult> {
    const known = this.findKnown(url);
    if (known) return known;
    const server = `${tenantId} ${new URL(url).origin}`;
    const startBy = performance.now() + MAX_WAIT_MS;
    // A fetch that waits is not in `pending`, because other tenants need not wait for it.
    const fetch = async (): Promise<TokenListResult> => {
      if (this.resting.has(server)) return createRestingFailure();
      if (performance.now() > startBy) return createBusyFailure();
      return this.findKnown(url) ?? this.fetch(url, server, tenantId);
    };
    return this.serverLimiter.run(server, () => this.tenantLimiter.run(tenantId, fetch)).catch(toBusyFailure);
  }

  private findKnown(url: string): TokenListResult | Promise<TokenListResult> | undefined {
    return this.cache.get(url) ?? this.pending.get(url);
  }

  private fetch(url: string, server: string, tenantId: string): Promise<TokenListResult> {
    const fetched = this.limiter
      .run(tenantId, () => this.fetchNow(url, server))
      .catch(toBusyFailure)
      .finally(() => this.pending.delete(url));
    this.pending.set(url, fetched);
    return fetched;
  }

  private async fetchNow(url: string, server: string): Promise<TokenListResult> {
    const result = await this.fetcher.getText(url, FETCH_LIMITS).then(
      (answer) => findStatusFailure(answer) ?? parseList(answer.text),
      (error: unknown) => toFailure(error),
    );
    this.cache.set(url, result, { ttl: isFailure(result) ? FAILURE_CACHE_TTL_MS : CACHE_TTL_MS });
    if (isFailure(result) && result.code === 'list_timeout') this.resting.set(server, true);
    return result;
  }
}

function parseList(text: string): TokenListResult {
  const ids = parseTokenIdLines(text);
  return typeof ids === 'string' ? createTokenListFailure('list_malformed', ids) : ids;
}

function toFailure(error: unknown): TokenListFailure {
  if (error instanceof SafeHttpError) return toTokenListFailure(error);
  throw error;
}

const createRestingFailure = (): TokenListFailure =>
  createTokenListFailure('list_unavailable', 'was not fetched: its server timed out a moment ago');

const createBusyFailure = (): TokenListFailure =>
  createTokenListFailure('list_unavailable', 'was not fetched: too many others are at the moment');

function toBusyFailure(error: unknown): TokenListFailure {
  if (error instanceof BulkheadFullError) return createBusyFailure();
  throw error;
}

/** A rule with its token ids, or why they could not be loaded. */
export type LoadedRule = ResolvedRule | TokenListFailure;

interface ReadBudget {
  /** The tenant whose share of the fetches in progress the lists take. */
  readonly tenantId: string;
  /** Maximum number of addresses that are read per rule. */
  readonly addressCount: number;
  readonly maxReads: number;
}

export const isTokenListFailure = (loaded: LoadedRule): loaded is TokenListFailure => 'permanent' in loaded;

/**
 * Fetches the token lists that rules name. The length of a list is known only after fetching it: lists that exceed the rest
 * of the read budget become failures.
 */
export async function loadTokenLists(
  rules: readonly TokenGatingRule[],
  lists: Pick<TokenListService, 'find'>,
  { tenantId, addressCount, maxReads }: ReadBudget,
): Promise<LoadedRule[]> {
  // Shortcut for most requests.
  if (!rules.some(getTokenList)) return rules.map((rule) => resolveTokenIds(rule, undefined));
  let remaining = maxReads - countInlineReads(rules, addressCount);
  const tokenIds = await Promise.all(
    rules.map(async (rule) => {
      const list = getTokenList(rule);
      return list && (await lists.find(list.url, tenantId));
    }),
  );
  return rules.map((rule, index): LoadedRule => {
    const ids = tokenIds[index];
    if (ids && 'code' in ids) return ids;
    const loaded = resolveTokenIds(rule, ids);
    if (!ids) return loaded;
    remaining -= getRuleType(rule).countReads(loaded, addressCount);
    if (remaining >= 0) return loaded;
    return createTokenListFailure(
      'list_malformed',
      `makes more than ${maxReads} reads of all rules together`,
    );
  });
}

export function countReads(rules: readonly LoadedRule[], addressCount: number): number {
  return rules.reduce(
    (sum, rule) => (isTokenListFailure(rule) ? sum : sum + getRuleType(rule).countReads(rule, addressCount)),
    0,
  );
}

import { Bulkhead, BulkheadFullError } from '@app/limits';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { createMetadataFailure, type MetadataFailure } from './metadata-failure.js';
import type { MetadataResult } from './metadata-document.js';
import { METADATA_LIMITS } from './metadata.config.js';

/** contract.md section 8. */
const MAX_CONCURRENT_FETCHES = 32;
const MAX_FETCHES_PER_SERVER = 4;
/** A quarter of all, so that no tenant takes all of them. Further ones of the tenant wait. */
const MAX_FETCHES_PER_TENANT = MAX_CONCURRENT_FETCHES / 4;
/** Leaves one to other tenants, whose metadata may be on the same server or gateway. */
const MAX_FETCHES_PER_TENANT_AND_SERVER = MAX_FETCHES_PER_SERVER - 1;
/** Per tenant: the documents of two requests. */
const MAX_WAITING_FETCHES = 400;
/** Tenants that wait for a server or for the app: more than can be served in time. */
const MAX_WAITING_TENANTS = 64;
/** Leaves time to fetch within the time limit of a check. */
const MAX_WAIT_MS = 4_500;
/**
 * The rest of a server after a timeout. It holds for the tenant alone, because it may have chosen a path of the server
 * that never answers.
 */
const SERVER_REST_MS = METADATA_LIMITS.timeoutMs;
const MAX_RESTING_SERVERS = 2_000;

interface Share {
  readonly tenantId: string;
  /** Origin of an https URL, or the scheme whose gateways are asked. */
  readonly server: string;
}

/**
 * Bounds the fetches in progress: per tenant and server, per tenant, per server, and of all. A fetch waits for the shares of
 * its own tenant first, so that a tenant holds at most its share of what tenants have in common, also while it waits.
 */
@Injectable()
export class MetadataFetchLimiter {
  private readonly ownServers = new Bulkhead({
    maxPerKey: MAX_FETCHES_PER_TENANT_AND_SERVER,
    maxWaitingPerKey: MAX_WAITING_FETCHES,
  });
  private readonly tenants = new Bulkhead({
    maxPerKey: MAX_FETCHES_PER_TENANT,
    maxWaitingPerKey: MAX_WAITING_FETCHES,
  });
  private readonly servers = new Bulkhead({
    maxPerKey: MAX_FETCHES_PER_SERVER,
    maxWaitingPerKey: MAX_WAITING_TENANTS,
  });
  private readonly all = new Bulkhead({
    maxPerKey: MAX_CONCURRENT_FETCHES,
    maxWaitingPerKey: MAX_WAITING_TENANTS,
  });
  /** Servers that are not asked for a while, by tenant and server. */
  private readonly resting = new LRUCache<string, true>({ max: MAX_RESTING_SERVERS, ttl: SERVER_REST_MS });

  /** @param findKnown asked again after the wait, because another request may have fetched the same */
  async execute(
    { tenantId, server }: Share,
    findKnown: () => MetadataResult | Promise<MetadataResult> | undefined,
    fetch: () => Promise<MetadataResult>,
  ): Promise<MetadataResult> {
    const key = `${tenantId} ${server}`;
    const startBy = performance.now() + MAX_WAIT_MS;
    const fetchInTime = async (): Promise<MetadataResult> => {
      const known = findKnown();
      if (known) return known;
      if (this.resting.has(key)) return RESTING;
      if (performance.now() > startBy) return BUSY;
      const result = await fetch();
      // Gateways answer for many publishers: a document that they cannot find says nothing about others.
      const isOwnServer = server.includes(':');
      if (isOwnServer && !result.ok && result.code === 'metadata_timeout') this.resting.set(key, true);
      return result;
    };
    return this.ownServers
      .run(key, () =>
        this.tenants.run(tenantId, () => this.servers.run(server, () => this.all.run('all', fetchInTime))),
      )
      .catch(toBusyFailure);
  }
}

const RESTING = createMetadataFailure(
  'metadata_unavailable',
  'was not fetched: its server timed out a moment ago',
);

const BUSY = createMetadataFailure(
  'metadata_unavailable',
  'was not fetched: too many others are at the moment',
);

function toBusyFailure(error: unknown): MetadataFailure {
  if (error instanceof BulkheadFullError) return BUSY;
  throw error;
}

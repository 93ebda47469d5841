import type { Principal } from '@app/auth';
import { type AppError, forbidden, notFound, RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import type { AnalyticsAccessRequest, AnalyticsAccessResponse, RefusedAnalyticsAccess } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { TokenGatingClient } from '../clients/token-gating-client.js';

const communitiesUnavailable = (cause: unknown) =>
  serviceUnavailable(
    'communities_unavailable',
    'Communities cannot be looked up at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );

const REFUSALS: Record<RefusedAnalyticsAccess, () => AppError> = {
  community_not_found: () =>
    notFound('community_not_found', 'The community does not exist, or you may not see it.'),
  administrator_required: () =>
    forbidden('administrator_required', 'Only administrators of the community may do this.'),
  client_not_attached: () =>
    forbidden(
      'attached_client_required',
      'Only client applications that are attached to the community may do this: an administrator can attach yours.',
    ),
};

const accessRefused = (outcome: RefusedAnalyticsAccess): AppError => REFUSALS[outcome]();

type Granted = Extract<AnalyticsAccessResponse, { outcome: 'granted' }>;
/** A role of a community, as it is called now. */
export type CurrentRole = Granted['roles'][number];

/** A withdrawn right ends within the five seconds in which a revoked credential ends. */
const CACHE_TTL_MS = 3_000;
/** Bounds the memory: a community has at most 250 roles. */
const MAX_CACHED_ROLES = 50_000;

/** Requires that the caller may read the analytics of a community, which token-gating decides. */
@Injectable()
export class ReportAccessService {
  /** Concurrent requests of one caller share one check. A refusal is not cached. */
  private readonly granted = new LRUCache<string, Granted, AnalyticsAccessRequest>({
    ttl: CACHE_TTL_MS,
    maxSize: MAX_CACHED_ROLES,
    sizeCalculation: ({ roles }) => 1 + roles.length,
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context }) => this.check(context),
  });

  constructor(private readonly tokenGating: TokenGatingClient) {}

  /** @returns the roles of the community. @throws AppError 403, 404, or 503 where token-gating does not answer */
  async require(principal: Principal, communityId: string): Promise<readonly CurrentRole[]> {
    return (await this.load({ communityId, ...toRequester(principal) })).roles;
  }

  /**
   * Requires the same as `require`.
   * @returns whether the caller may read the wallets of members, too. @throws AppError 403, 404 or 503
   */
  async requireAndCheckWallets(principal: Principal, communityId: string): Promise<boolean> {
    return (await this.load({ communityId, ...toRequester(principal), withWallets: true })).readsWallets;
  }

  private async load(request: AnalyticsAccessRequest): Promise<Granted> {
    return this.granted.forceFetch(JSON.stringify(request), { context: request });
  }

  private async check(request: AnalyticsAccessRequest): Promise<Granted> {
    const access = await this.tokenGating.checkAccess(request).catch((error: unknown) => {
      throw communitiesUnavailable(error);
    });
    if (access.outcome !== 'granted') throw accessRefused(access.outcome);
    return access;
  }
}

/** The user where there is one: a token of theirs grants nothing that the application may do for itself. */
function toRequester(principal: Principal): Pick<AnalyticsAccessRequest, 'userId' | 'clientId'> {
  if (principal.kind !== 'caller') return {};
  const { user, client } = principal;
  return user ? { userId: user.id } : { clientId: client?.id };
}

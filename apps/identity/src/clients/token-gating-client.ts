import { principalIssuerConfigSchema } from '@app/auth';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';
import {
  type AdministratedCommunitiesRequest,
  type AdministratedCommunitiesResponse,
  administratedCommunitiesResponse,
  type AnalyticsAccessRequest,
  type AnalyticsAccessResponse,
  analyticsAccessResponse,
  type AssetClaimsRequest,
  type AssetClaimsResponse,
  assetClaimsResponse,
  type BalancesRequest,
  type BalancesResponse,
  balancesResponse,
  type CommunitySuspensionRequest,
  type CommunitySuspensionResponse,
  communitySuspensionResponse,
  type JoinedCommunitiesRequest,
  type JoinedCommunitiesResponse,
  joinedCommunitiesResponse,
  type PlatformMemberRequest,
  type PlatformMemberResponse,
  platformMemberResponse,
  type RevokeAssetClaimRequest,
  type RevokeAssetClaimResponse,
  revokeAssetClaimResponse,
  type RevokeUserCredentialRequest,
  type RevokeUserCredentialResponse,
  revokeUserCredentialResponse,
  type SuspendCommunityRequest,
  type SuspendedCommunitiesResponse,
  suspendedCommunitiesResponse,
  type TokenGatingKeySet,
  tokenGatingKeySet,
  type UserCredentialsRequest,
  type UserCredentialsResponse,
  userCredentialsResponse,
} from '@app/dto';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Settings of the client for token-gating's internal API. */
const tokenGatingClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ TOKEN_GATING_URL: true }).shape,
);

export class TokenGatingClientConfig extends createConfigClass(tokenGatingClientConfigSchema) {}

const MAX_KEY_SET_BYTES = 64 * 1024;

/** Client of token-gating's internal API. Rejects after a timeout of two seconds and on an invalid response. */
@Injectable()
export class TokenGatingClient implements OnApplicationShutdown {
  private readonly keys: InternalClient;
  /** A connection pool of its own, so that slow balance requests do not delay key requests. */
  private readonly balances: InternalClient;

  private readonly members: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY: signingKey, TOKEN_GATING_URL: origin }: TokenGatingClientConfig) {
    const options = { signingKey, app: 'token-gating', origin };
    this.keys = new InternalClient({ ...options, connections: 2, maxBytes: MAX_KEY_SET_BYTES });
    this.balances = new InternalClient({ ...options, connections: 8 });
    this.members = new InternalClient({ ...options, connections: 4 });
  }

  loadPublicKeys(): Promise<TokenGatingKeySet> {
    return this.keys.get('/internal/jwks', tokenGatingKeySet);
  }

  loadBalances(request: BalancesRequest): Promise<BalancesResponse> {
    return this.balances.post('/internal/balances', request, balancesResponse);
  }

  findPlatformMember(request: PlatformMemberRequest): Promise<PlatformMemberResponse> {
    return this.members.post('/internal/platform-users/lookup', request, platformMemberResponse);
  }

  listAssetClaims(request: AssetClaimsRequest): Promise<AssetClaimsResponse> {
    return this.members.post('/internal/asset-claims/list', request, assetClaimsResponse);
  }

  revokeAssetClaim(request: RevokeAssetClaimRequest): Promise<RevokeAssetClaimResponse> {
    return this.members.post('/internal/asset-claims/revoke', request, revokeAssetClaimResponse);
  }

  listCredentials(request: UserCredentialsRequest): Promise<UserCredentialsResponse> {
    return this.members.post('/internal/verifiable-credentials/list', request, userCredentialsResponse);
  }

  revokeCredential(request: RevokeUserCredentialRequest): Promise<RevokeUserCredentialResponse> {
    return this.members.post(
      '/internal/verifiable-credentials/revoke',
      request,
      revokeUserCredentialResponse,
    );
  }

  listAdministratedCommunities(
    request: AdministratedCommunitiesRequest,
  ): Promise<AdministratedCommunitiesResponse> {
    return this.members.post(
      '/internal/administrated-communities',
      request,
      administratedCommunitiesResponse,
    );
  }

  listJoinedCommunities(request: JoinedCommunitiesRequest): Promise<JoinedCommunitiesResponse> {
    return this.members.post('/internal/joined-communities', request, joinedCommunitiesResponse);
  }

  listSuspendedCommunities(): Promise<SuspendedCommunitiesResponse> {
    return this.members.get('/internal/community-suspensions', suspendedCommunitiesResponse);
  }

  findSupervisedCommunity(request: CommunitySuspensionRequest): Promise<CommunitySuspensionResponse> {
    return this.members.post('/internal/community-suspensions/find', request, communitySuspensionResponse);
  }

  suspendCommunity(request: SuspendCommunityRequest): Promise<CommunitySuspensionResponse> {
    return this.members.post('/internal/community-suspensions/set', request, communitySuspensionResponse);
  }

  resumeCommunity(request: CommunitySuspensionRequest): Promise<CommunitySuspensionResponse> {
    return this.members.post('/internal/community-suspensions/remove', request, communitySuspensionResponse);
  }

  checkAnalyticsAccess(request: AnalyticsAccessRequest): Promise<AnalyticsAccessResponse> {
    return this.members.post('/internal/analytics-access', request, analyticsAccessResponse);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.keys.close(), this.balances.close(), this.members.close()]);
  }
}

import { principalIssuerConfigSchema } from '@app/auth';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';
import {
  type AnalyticsAccessRequest,
  type AnalyticsAccessResponse,
  analyticsAccessResponse,
  type CommunityStateRequest,
  type CommunityStateResponse,
  communityStateResponse,
} from '@app/dto';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Settings for requests to token-gating, signed with this app's key. */
const tokenGatingClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ TOKEN_GATING_URL: true }).shape,
);

export class TokenGatingClientConfig extends createConfigClass(tokenGatingClientConfigSchema) {}

/** Client of token-gating's internal API. Rejects after a timeout of two seconds and on an invalid response. */
@Injectable()
export class TokenGatingClient implements OnApplicationShutdown {
  private readonly client: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY: signingKey, TOKEN_GATING_URL: origin }: TokenGatingClientConfig) {
    this.client = new InternalClient({ signingKey, app: 'token-gating', origin, connections: 8 });
  }

  checkAccess(request: AnalyticsAccessRequest): Promise<AnalyticsAccessResponse> {
    return this.client.post('/internal/analytics-access', request, analyticsAccessResponse);
  }

  /** What members of a community have now. */
  loadCommunityState(request: CommunityStateRequest): Promise<CommunityStateResponse> {
    return this.client.post('/internal/community-state', request, communityStateResponse);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}

import { principalIssuerConfigSchema } from '@app/auth';
import { RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';
import { type OperatorActionRequest, type OperatorActionResponse, operatorActionResponse } from '@app/dto';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Settings for requests to identity, signed with this app's key. */
const identityClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ IDENTITY_URL: true }).shape,
);

export class IdentityClientConfig extends createConfigClass(identityClientConfigSchema) {}

/** Client of identity's internal API. Methods throw AppError 503 `identity_unavailable` without a valid response in two seconds. */
@Injectable()
export class IdentityClient implements OnApplicationShutdown {
  private readonly client: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY: signingKey, IDENTITY_URL: origin }: IdentityClientConfig) {
    this.client = new InternalClient({ signingKey, app: 'identity', origin, connections: 2 });
  }

  /** Asks whether a user may act as an operator, and has the action recorded in the audit log. */
  async recordOperatorAction(request: OperatorActionRequest): Promise<OperatorActionResponse> {
    try {
      return await this.client.post('/internal/operator-actions', request, operatorActionResponse);
    } catch (cause) {
      throw serviceUnavailable(
        'identity_unavailable',
        'It cannot be checked at the moment who is an operator.',
        { retryAfter: RETRY_AFTER_SECONDS.progress },
        { cause },
      );
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}

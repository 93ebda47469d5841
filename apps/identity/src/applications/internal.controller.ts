import { Database } from '@app/database';
import {
  type ClientPlansResponse,
  clientPlansResponse,
  type ClientPlansRequest,
  clientPlansRequest,
  type CredentialRequest,
  credentialRequest,
  type CredentialResponse,
  credentialResponse,
  type UsedKeysRequest,
  usedKeysRequest,
  usedKeysResponse,
  type UserPlansRequest,
  userPlansRequest,
  type UserPlansResponse,
  userPlansResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { findClientPlans, findUserPlans } from './entities/client-applications.queries.js';
import { isPublishableId } from '@app/auth';
import { findApiKey, recordKeyUse } from './entities/api-keys.queries.js';
import { findPublishableId } from './publishable-ids/publishable-ids.queries.js';
import { CredentialHasher } from './credentials/credential-issuer.js';

/**
 * Plans by client id: for gateways, about requests without an API key, and for token-gating, about work that no request
 * started.
 */
@InternalController('internal/client-plans', 'gateway', 'token-gating')
export class ClientPlansController {
  constructor(private readonly database: Database) {}

  @Post()
  @Returns(clientPlansResponse)
  find(
    @Body({ schema: clientPlansRequest }) { clientIds }: ClientPlansRequest,
  ): Promise<ClientPlansResponse> {
    return findClientPlans(this.database, clientIds);
  }
}

/** Plans by user id, for gateways, which count what users do in the portal. */
@InternalController('internal/user-plans', 'gateway')
export class UserPlansController {
  constructor(private readonly database: Database) {}

  @Post()
  @Returns(userPlansResponse)
  find(@Body({ schema: userPlansRequest }) { userIds }: UserPlansRequest): Promise<UserPlansResponse> {
    return findUserPlans(this.database, userIds);
  }
}

/** API keys and publishable ids for gateways, which look them up and report the hours of the use of keys. */
@InternalController('internal/credentials', 'gateway')
export class CredentialsController {
  constructor(
    private readonly database: Database,
    private readonly hasher: CredentialHasher,
  ) {}

  @Post()
  @Returns(credentialResponse)
  find(@Body({ schema: credentialRequest }) { apiKey }: CredentialRequest): Promise<CredentialResponse> {
    return isPublishableId(apiKey)
      ? findPublishableId(this.database, apiKey)
      : findApiKey(this.database, this.hasher.hash(apiKey));
  }

  @Post('used-keys')
  @Returns(usedKeysResponse)
  async recordUse(@Body({ schema: usedKeysRequest }) { keyIds, hour }: UsedKeysRequest): Promise<object> {
    await recordKeyUse(this.database, keyIds, new Date(hour));
    return {};
  }
}

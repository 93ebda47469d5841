import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  type ClientPlansAnswer,
  clientPlansAnswer,
  credentialAnswer,
  type CredentialAnswer,
  credentialChanges,
  type CredentialChanges,
} from '@app/dto';
import { InternalClient } from '@app/service';
import { GatewayConfig } from '../gateway.config.js';

/** The gateway's questions to identity. They reject when identity does not answer in time and in form. */
@Injectable()
export class IdentityClient implements OnApplicationShutdown {
  private readonly client: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY, IDENTITY_URL }: GatewayConfig) {
    this.client = new InternalClient({
      signingKey: INTERNAL_SIGNING_KEY,
      app: 'identity',
      origin: IDENTITY_URL,
      connections: 16,
    });
  }

  credential(apiKey: string): Promise<CredentialAnswer> {
    return this.client.post('/internal/credentials', { apiKey }, credentialAnswer);
  }

  changesAfter(sequence: number): Promise<CredentialChanges> {
    return this.client.get(`/internal/credentials/changes?after=${sequence}`, credentialChanges);
  }

  plansOf(clientIds: readonly string[]): Promise<ClientPlansAnswer> {
    return this.client.post('/internal/client-plans', { clientIds }, clientPlansAnswer);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}

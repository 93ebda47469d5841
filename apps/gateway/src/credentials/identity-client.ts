import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  type ClientPlansAnswer,
  clientPlansAnswer,
  credentialAnswer,
  type CredentialAnswer,
  credentialChanges,
  type CredentialChanges,
  ethereumCredentialAnswer,
  type EthereumCredentialAnswer,
  type EthereumCredentialQuestion,
  revokedTokens,
  type RevokedTokens,
  tokenKeys,
  type TokenKeys,
} from '@app/dto';
import { InternalClient } from '@app/service';
import { GatewayConfig } from '../gateway.config.js';

/** What identity has to ask nodes for, or to read in full. It gives up on nodes after ten seconds, and says so. */
const PATIENCE_MS = 12_000;
/** Some hundred thousand revoked tokens. */
const LONGEST_LIST_BYTES = 32 * 1024 * 1024;

/** The gateway's questions to identity. They reject when identity does not answer in time and in form. */
@Injectable()
export class IdentityClient implements OnApplicationShutdown {
  private readonly client: InternalClient;
  /** Connections of their own: slow answers are not in the way of quick ones. */
  private readonly patientClient: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY, IDENTITY_URL }: GatewayConfig) {
    const identity = { signingKey: INTERNAL_SIGNING_KEY, app: 'identity', origin: IDENTITY_URL };
    this.client = new InternalClient({ ...identity, connections: 16 });
    this.patientClient = new InternalClient({
      ...identity,
      connections: 16,
      timeoutMs: PATIENCE_MS,
      maxBytes: LONGEST_LIST_BYTES,
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

  tokenKeys(): Promise<TokenKeys> {
    return this.client.get('/internal/token-keys', tokenKeys);
  }

  revokedTokens(): Promise<RevokedTokens> {
    return this.patientClient.get('/internal/credentials/revoked-tokens', revokedTokens);
  }

  ethereumCredential(question: EthereumCredentialQuestion): Promise<EthereumCredentialAnswer> {
    return this.patientClient.post('/internal/ethereum-credentials', question, ethereumCredentialAnswer);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.client.close(), this.patientClient.close()]);
  }
}

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
  type RevokedToken,
  type RevokedTokensPage,
  revokedTokensPage,
  tokenKeys,
  type TokenKeys,
} from '@app/dto';
import { InternalClient } from '@app/service';
import { GatewayConfig } from '../gateway.config.js';

/** What identity has to ask nodes for. It gives up on them after ten seconds, and says so. */
const PATIENCE_MS = 12_000;
/** Of contract accounts that are asked at once: who chooses a slow contract is in the way of other contracts only. */
const CONTRACTS_AT_ONCE = 32;

/** The gateway's questions to identity. They reject when identity does not answer in time and in form. */
@Injectable()
export class IdentityClient implements OnApplicationShutdown {
  private readonly client: InternalClient;
  /** Connections of their own: slow answers are not in the way of quick ones. */
  private readonly contractClient: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY, IDENTITY_URL }: GatewayConfig) {
    const identity = { signingKey: INTERNAL_SIGNING_KEY, app: 'identity', origin: IDENTITY_URL };
    this.client = new InternalClient({ ...identity, connections: 16 });
    this.contractClient = new InternalClient({
      ...identity,
      connections: CONTRACTS_AT_ONCE,
      timeoutMs: PATIENCE_MS,
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

  /** All of them, however many pages that takes. */
  async revokedTokens(): Promise<RevokedToken[]> {
    const all: RevokedToken[] = [];
    let after: string | null = '';
    do {
      const query = new URLSearchParams({ after }).toString();
      const path = `/internal/credentials/revoked-tokens?${query}`;
      const page: RevokedTokensPage = await this.client.get(path, revokedTokensPage);
      all.push(...page.tokens);
      after = page.next;
    } while (after !== null);
    return all;
  }

  ethereumCredential(question: EthereumCredentialQuestion): Promise<EthereumCredentialAnswer> {
    return this.contractClient.post('/internal/ethereum-credentials', question, ethereumCredentialAnswer);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.client, this.contractClient].map((client) => client.close()));
  }
}

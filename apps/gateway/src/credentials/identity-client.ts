import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  type ClientPlansResponse,
  clientPlansResponse,
  credentialResponse,
  type CredentialResponse,
  credentialChanges,
  type CredentialChanges,
  ethereumCredentialResponse,
  type EthereumCredentialResponse,
  type EthereumCredentialRequest,
  type RevokedToken,
  type RevokedTokensPage,
  revokedTokensPage,
  tokenKeys,
  type TokenKeys,
} from '@app/dto';
import { InternalClient } from '@app/service';
import { GatewayConfig } from '../gateway.config.js';

/** From here on identity counts as gone. */
const OUTAGE_AFTER_MS = 30_000;
/** While identity is gone, what it said goes on to count for this long. */
const STALE_IF_ERROR_MS = 10 * 60_000;

/** How long what identity said counts when it says nothing more. */
export const MAX_STALENESS_MS = OUTAGE_AFTER_MS + STALE_IF_ERROR_MS;

/** What identity has to ask nodes for. It gives up on them after ten seconds, and says so. */
const CONTRACT_CHECK_TIMEOUT_MS = 12_000;
/** Of contract accounts that are asked at once: who chooses a slow contract is in the way of other contracts only. */
const MAX_CONTRACT_CHECK_CONNECTIONS = 32;

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
      connections: MAX_CONTRACT_CHECK_CONNECTIONS,
      timeoutMs: CONTRACT_CHECK_TIMEOUT_MS,
    });
  }

  loadCredential(apiKey: string): Promise<CredentialResponse> {
    return this.client.post('/internal/credentials', { apiKey }, credentialResponse);
  }

  loadChangesAfter(sequence: number): Promise<CredentialChanges> {
    return this.client.get(`/internal/credentials/changes?after=${sequence}`, credentialChanges);
  }

  loadClientPlans(clientIds: readonly string[]): Promise<ClientPlansResponse> {
    return this.client.post('/internal/client-plans', { clientIds }, clientPlansResponse);
  }

  loadTokenKeys(): Promise<TokenKeys> {
    return this.client.get('/internal/token-keys', tokenKeys);
  }

  /** All of them, however many pages that takes. */
  async loadRevokedTokens(): Promise<RevokedToken[]> {
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

  checkContractSignature(question: EthereumCredentialRequest): Promise<EthereumCredentialResponse> {
    return this.contractClient.post('/internal/ethereum-credentials', question, ethereumCredentialResponse);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.client, this.contractClient].map((client) => client.close()));
  }
}

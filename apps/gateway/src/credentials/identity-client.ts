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
  type FindRevokedTokensResponse,
  findRevokedTokensResponse,
  type RevokedToken,
  type RevokedTokensPage,
  revokedTokensPage,
  tokenKeys,
  type TokenKeys,
  type UserPlansResponse,
  userPlansResponse,
  type UsedKeysRequest,
  usedKeysResponse,
} from '@app/dto';
import { InternalClient } from '@app/service';
import { GatewayConfig } from '../gateway.config.js';

/** The timeout is longer than identity's own of 10 s for calls to nodes. */
const CONTRACT_CHECK_TIMEOUT_MS = 12_000;
/**
 * The connections are more than identity works on at once, 24 on each chain: with fewer, tenants would wait for each
 * other here, without shares.
 */
const MAX_CONTRACT_CHECK_CONNECTIONS = 256;

export interface RevokedTokenList {
  readonly tokens: readonly RevokedToken[];
  /** False when there are more than the gateway keeps. */
  readonly isComplete: boolean;
}

/** Calls identity's internal API. Rejects on timeouts, unexpected statuses and invalid responses. */
@Injectable()
export class IdentityClient implements OnApplicationShutdown {
  private readonly client: InternalClient;
  /** A pool of its own, so that slow contracts delay only the checks of other contracts. */
  private readonly contractClient: InternalClient;

  constructor(private readonly config: GatewayConfig) {
    const { INTERNAL_SIGNING_KEY, IDENTITY_URL } = config;
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

  async reportUsedKeys(request: UsedKeysRequest): Promise<void> {
    await this.client.post('/internal/credentials/used-keys', request, usedKeysResponse);
  }

  loadChangesAfter(sequence: number): Promise<CredentialChanges> {
    return this.client.get(`/internal/credentials/changes?after=${sequence}`, credentialChanges);
  }

  loadClientPlans(clientIds: readonly string[]): Promise<ClientPlansResponse> {
    return this.client.post('/internal/client-plans', { clientIds }, clientPlansResponse);
  }

  loadUserPlans(userIds: readonly string[]): Promise<UserPlansResponse> {
    return this.client.post('/internal/user-plans', { userIds }, userPlansResponse);
  }

  loadTokenKeys(): Promise<TokenKeys> {
    return this.client.get('/internal/token-keys', tokenKeys);
  }

  /** Loads pages until the end, or until there are more tokens than the gateway keeps. */
  async loadRevokedTokens(): Promise<RevokedTokenList> {
    const tokens: RevokedToken[] = [];
    let after: string | null = '';
    do {
      const query = new URLSearchParams({ after }).toString();
      const path = `/internal/credentials/revoked-tokens?${query}`;
      const page: RevokedTokensPage = await this.client.get(path, revokedTokensPage);
      tokens.push(...page.tokens);
      after = page.next;
    } while (after !== null && tokens.length <= this.config.MAX_REVOKED_TOKENS);
    return { tokens, isComplete: after === null };
  }

  /** Finds out which of a few tokens are revoked. */
  findRevokedTokens(ids: readonly string[]): Promise<FindRevokedTokensResponse> {
    return this.client.post('/internal/credentials/revoked-tokens', { ids }, findRevokedTokensResponse);
  }

  checkContractSignature(request: EthereumCredentialRequest): Promise<EthereumCredentialResponse> {
    return this.contractClient.post('/internal/ethereum-credentials', request, ethereumCredentialResponse);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.client, this.contractClient].map((client) => client.close()));
  }
}

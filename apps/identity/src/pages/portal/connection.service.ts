import { notFound, tooManyRequests } from '@app/common';
import { Injectable } from '@nestjs/common';
import { AeTokenService } from '../../ethereum-login/id-tokens/ae-token.service.js';
import type { ActiveLogin } from '../../ethereum-login/id-tokens/ae-token.queries.js';
import { UserCredentialService } from '../../ethereum-login/credentials/user-credential.service.js';
import { OidcService } from '../../oauth2/oidc.service.js';
import type { UserGrant } from '../../oauth2/storage/grant.service.js';
import { ApplicationNameQueries } from '../consent/application-name.queries.js';
import { formatDay, describeScope } from '../views/format-values.js';

export interface Connection {
  clientId: string;
  name: string;
  /** What it rests on, in plain words. */
  about: string[];
  /** What it may do, in plain words. */
  words: string[];
}

const clientNotFound = () => notFound('client_not_found', 'There is no such application.');

const disconnectionLimitExceeded = (retryAfter: number) =>
  tooManyRequests(
    'disconnection_limit_exceeded',
    'What the application was allowed is ended. Credentials that you signed for it live on, for a day at most: you have disconnected too many within the hour.',
    { retryAfter },
  );

/** Which applications may do something for a user: by consent, or because the user signed in there with a wallet. */
@Injectable()
export class ConnectionService {
  constructor(
    private readonly oidc: OidcService,
    private readonly aeTokens: AeTokenService,
    private readonly credentials: UserCredentialService,
    private readonly applications: ApplicationNameQueries,
  ) {}

  async list(userId: string): Promise<Connection[]> {
    const [grants, logins] = await Promise.all([
      this.oidc.listGrants(userId),
      this.aeTokens.listActiveLogins(userId),
    ]);
    const clientIds = [...new Set([...grants, ...logins].map(({ clientId }) => clientId))];
    const names = await this.applications.findByIds(clientIds);
    return clientIds.map((clientId) => {
      const grant = grants.find((one) => one.clientId === clientId);
      const login = logins.find((one) => one.clientId === clientId);
      const scopes = new Set([...(grant?.scopes ?? []), ...(login?.scopes ?? [])]);
      const name = names.get(clientId)?.name ?? 'An application that is no more';
      return { clientId, name, about: about(grant, login), words: [...scopes].map(describeScope) };
    });
  }

  /**
   * Ends all that a client application has of a user: what was allowed, and what the user signed. Should it fail on the way
   * the application is still listed, and can be ended again. What it was allowed ends in any case.
   */
  async disconnect(userId: string, clientId: string): Promise<void> {
    const [grants, logins] = await Promise.all([
      this.oidc.listGrants(userId),
      this.aeTokens.listActiveLogins(userId),
    ]);
    // It may be listed when it is no more, and credentials for one that is not listed may live.
    const isListed = [...grants, ...logins].some((one) => one.clientId === clientId);
    if (!isListed && (await this.applications.findByIds([clientId])).size === 0) throw clientNotFound();
    const restSeconds = await this.credentials.revokeAllForClient(userId, clientId);
    await this.oidc.revokeConsent(userId, clientId);
    await this.aeTokens.revokeAllForClient(userId, clientId);
    if (restSeconds !== undefined) throw disconnectionLimitExceeded(restSeconds);
  }
}

const about = (grant: UserGrant | undefined, login: ActiveLogin | undefined): string[] => [
  ...(grant ? [`allowed on ${formatDay(grant.since)}`] : []),
  ...(login ? [`signed in with your wallet, until ${login.until.toISOString().slice(11, 16)} UTC`] : []),
];

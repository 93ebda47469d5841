import { notFound, tooManyRequests } from '@app/common';
import { Injectable } from '@nestjs/common';
import { AeTokens } from '../../ethereum-login/ae-tokens.js';
import type { LiveLogin } from '../../ethereum-login/ae-token-rows.js';
import { OwnSignedCredentials } from '../../ethereum-login/own-signed-credentials.js';
import { Oidc } from '../../oauth2/oidc.js';
import type { UserGrant } from '../../oauth2/storage/grants.js';
import { ApplicationNames } from '../applications/application-names.js';
import { day } from '../views/day.js';
import { scopeInWords } from '../views/scope-in-words.js';

export interface Connection {
  clientId: string;
  name: string;
  /** What it rests on, in plain words. */
  about: string[];
  /** What it may do, in plain words. */
  words: string[];
}

const noSuchApplication = () => notFound('client_not_found', 'There is no such application.');

const signedLivesOn = (retryAfter: number) =>
  tooManyRequests(
    'disconnection_limit',
    'What the application was allowed is ended. Credentials that you signed for it live on, for a day at most: you have disconnected too many within the hour.',
    { retryAfter },
  );

/** Which applications may do something for a user: by consent, or because the user signed in there with a wallet. */
@Injectable()
export class Connections {
  constructor(
    private readonly oidc: Oidc,
    private readonly aeTokens: AeTokens,
    private readonly credentials: OwnSignedCredentials,
    private readonly applications: ApplicationNames,
  ) {}

  async of(userId: string): Promise<Connection[]> {
    const [grants, logins] = await Promise.all([this.oidc.grantsOf(userId), this.aeTokens.liveOf(userId)]);
    const clientIds = [...new Set([...grants, ...logins].map(({ clientId }) => clientId))];
    const names = await this.applications.find(clientIds);
    return clientIds.map((clientId) => {
      const grant = grants.find((one) => one.clientId === clientId);
      const login = logins.find((one) => one.clientId === clientId);
      const scopes = new Set([...(grant?.scopes ?? []), ...(login?.scopes ?? [])]);
      const name = names.get(clientId)?.name ?? 'An application that is no more';
      return { clientId, name, about: about(grant, login), words: [...scopes].map(scopeInWords) };
    });
  }

  /**
   * Ends all that a client application has of a user: what was allowed, and what the user signed. Should it fail on the way
   * the application is still listed, and can be ended again. What it was allowed ends in any case.
   */
  async end(userId: string, clientId: string): Promise<void> {
    const [grants, logins] = await Promise.all([this.oidc.grantsOf(userId), this.aeTokens.liveOf(userId)]);
    // It may be listed when it is no more, and credentials for one that is not listed may live.
    const isListed = [...grants, ...logins].some((one) => one.clientId === clientId);
    if (!isListed && (await this.applications.find([clientId])).size === 0) throw noSuchApplication();
    const restSeconds = await this.credentials.endAllFor(userId, clientId);
    await this.oidc.takeBack(userId, clientId);
    await this.aeTokens.revokeOf(userId, clientId);
    if (restSeconds !== undefined) throw signedLivesOn(restSeconds);
  }
}

const about = (grant: UserGrant | undefined, login: LiveLogin | undefined): string[] => [
  ...(grant ? [`allowed on ${day(grant.since)}`] : []),
  ...(login ? [`signed in with your wallet, until ${login.until.toISOString().slice(11, 16)} UTC`] : []),
];

import { Injectable } from '@nestjs/common';
import { AeTokens } from '../../ethereum-login/ae-tokens.js';
import { Oidc } from '../../oauth2/oidc.js';
import { ApplicationNames } from '../applications/application-names.js';
import { day } from '../views/day.js';
import { scopeInWords } from '../views/scope-in-words.js';

export interface Connection {
  name: string;
  /** What it rests on, in plain words. */
  about: string;
  /** What it may do, in plain words. */
  words: string[];
  /** Below the page's own path: how it is ended. */
  revokePath: string;
}

/** Which applications may do something for a user: by consent, or because the user signed in there with a wallet. */
@Injectable()
export class Connections {
  constructor(
    private readonly oidc: Oidc,
    private readonly aeTokens: AeTokens,
    private readonly applications: ApplicationNames,
  ) {}

  async of(userId: string): Promise<Connection[]> {
    const [grants, logins] = await Promise.all([this.oidc.grantsOf(userId), this.aeTokens.liveOf(userId)]);
    const names = await this.applications.find([...grants, ...logins].map(({ clientId }) => clientId));
    const nameOf = (clientId: string) => names.get(clientId)?.name ?? 'An application that is no more';
    return [
      ...grants.map(({ grantId, clientId, scopes, since }) => ({
        name: nameOf(clientId),
        about: `allowed on ${day(since)}`,
        words: scopes.map(scopeInWords),
        revokePath: `grants/${grantId}`,
      })),
      ...logins.map(({ clientId, scopes, until }) => ({
        name: nameOf(clientId),
        about: `signed in with your wallet, until ${until.toISOString().slice(11, 16)} UTC`,
        words: scopes.map(scopeInWords),
        revokePath: `logins/${clientId}`,
      })),
    ];
  }

  endGrant(userId: string, grantId: string): Promise<void> {
    return this.oidc.revokeGrant(userId, grantId);
  }

  endLogins(userId: string, clientId: string): Promise<void> {
    return this.aeTokens.revokeOf(userId, clientId);
  }
}

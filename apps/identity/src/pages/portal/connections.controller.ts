import { FormBody } from '@app/service';
import { Get, Param, Post, Res, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { notFound, tooManyRequests } from '@app/common';
import { Database } from '@app/database';
import { findShownApplications } from '../../applications/entities/client-applications.queries.js';
import { AeTokenService } from '../../ethereum-login/id-tokens/ae-token.service.js';
import type { ActiveLogin } from '../../ethereum-login/id-tokens/ae-tokens.queries.js';
import { UserCredentialService } from '../../ethereum-login/credentials/user-credential.service.js';
import { OidcService } from '../../oauth2/oidc.service.js';
import type { UserGrant } from '../../oauth2/storage/oauth-models.queries.js';
import { formatDay, describeScope } from '../views/format-values.js';
import type { Connection } from '../views/page-views.js';

const clientNotFound = () => notFound('client_not_found', 'This application does not exist.');

const disconnectionLimitExceeded = (retryAfter: number) =>
  tooManyRequests(
    'disconnection_limit_exceeded',
    'The access of the application is revoked, except for credentials that you signed for it: you have disconnected too many applications within the last hour. These credentials expire within a day.',
    { retryAfter },
  );

/** Applications that may act for a user, by consent or because the user signed in to them with a wallet. */
@Injectable()
export class ConnectionService {
  constructor(
    private readonly oidc: OidcService,
    private readonly aeTokens: AeTokenService,
    private readonly credentials: UserCredentialService,
    private readonly database: Database,
  ) {}

  async list(userId: string): Promise<Connection[]> {
    const [grants, logins] = await Promise.all([
      this.oidc.listGrants(userId),
      this.aeTokens.listActiveLogins(userId),
    ]);
    const clientIds = [...new Set([...grants, ...logins].map(({ clientId }) => clientId))];
    const applications = await findShownApplications(this.database, clientIds);
    return clientIds.map((clientId) => {
      const grant = grants.find((candidate) => candidate.clientId === clientId);
      const login = logins.find((candidate) => candidate.clientId === clientId);
      const scopes = new Set([...(grant?.scopes ?? []), ...(login?.scopes ?? [])]);
      const application = applications.get(clientId);
      const name = application === undefined ? 'Deleted application' : (application?.name ?? clientId);
      const permissions = [...scopes].map(describeScope);
      return {
        clientId,
        name,
        isReviewed: application !== null,
        grounds: describeGrounds(grant, login),
        permissions,
      };
    });
  }

  /**
   * Revokes a client application's credentials, consents and AE tokens of the user. After a failure on the way the
   * application is still listed, so the user can retry.
   * @throws AppError 404, and 429 if the quota left credentials unrevoked (the rest is revoked)
   */
  async disconnect(userId: string, clientId: string): Promise<void> {
    const [grants, logins] = await Promise.all([
      this.oidc.listGrants(userId),
      this.aeTokens.listActiveLogins(userId),
    ]);
    // A deleted application may still be listed, and an application without grants may still have credentials.
    const isListed = [...grants, ...logins].some((connection) => connection.clientId === clientId);
    if (!isListed && (await findShownApplications(this.database, [clientId])).size === 0)
      throw clientNotFound();
    const retryAfterSeconds = await this.credentials.revokeAllForClient(userId, clientId);
    await this.oidc.revokeConsent(userId, clientId);
    await this.aeTokens.revokeAllForClient(userId, clientId);
    if (retryAfterSeconds !== undefined) throw disconnectionLimitExceeded(retryAfterSeconds);
  }
}

const describeGrounds = (grant: UserGrant | undefined, login: ActiveLogin | undefined): string[] => [
  ...(grant ? [`allowed on ${formatDay(grant.since)}`] : []),
  ...(login ? [`signed in with your wallet, until ${login.until.toISOString().slice(11, 16)} UTC`] : []),
];

const PATH = 'portal/connections';
const PAGE = { title: 'Connected applications', section: 'connections' } as const;

/** The applications that may act for the user. */
@PageController(PATH)
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): Promise<void> {
    const connections = await this.connections.list(session.user.userId);
    this.pages.send(response, 'connections', { connections }, { ...PAGE, session });
  }

  @Post(':clientId/revoke')
  @FormBody()
  async revoke(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('clientId') clientId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.connections.disconnect(session.user.userId, clientId);
    response.redirect(303, `/${PATH}`);
  }
}

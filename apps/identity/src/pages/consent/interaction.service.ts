import { badRequest } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { findShownApplications } from '../../applications/entities/client-applications.queries.js';
import { summariseApplication } from '../views/summarise-application.js';
import type { ApplicationSummary, ContinueView } from '../views/page-views.js';
import { OidcService } from '../../oauth2/oidc.service.js';
import type { PageSession } from '../sessions/page-session.decorator.js';
import type { PageRenderer } from '../views/page-renderer.js';

/** An authorization request that waits for the user's login or consent. */
export interface Interaction {
  uid: string;
  prompt: 'login' | 'consent';
  /** Why the prompt is required: reason codes of oidc-provider. */
  reasons: string[];
  /** Maximum age of the login in seconds. */
  maxAge?: number;
  clientId: string;
  scopes: string[];
  /** The user who has already signed in for this request. */
  userId?: string;
  application: ApplicationSummary & { iconUrl: string | null };
}

const interactionNotFound = () =>
  badRequest(
    'authorization_request_invalid',
    'This request has expired or was started in another browser. Go back to the application and start again.',
  );

/** Loads authorization requests for the login and consent pages. A cookie binds each to the browser that started it. */
@Injectable()
export class InteractionService {
  constructor(
    private readonly oidc: OidcService,
    private readonly database: Database,
  ) {}

  /** @throws AppError 400 for an expired request or one of another browser */
  async load(uid: string, request: Request, response: Response): Promise<Interaction> {
    const details = await this.loadDetails(request, response);
    if (details.uid !== uid) throw interactionNotFound();
    const { client_id: clientId, redirect_uri: redirectUri, scope, max_age: maxAge } = details.params;
    if (typeof clientId !== 'string' || typeof redirectUri !== 'string') throw interactionNotFound();
    const approved = (await findShownApplications(this.database, [clientId])).get(clientId);
    if (approved === undefined) throw interactionNotFound();
    return {
      uid,
      prompt: details.prompt.name === 'login' ? 'login' : 'consent',
      reasons: details.prompt.reasons,
      maxAge: maxAge === undefined ? undefined : Number(maxAge),
      clientId,
      scopes: typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : [],
      userId: details.session?.accountId,
      application: {
        ...summariseApplication(clientId, redirectUri, approved?.name),
        iconUrl: approved?.iconUrl ?? null,
      },
    };
  }

  private async loadDetails(request: Request, response: Response) {
    try {
      return await this.oidc.loadInteraction(request, response);
    } catch (error) {
      if (error instanceof Error && error.name === 'SessionNotFound') throw interactionNotFound();
      throw error;
    }
  }
}

interface ContinuePageOptions extends ContinueView {
  session: PageSession;
}

/**
 * Answers a form with a page that redirects by meta refresh. Browsers apply the `form-action` policy of the form's page to
 * every HTTP redirect after it, which would block applications that redirect to further sites.
 */
export function sendContinuePage(
  pages: PageRenderer,
  response: Response,
  { session, application, to }: ContinuePageOptions,
): void {
  pages.send(response, 'continue', { application, to }, { title: 'Redirecting …', session, refreshTo: to });
}

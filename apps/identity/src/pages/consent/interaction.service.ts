import { badRequest } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OidcService } from '../../oauth2/oidc.service.js';
import { ApplicationNameQueries } from './application-name.queries.js';

/** An application's request to know who somebody is, or to be allowed something. */
export interface Interaction {
  uid: string;
  prompt: 'login' | 'consent';
  /** Why the user has to do something, in the words of oidc-provider. */
  reasons: string[];
  /** In seconds: the login must not be older. */
  maxAge?: number;
  clientId: string;
  scopes: string[];
  /** Who is signed in for this request already. */
  userId?: string;
  application: { name: string; host: string; iconUrl: string | null };
}

const interactionNotFound = () =>
  badRequest(
    'authorization_request_invalid',
    'This request has ended, or another browser began it. Go back to the application and start again.',
  );

/** The requests of applications that wait for somebody at a page of ours. The browser that began one holds its cookie. */
@Injectable()
export class InteractionService {
  constructor(
    private readonly oidc: OidcService,
    private readonly applications: ApplicationNameQueries,
  ) {}

  /** @throws AppError 400 for a request that is not this browser's */
  async load(uid: string, request: Request, response: Response): Promise<Interaction> {
    const details = await this.details(request, response);
    if (details.uid !== uid) throw interactionNotFound();
    const { client_id: clientId, redirect_uri: redirectUri, scope, max_age: maxAge } = details.params;
    if (typeof clientId !== 'string' || typeof redirectUri !== 'string') throw interactionNotFound();
    const application = (await this.applications.findByIds([clientId])).get(clientId);
    if (!application) throw interactionNotFound();
    return {
      uid,
      prompt: details.prompt.name === 'login' ? 'login' : 'consent',
      reasons: details.prompt.reasons,
      maxAge: maxAge === undefined ? undefined : Number(maxAge),
      clientId,
      scopes: typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : [],
      userId: details.session?.accountId,
      application: { ...application, host: new URL(redirectUri).host },
    };
  }

  private async details(request: Request, response: Response) {
    try {
      return await this.oidc.loadInteraction(request, response);
    } catch (error) {
      if (error instanceof Error && error.name === 'SessionNotFound') throw interactionNotFound();
      throw error;
    }
  }
}

import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { isReviewed } from '../../applications/reviewed-values.js';
import { findLogoutApplication } from '../../applications/entities/client-applications.queries.js';
import { OidcService } from '../../oauth2/oidc.service.js';
import { summariseApplication } from '../views/summarise-application.js';
import type { ApplicationSummary } from '../views/page-views.js';
import type { LogoutRequest } from '../../oauth2/requests/logout-request.js';

/** The page to which the browser goes after a logout that an application began. */
export interface LogoutReturn {
  readonly clientId: string;
  readonly application: ApplicationSummary;
  /** The URI as registered. */
  readonly uri: string;
  /** `uri` with the state of the request. */
  readonly to: string;
}

@Injectable()
export class LogoutReturnService {
  constructor(
    private readonly oidc: OidcService,
    private readonly database: Database,
  ) {}

  /**
   * Undefined unless the request names an application that has registered the address byte for byte. Any site can bring
   * a user to the page, so it leads to no address of an application that waits for its first approval or was rejected.
   */
  async find(request: LogoutRequest): Promise<LogoutReturn | undefined> {
    const { post_logout_redirect_uri: uri, state } = request;
    const clientId = uri === undefined ? undefined : await this.findClientId(request);
    if (uri === undefined || clientId === undefined) return undefined;
    const application = await findLogoutApplication(this.database, clientId);
    if (!application?.postLogoutRedirectUris.includes(uri)) return undefined;
    const hasApproval = isReviewed(application);
    if (!hasApproval && application.status !== 'approved') return undefined;
    const shown = summariseApplication(clientId, uri, hasApproval ? application.name : undefined);
    return { clientId, application: shown, uri, to: addState(uri, state) };
  }

  /** The client of a valid id token; `client_id` alone suffices, because the page asks, and must not contradict it. */
  private async findClientId({ id_token_hint: hint, client_id: named }: LogoutRequest) {
    if (hint === undefined) return named;
    const hinted = await this.oidc.findClientOfIdToken(hint);
    return named === undefined || named === hinted ? hinted : undefined;
  }
}

/** Keeps the registered bytes, which `URL` would normalise. */
const addState = (uri: string, state: string | undefined): string =>
  state === undefined ? uri : `${uri}${uri.includes('?') ? '&' : '?'}state=${encodeURIComponent(state)}`;

import { Injectable } from '@nestjs/common';
import { PrincipalIssuer } from '@app/auth';
import type { Request, Response } from 'express';
import type { Dispatcher } from 'undici';
import { ANONYMOUS_CALLER } from '../../credentials/authenticated-caller.js';
import { getRequestContext } from '../../request-context.js';
import { type Destination, isBrowserDestination } from './destination.js';
import { relayResponse } from './relay-response.js';
import { createUpstreamBody } from './create-upstream-body.js';
import { createUpstreamHeaders } from './create-upstream-headers.js';
import { getReturnedHeaders } from './set-response-headers.js';
import { toGatewayError, upstreamUnavailable, UpstreamError } from './upstream.errors.js';
import { UpstreamRegistry } from './upstream-registry.js';

/** The last step: the request goes to the app that answers it, and speaks there for whom the gateway found. */
@Injectable()
export class ForwardService {
  constructor(
    private readonly upstreams: UpstreamRegistry,
    private readonly issuer: PrincipalIssuer,
  ) {}

  async forward(to: Destination, request: Request, response: Response): Promise<void> {
    // What a session shows is not for scripts of other origins to read.
    if (isBrowserDestination(to)) response.removeHeader('Access-Control-Allow-Origin');
    const { pool, breaker } = this.upstreams.get(to.upstream);
    const report = breaker.acquire();
    if (!report) throw upstreamUnavailable();
    try {
      report(await relayResponse(pool, await this.outgoing(to, request), response, getReturnedHeaders(to)));
    } catch (error) {
      report(error instanceof UpstreamError ? 'failed' : 'abandoned');
      // Nobody is left to be told when the caller has gone.
      if (!response.closed) throw toGatewayError(error);
    }
  }

  private async outgoing(to: Destination, request: Request): Promise<Dispatcher.DispatchOptions> {
    const { principal } = getRequestContext(request).caller ?? ANONYMOUS_CALLER;
    const token = await this.issuer.issueToken(principal, to.upstream, to.id);
    return {
      method: request.method,
      path: request.url,
      headers: createUpstreamHeaders(request, to, token),
      body: await createUpstreamBody(request),
    };
  }
}

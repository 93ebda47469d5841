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

/** The last step: forwards a request to its upstream, with a principal token for the authenticated caller. */
@Injectable()
export class ForwardService {
  constructor(
    private readonly upstreams: UpstreamRegistry,
    private readonly issuer: PrincipalIssuer,
  ) {}

  async forward(destination: Destination, request: Request, response: Response): Promise<void> {
    if (isBrowserDestination(destination)) response.removeHeader('Access-Control-Allow-Origin');
    const { pool, breaker } = this.upstreams.get(destination.upstream);
    const report = breaker.acquire();
    if (!report) throw upstreamUnavailable();
    try {
      const options = await this.createDispatchOptions(destination, request);
      report(await relayResponse(pool, options, response, getReturnedHeaders(destination)));
    } catch (error) {
      report(error instanceof UpstreamError ? 'failed' : 'abandoned');
      if (!response.closed) throw toGatewayError(error);
    }
  }

  private async createDispatchOptions(
    destination: Destination,
    request: Request,
  ): Promise<Dispatcher.DispatchOptions> {
    const { principal } = getRequestContext(request).caller ?? ANONYMOUS_CALLER;
    const token = await this.issuer.issueToken(principal, destination.upstream, destination.id);
    return {
      method: request.method,
      path: request.url,
      headers: createUpstreamHeaders(request, destination, token),
      body: await createUpstreamBody(request),
    };
  }
}

import { Injectable } from '@nestjs/common';
import { PrincipalIssuer } from '@app/auth';
import type { Request, Response } from 'express';
import type { Dispatcher } from 'undici';
import { NOBODY } from '../authenticate/caller.js';
import { passOf } from '../gate-pass.js';
import { type Destination, isForBrowsers } from './destination.js';
import { relayAnswer } from './relay-answer.js';
import { requestBody } from './request-body.js';
import { requestHeaders } from './request-headers.js';
import { returnedBy } from './response-headers.js';
import { toGatewayError, upstreamDown, UpstreamFailure } from './upstream-failure.js';
import { Upstreams } from './upstreams.js';

/** The last step: the request goes to the app that answers it, and speaks there for whom the gateway found. */
@Injectable()
export class Forwarder {
  constructor(
    private readonly upstreams: Upstreams,
    private readonly issuer: PrincipalIssuer,
  ) {}

  async forward(to: Destination, request: Request, response: Response): Promise<void> {
    // What a session shows is not for scripts of other origins to read.
    if (isForBrowsers(to)) response.removeHeader('Access-Control-Allow-Origin');
    const { pool, breaker } = this.upstreams.line(to.upstream);
    const report = breaker.enter();
    if (!report) throw upstreamDown();
    try {
      report(await relayAnswer(pool, await this.outgoing(to, request), response, returnedBy(to)));
    } catch (error) {
      report(error instanceof UpstreamFailure ? 'failed' : 'abandoned');
      // Nobody is left to be told when the caller has gone.
      if (!response.closed) throw toGatewayError(error);
    }
  }

  private async outgoing(to: Destination, request: Request): Promise<Dispatcher.DispatchOptions> {
    const { principal } = passOf(request).caller ?? NOBODY;
    const token = await this.issuer.tokenFor(principal, to.upstream, to.id);
    return {
      method: request.method,
      path: request.url,
      headers: requestHeaders(request, to, token),
      body: await requestBody(request),
    };
  }
}

import { Injectable } from '@nestjs/common';
import { ANONYMOUS, PrincipalIssuer } from '@app/auth';
import type { Operation } from '@app/contract';
import type { Request, Response } from 'express';
import type { Dispatcher } from 'undici';
import { matchedOperation, passOf } from '../gate-pass.js';
import { relayAnswer } from './relay-answer.js';
import { requestBody } from './request-body.js';
import { requestHeaders } from './request-headers.js';
import { toGatewayError, upstreamDown, UpstreamFailure } from './upstream-failure.js';
import { Upstreams } from './upstreams.js';

/** The last step: the request goes to the app that answers it, and speaks there for whom the gateway found. */
@Injectable()
export class Forwarder {
  constructor(
    private readonly upstreams: Upstreams,
    private readonly issuer: PrincipalIssuer,
  ) {}

  async forward(request: Request, response: Response): Promise<void> {
    const operation = matchedOperation(request);
    const { pool, breaker } = this.upstreams.line(operation.upstream);
    const report = breaker.enter();
    if (!report) throw upstreamDown();
    try {
      report(await relayAnswer(pool, await this.outgoing(request, operation), response));
    } catch (error) {
      report(error instanceof UpstreamFailure ? 'failed' : 'abandoned');
      // Nobody is left to be told when the caller has gone.
      if (!response.closed) throw toGatewayError(error);
    }
  }

  private async outgoing(request: Request, { id, upstream }: Operation): Promise<Dispatcher.DispatchOptions> {
    const { principal = ANONYMOUS } = passOf(request);
    const token = await this.issuer.tokenFor(principal, upstream, id);
    return {
      method: request.method,
      path: request.url,
      headers: requestHeaders(request, upstream, token),
      body: await requestBody(request),
    };
  }
}

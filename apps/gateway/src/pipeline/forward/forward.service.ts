import { listForwardedHeaders, PAGE_REQUEST_HEADERS, type Upstream } from '@app/openapi';
import { Injectable } from '@nestjs/common';
import { getTraceparent, inSpan, REQUEST_ID_HEADER } from '@app/common';
import { getTenantId, PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import type { Request, Response } from 'express';
import type { Dispatcher } from '@app/http';
import { ANONYMOUS_CALLER } from '../../credentials/authenticated-caller.js';
import { GatewayConfig } from '../../gateway.config.js';
import { LoadMonitor } from '../admit/load-monitor.js';
import { getRequestContext } from '../../request-context.js';
import { type Destination, isBrowserDestination, UpstreamRegistry } from './upstream-registry.js';
import { relayResponse, getReturnedHeaders } from './relay-response.js';
import { RequestBodyReader } from './request-body-reader.js';
import { isConnectionLoss, toGatewayError, UpstreamError, upstreamUnavailable } from './upstream.errors.js';

/**
 * Client headers by app. An allow-list drops hop-by-hop headers, credentials and every spelling of internal headers.
 */
const FORWARDED_HEADERS: Readonly<Record<Upstream, readonly string[]>> = {
  'token-gating': listForwardedHeaders('token-gating'),
  identity: listForwardedHeaders('identity'),
  'account-kit': listForwardedHeaders('account-kit'),
  analytics: listForwardedHeaders('analytics'),
};

function createUpstreamHeaders(
  request: Request,
  destination: Destination,
  principalToken: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    [PRINCIPAL_HEADER]: principalToken,
    [REQUEST_ID_HEADER]: request.requestId,
    'x-forwarded-for': request.ip ?? '',
  };
  copyHeaders(FORWARDED_HEADERS[destination.upstream], request, headers);
  copyHeaders(destination.forwardedHeaders, request, headers);
  if (isBrowserDestination(destination)) {
    copyHeaders(PAGE_REQUEST_HEADERS, request, headers);
    headers['x-forwarded-host'] = request.headers.host ?? '';
  }
  return headers;
}

function copyHeaders(names: readonly string[], request: Request, target: Record<string, string>): void {
  for (const name of names) {
    const value = request.headers[name];
    if (typeof value === 'string') target[name] = value;
  }
}

/** RFC 9110 section 9.2.1: sending such a request again changes nothing. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** The last step: forwards a request to its upstream, with a principal token for the authenticated caller. */
@Injectable()
export class ForwardService {
  constructor(
    private readonly upstreams: UpstreamRegistry,
    private readonly issuer: PrincipalIssuer,
    private readonly bodies: RequestBodyReader,
    private readonly load: LoadMonitor,
    private readonly config: GatewayConfig,
  ) {}

  async forward(destination: Destination, request: Request, response: Response): Promise<void> {
    if (isBrowserDestination(destination)) response.removeHeader('Access-Control-Allow-Origin');
    const { principal } = getRequestContext(request).caller ?? ANONYMOUS_CALLER;
    const tenantId = destination.callerRequirement === 'none' ? undefined : getTenantId(principal);
    const isClientGone = (): boolean => response.closed;
    if (isClientGone()) return;
    try {
      const body = await this.bodies.read(request, response, tenantId);
      // The request was answered 408 while its body arrived.
      if (!request.socket.writable) return;
      const token = await this.issuer.issueToken(principal, destination.upstream, destination.id);
      const headers = createUpstreamHeaders(request, destination, token);
      const options = {
        method: request.method,
        path: request.url,
        headers,
        body,
        // The app waits on purpose for at most `maxWaitMs`; only then does its usual timeout begin.
        headersTimeout: this.config.UPSTREAM_TIMEOUT_MS + destination.maxWaitMs,
      };
      await inSpan({ name: `forward ${destination.upstream}`, kind: 'CLIENT' }, () => {
        const traceparent = getTraceparent();
        if (traceparent !== undefined) headers['traceparent'] = traceparent;
        return this.relay(destination, options, response);
      });
    } catch (error) {
      if (!isClientGone()) throw toGatewayError(error);
    }
  }

  /**
   * Sends a safe request again when its connection ended without a response: the instance went away, and another one, or a refused
   * connection, says more. The breaker counts what the last attempt says: an instance that ends with twenty requests must not close the way
   * to the others. A failure in the middle of a response is the client's to repeat.
   */
  private async relay(
    destination: Destination,
    options: Dispatcher.DispatchOptions,
    response: Response,
  ): Promise<void> {
    const { pool, breaker } = this.upstreams.get(destination.upstream);
    const report = breaker.acquire();
    if (!report) throw upstreamUnavailable();
    try {
      const returned = getReturnedHeaders(destination);
      const send = () => relayResponse(pool.current, options, response, returned);
      const isRepeatable = (error: unknown) => isSafe(options.method) && isConnectionLoss(error);
      report(
        await send().catch((error: unknown) => {
          if (!isRepeatable(error) || response.headersSent || response.closed) throw error;
          return send();
        }),
      );
      if (response.writableLength > 0) this.load.leaveToClient(response);
    } catch (error) {
      report(error instanceof UpstreamError ? 'failed' : 'abandoned');
      throw error;
    }
  }
}

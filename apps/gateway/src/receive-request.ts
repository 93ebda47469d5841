import type { INestApplication } from '@nestjs/common';
import type { FirstHandler } from '@app/service';
import { createRequestAliases } from './aliases/request-aliases.js';
import { setCorsHeaders } from './configure-gateway.js';
import { GatewayConfig } from './gateway.config.js';
import { checkHostHeader } from './pipeline/match/check-host-header.js';
import { MatchOperationGuard } from './pipeline/match/match-operation.guard.js';
import { Pipeline } from './pipeline/pipeline.js';
import { getRequestContext } from './request-context.js';

/**
 * Takes requests for operations of the OpenAPI document through the pipeline, and leaves all others to Express: the document, the
 * explorer, pages, preflights, and what has no operation (ADR 103).
 */
export function createRequestReceiver(app: INestApplication): FirstHandler {
  const { GATEWAY_ALIASES } = app.get(GatewayConfig);
  const aliases = GATEWAY_ALIASES && createRequestAliases(app, GATEWAY_ALIASES);
  const [match, pipeline] = [app.get(MatchOperationGuard), app.get(Pipeline)];
  return (request, response, next) => {
    checkHostHeader(request, response);
    // Everything else looks at the path.
    aliases?.apply(request);
    match.check(request);
    if (!getRequestContext(request).operation) {
      next();
      return;
    }
    setCorsHeaders(response);
    return pipeline.handle(request, response);
  };
}

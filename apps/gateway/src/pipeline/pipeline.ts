import type { Provider } from '@nestjs/common';
import type { Request, Response } from 'express';
import { getMatchedOperation } from '../request-context.js';
import { AdmitGuard } from './admit/admit.guard.js';
import { AuthenticateGuard } from './authenticate/authenticate.guard.js';
import { AuthorizeGuard } from './authorize/authorize.guard.js';
import { CheckQueryGuard } from './check-query/check-query.guard.js';
import { ForwardService } from './forward/forward.service.js';
import { LimitGuard } from './limit/limit.guard.js';
import { MatchOperationGuard } from './match/match-operation.guard.js';
import { RequireOperationGuard } from './match/require-operation.guard.js';
import { PublishableIdGuard } from './limit/publishable-id.guard.js';
import type { PipelineGuard } from './pipeline-guard.js';

/** The steps of an API request, in the order in which they run. ForwardService forwards it after the last one. */
const PIPELINE_GUARDS = [
  // Finds the operation. First, because operations that read `Authorization` themselves are not authenticated by it.
  MatchOperationGuard,
  // Limits load per process and requests per IP address, before any signature check or database access.
  AdmitGuard,
  // Verifies every credential that is present.
  AuthenticateGuard,
  // Refuses publishable ids on other origins, and on nearly all operations.
  PublishableIdGuard,
  // Counts the request towards the tenant's rate limits.
  LimitGuard,
  // Responds 404 or 405. After the limits, so that requests to unknown paths count, too.
  RequireOperationGuard,
  // Checks the caller requirement and the scope of the operation.
  AuthorizeGuard,
  // Responds 400 to query parameters that the operation does not read.
  CheckQueryGuard,
] as const;

/** Takes API requests through the steps. The same pipeline serves requests before Express and behind it (ADR 103). */
export class Pipeline {
  constructor(
    private readonly forwarder: ForwardService,
    private readonly guards: readonly PipelineGuard[],
  ) {}

  /** @throws the error for the client */
  async handle(request: Request, response: Response): Promise<void> {
    for (const guard of this.guards) {
      const checked = guard.check(request, response);
      if (checked !== true) await checked;
    }
    await this.forwarder.forward(getMatchedOperation(request), request, response);
  }
}

/** The pipeline and its steps. */
export const pipelineProviders: Provider[] = [
  ...PIPELINE_GUARDS,
  {
    provide: Pipeline,
    inject: [ForwardService, ...PIPELINE_GUARDS],
    useFactory: (forwarder: ForwardService, ...guards: PipelineGuard[]) => new Pipeline(forwarder, guards),
  },
];

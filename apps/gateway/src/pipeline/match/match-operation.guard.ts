import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { getRequestContext } from '../../request-context.js';
import { parseRequestTarget } from './check-request-target.js';
import { OperationRouter } from './operation-router.js';
import { PipelineGuard } from '../pipeline-guard.js';

/** Finds the operation of a request, once. RequireOperationGuard rejects unknown ones later, after the rate limits. */
@Injectable()
export class MatchOperationGuard extends PipelineGuard {
  constructor(private readonly router: OperationRouter) {
    super();
  }

  check(request: Request): true {
    const context = getRequestContext(request);
    if (context.isMatched) return true;
    context.isMatched = true;
    const path = parseRequestTarget(request.url);
    const operation = path === undefined ? undefined : this.router.find(request.method, path);
    context.operation = operation;
    request.operation = operation?.id;
    return true;
  }
}

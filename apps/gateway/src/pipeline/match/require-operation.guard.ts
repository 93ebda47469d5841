import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { getRequestContext } from '../../request-context.js';
import { checkRequestTarget } from './check-request-target.js';
import { OperationRouter } from './operation-router.js';
import { PipelineGuard } from '../pipeline-guard.js';

/** Rejects requests without an operation: 400 for an ambiguous path or two spellings of a header, 404 or 405. */
@Injectable()
export class RequireOperationGuard extends PipelineGuard {
  constructor(private readonly router: OperationRouter) {
    super();
  }

  check(request: Request): true {
    const { operation, aliasConflict } = getRequestContext(request);
    if (aliasConflict) throw aliasConflict;
    if (operation) return true;
    throw this.router.createMismatchError(checkRequestTarget(request.url));
  }
}

import type { INestApplication } from '@nestjs/common';
import { type DocumentAliases, findQueryChoices, loadOpenApiDocument } from '@app/openapi';
import type { NextFunction, Request, Response } from 'express';
import { OperationRouter } from '../pipeline/match/operation-router.js';
import { RequestAliases } from './request-aliases.js';

/** Middleware, so that a deployment without aliases does nothing for them in any request. */
export function installAliases(app: INestApplication, aliases: DocumentAliases): void {
  const choices = findQueryChoices(loadOpenApiDocument());
  const requestAliases = new RequestAliases(aliases, choices, app.get(OperationRouter));
  app.use((request: Request, _response: Response, next: NextFunction): void => {
    requestAliases.apply(request);
    next();
  });
}

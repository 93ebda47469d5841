import { PrincipalGuard } from '@app/auth';
import { forbidden } from '@app/common';
import type { CanActivate, INestApplication, Type } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { Request, Response } from 'express';
import type { FirstHandler } from '../bootstrap.js';
import { sendJson } from './send-json.js';
import { BodyParserGuard } from './body-parser.guard.js';
import { BodyValidator } from './validation.pipe.js';

/** The guards of every app behind the gateway, in their order. */
export const UPSTREAM_GUARDS: readonly Type<CanActivate>[] = [PrincipalGuard, BodyParserGuard];

/**
 * An operation whose requests go to their controller without Express' router and without Nest's chain of consumers, pipes and
 * promises, because it is called far more often than all others (docs/adr/0104-short-paths-of-check-roles.md,
 * docs/adr/0107-short-path-of-account-me.md). Its middleware, guards, handler, response schema and error responses are those of all operations. The controller is the only home of
 * what it does, and stays reachable by the router, which serves what does not match the path to the letter.
 */
export interface DirectRoute {
  readonly method: 'GET' | 'POST';
  /** Without parameters. */
  readonly path: string;
  readonly controller: Type<object>;
  /** The name of the controller's method, whose metadata guards read. */
  readonly handler: string;
  /** Called once. The function calls the method with what its parameter decorators would give it, in their order. The status is 200. */
  readonly createHandler: (
    app: INestApplication,
    validator: BodyValidator,
  ) => (request: Request, response: Response) => Promise<object>;
}

/** Serves the requests of a route that match to the letter, and leaves all others to Express. */
export const serveDirectly =
  ({ method, path, controller, handler, createHandler }: DirectRoute) =>
  (app: INestApplication): FirstHandler => {
    const handle = createHandler(app, app.get(BodyValidator, { strict: false }));
    const guards = UPSTREAM_GUARDS.map((guard) => app.get<CanActivate>(guard, { strict: false }));
    const callback = Reflect.get(controller.prototype as object, handler) as () => unknown;
    const route = { path };

    const activate = async (request: Request, response: Response): Promise<void> => {
      const context = new ExecutionContextHost([request, response], controller, callback);
      for (const guard of guards) {
        const admitted = guard.canActivate(context);
        if (admitted !== true && !(await admitted))
          throw forbidden('request_forbidden', 'Forbidden resource');
      }
    };
    return async (request, response, next) => {
      if (request.url !== path || request.method !== method) {
        next();
        return;
      }
      // As Express does: its `response.json` reads the request's response, and logs and metrics name a request by its route.
      request.res = response;
      request.route = route;
      await activate(request, response);
      sendJson(response, await handle(request, response));
    };
  };

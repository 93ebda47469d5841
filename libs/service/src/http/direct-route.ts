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
 * promises, because it is called far more often than all others (docs/adr/0104-short-paths-of-check-roles.md). Its middleware, guards, handler, response schema and error responses are those of all operations. The controller is the only home of
 * what it does, and stays reachable by the router, which serves what does not match the path to the letter.
 */
export interface DirectRoute {
  readonly method: 'GET' | 'POST';
  /** With `:name` for a parameter, which matches ids that have a prefix, such as `user_1`. Others are the router's. */
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

/** Serves the requests of routes that match to the letter, and leaves all others to Express. */
export const serveDirectly =
  (...routes: readonly DirectRoute[]) =>
  (app: INestApplication): FirstHandler => {
    const handlers = routes.map((route) => createRouteHandler(route, app));
    return async (request, response, next) => {
      for (const { method, match, answer } of handlers) {
        const params = request.method === method ? match(request.url) : undefined;
        if (params) return answer(request, response, params);
      }
      next();
    };
  };

type PathParameters = Readonly<Record<string, string>>;

function createRouteHandler(
  { method, path, controller, handler, createHandler }: DirectRoute,
  app: INestApplication,
) {
  const handle = createHandler(app, app.get(BodyValidator, { strict: false }));
  const guards = UPSTREAM_GUARDS.map((guard) => app.get<CanActivate>(guard, { strict: false }));
  const callback = Reflect.get(controller.prototype as object, handler) as () => unknown;
  const route = { path };

  const activate = async (request: Request, response: Response): Promise<void> => {
    const context = new ExecutionContextHost([request, response], controller, callback);
    for (const guard of guards) {
      const admitted = guard.canActivate(context);
      if (admitted !== true && !(await admitted)) throw forbidden('request_forbidden', 'Forbidden resource');
    }
  };
  const answer = async (request: Request, response: Response, params: PathParameters): Promise<void> => {
    // As Express does: its `response.json` reads the request's response, and logs and metrics name a request by its route.
    request.res = response;
    request.route = route;
    request.params = params;
    await activate(request, response);
    sendJson(response, await handle(request, response));
  };
  return { method, match: createMatcher(path), answer };
}

const NO_PARAMETERS: PathParameters = Object.freeze({});

/** @returns a function that answers with the parameters of a URL that matches, and else with undefined */
function createMatcher(path: string): (url: string) => PathParameters | undefined {
  if (!path.includes(':')) return (url) => (url === path ? NO_PARAMETERS : undefined);
  const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[a-z]+_[\\w-]+)')}$`);
  return (url) => pattern.exec(url)?.groups;
}

import type { AppError } from '@app/common';
import { type Operation, loadOpenApiDocument, parseOperations } from '@app/openapi';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { pathMethodNotAllowed, pathNotFound } from './match.errors.js';
import type { FactoryProvider } from '@nestjs/common';

/** `{name}` of OpenAPI as `:name` of the router. */
const toRoute = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

const unreachable = (): never => {
  throw new Error('The router only looks up');
};

/** Finds the operation of a request. What is in no document cannot be reached. */
export class OperationRouter {
  private readonly router = createRouter({ maxParamLength: 512 });
  private readonly methods: HTTPMethod[];

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      this.router.on(operation.method as HTTPMethod, toRoute(operation.path), unreachable, operation);
    }
    this.methods = [...new Set(operations.map(({ method }) => method))] as HTTPMethod[];
  }

  find(method: string, path: string): Operation | undefined {
    // RFC 9110 section 9.3.2: HEAD is GET without the body; node leaves the body out.
    const wanted = (method === 'HEAD' ? 'GET' : method) as HTTPMethod;
    return this.router.find(wanted, path)?.store as Operation | undefined;
  }

  /** Why nothing was found: 404, or 405 with the methods that the path has. */
  createMismatchError(path: string): AppError {
    const allow = this.methods.filter((method) => this.find(method, path));
    return allow.length === 0 ? pathNotFound() : pathMethodNotAllowed(allow);
  }
}

export const operationRouterProvider: FactoryProvider<OperationRouter> = {
  provide: OperationRouter,
  useFactory: () => new OperationRouter(parseOperations(loadOpenApiDocument())),
};

import type { FactoryProvider } from '@nestjs/common';
import type { AppError } from '@app/common';
import { type Operation, loadOpenApiDocument, parseOperations } from '@app/openapi';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { pathMethodNotAllowed, pathNotFound } from './match.errors.js';

/** Converts `{name}` of OpenAPI to `:name` of find-my-way. */
const toRoute = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

const unusedHandler = (): never => {
  throw new Error('The router only finds operations');
};

/** Fits the tokens in paths of `GET /asset-verification/{token}`. */
const MAX_PARAMETER_LENGTH = 8_192;

/** Finds the operation of a request in the OpenAPI document; nothing else is reachable. */
export class OperationRouter {
  private readonly router = createRouter({ maxParamLength: MAX_PARAMETER_LENGTH });
  private readonly methods: HTTPMethod[];

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      this.router.on(operation.method as HTTPMethod, toRoute(operation.path), unusedHandler, operation);
    }
    this.methods = [...new Set(operations.map(({ method }) => method))] as HTTPMethod[];
  }

  find(method: string, path: string): Operation | undefined {
    // HEAD is GET without the body (RFC 9110 section 9.3.2); node omits the body.
    const routedMethod = (method === 'HEAD' ? 'GET' : method) as HTTPMethod;
    return this.router.find(routedMethod, path)?.store as Operation | undefined;
  }

  /** The error for a request without an operation: 404, or 405 with the methods of the path. */
  createMismatchError(path: string): AppError {
    const allow = this.listMethods(path);
    return allow.length === 0 ? pathNotFound() : pathMethodNotAllowed(allow);
  }

  /** Whether any operation has this path. */
  isKnownPath(path: string): boolean {
    return this.listMethods(path).length > 0;
  }

  private listMethods(path: string): HTTPMethod[] {
    return this.methods.filter((method) => this.find(method, path));
  }
}

export const operationRouterProvider: FactoryProvider<OperationRouter> = {
  provide: OperationRouter,
  useFactory: () => new OperationRouter(parseOperations(loadOpenApiDocument())),
};

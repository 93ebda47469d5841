import { loadOpenApiDocument, parseOperations } from '@app/openapi';
import { OperationRouter } from '../../apps/gateway/src/pipeline/match/operation-router.js';

const table = new OperationRouter(parseOperations(loadOpenApiDocument()));

/** The operation id that the gateway would find for a request, for tests that speak to a service as the gateway does. */
export function operationOf(method: string, pathAndQuery: string): string | undefined {
  const [path = ''] = pathAndQuery.split('?');
  return table.find(method, path)?.id;
}

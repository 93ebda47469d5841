import { loadContract, readOperations } from '@app/contract';
import { OperationTable } from '../../apps/gateway/src/match/operation-table.js';

const table = new OperationTable(readOperations(loadContract()));

/** The operation id that the gateway would find for a request, for tests that speak to a service as the gateway does. */
export function operationOf(method: string, pathAndQuery: string): string | undefined {
  const [path = ''] = pathAndQuery.split('?');
  return table.find(method, path)?.id;
}

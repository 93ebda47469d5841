import type { FactoryProvider } from '@nestjs/common';
import { loadContract, readOperations } from '@app/contract';
import { OperationTable } from './operation-table.js';

export const operationTableProvider: FactoryProvider<OperationTable> = {
  provide: OperationTable,
  useFactory: () => new OperationTable(readOperations(loadContract())),
};

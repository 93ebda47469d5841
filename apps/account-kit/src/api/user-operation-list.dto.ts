import { queryInteger, queryText } from '@app/dto';
import { z } from 'zod';
import { operationKind, operationState } from '@app/dto';
import { platformQuery } from './platform.dto.js';
import { userOperationHash } from './user-operation.dto.js';

export const DEFAULT_LIST_SIZE = 50;
const MAX_LIST_SIZE = 100;

export const operationListQuery = platformQuery.extend({
  limit: queryInteger(1, MAX_LIST_SIZE)
    .optional()
    .meta({ description: `User operations of one page. Default: ${DEFAULT_LIST_SIZE}`, example: 10 }),
  paginationToken: queryText.min(1).max(256).optional().meta({ description: 'From the page before' }),
});
export type OperationListQuery = z.output<typeof operationListQuery>;

const time = z.iso.datetime();

const listedOperation = z
  .object({
    userOpHash: z.string(),
    chainId: z.number(),
    kind: operationKind,
    state: operationState,
    nonceKey: z.string().meta({ description: 'The lane, in decimal' }),
    success: z.boolean().optional().meta({ description: 'Once it is included' }),
    reason: z.string().optional().meta({ description: 'Why it failed, or why it is not included yet' }),
    transactionHash: z.string().optional(),
    acceptedAt: time,
    changedAt: time.meta({ description: 'When it came into its state' }),
  })
  .meta({ id: 'ListedUserOperation', description: 'A user operation of an account.' });

export const operationList = z
  .object({
    items: z.array(listedOperation),
    paginationToken: z
      .string()
      .optional()
      .meta({ description: 'For the next page, unless this is the last one' }),
  })
  .meta({ id: 'UserOperationList' });
export type OperationList = z.output<typeof operationList>;

export const operationParams = z.object({
  hash: userOperationHash,
});
export type OperationParams = z.output<typeof operationParams>;

import { CurrentClient, type RequestingClient, Returns } from '@app/service';
import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { RequestDeadline } from '../request-deadline.js';
import { OperationListService } from '../user-operations/operation-list.service.js';
import type { ListedOperationRow } from '../user-operations/user-operations.queries.js';
import { ADDRESS_ERRORS, CANCELLATION_ERRORS } from './account-kit.descriptions.js';
import { AccessTokenHeader, AccountKitOperation } from './account-kit.operations.js';
import { type PlatformQuery, platformQuery } from './platform.dto.js';
import { AccessToken, Deadline } from './request.decorators.js';
import {
  type UserOperationResponse,
  userOperationResponse,
  userOperationHash,
} from './user-operation.dto.js';
import { queryInteger, queryText, operationKind, operationState } from '@app/dto';
import { z } from 'zod';

const DEFAULT_LIST_SIZE = 50;
const MAX_LIST_SIZE = 100;

const operationListQuery = platformQuery.extend({
  limit: queryInteger(1, MAX_LIST_SIZE)
    .optional()
    .meta({ description: `User operations of one page. Default: ${DEFAULT_LIST_SIZE}`, example: 10 }),
  paginationToken: queryText.min(1).max(256).optional().meta({ description: 'From the page before' }),
});
type OperationListQuery = z.output<typeof operationListQuery>;

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

const operationList = z
  .object({
    items: z.array(listedOperation),
    paginationToken: z
      .string()
      .optional()
      .meta({ description: 'For the next page, unless this is the last one' }),
  })
  .meta({ id: 'UserOperationList' });
type OperationList = z.output<typeof operationList>;

const operationParams = z.object({
  hash: userOperationHash,
});
type OperationParams = z.output<typeof operationParams>;

/** User operations that an account has made (contract.md section 10). */
@Controller('accountkit/v2/platform/operations')
export class UserOperationController {
  constructor(private readonly operations: OperationListService) {}

  @Get()
  @AccountKitOperation({
    summary: "List the user operations of the platform user's smart account",
    description:
      'Each with its state, and with the transaction that included it. Newest first, on all chains, whichever client ' +
      'application has submitted them.',
    errors: ADDRESS_ERRORS,
  })
  @AccessTokenHeader()
  @Returns(operationList)
  async listUserOperations(
    @Query({ schema: operationListQuery })
    { platform, limit = DEFAULT_LIST_SIZE, paginationToken }: OperationListQuery,
    @AccessToken() token: string,
    @CurrentClient() { id: clientId }: RequestingClient,
  ): Promise<OperationList> {
    const page = await this.operations.list({ platform, token, clientId }, { limit, paginationToken });
    return {
      items: page.items.map(toListedOperation),
      ...(page.paginationToken === undefined ? {} : { paginationToken: page.paginationToken }),
    };
  }

  @Post(':hash/cancellations')
  @AccountKitOperation({
    summary: 'Cancel a user operation',
    description:
      'Takes the nonce of an operation that is signed, stuck or expired with one that does nothing, so that later operations of its ' +
      'lane can go on. The operation is `rejected` once that is proved; if it was executed first, the cancellation is. The response names ' +
      'the cancellation, whose receipt can be read like others. A client application may ask for 50 a day.',
    conflicts: {
      operation_conflict: 'the operation is in a transaction or has ended',
      account_funds_required: 'neither a sponsor nor the account can pay for the cancellation',
    },
    errors: CANCELLATION_ERRORS,
    example: { status: 409, reason: 'the operation of the example is executed already' },
  })
  @AccessTokenHeader()
  @Returns(userOperationResponse)
  cancelUserOperation(
    @Param({ schema: operationParams }) { hash }: OperationParams,
    @Query({ schema: platformQuery }) { platform }: PlatformQuery,
    @AccessToken() token: string,
    @CurrentClient() { id: clientId }: RequestingClient,
    @Deadline() deadline: RequestDeadline,
  ): Promise<UserOperationResponse> {
    return this.operations.cancel({ platform, token, clientId }, hash, deadline);
  }
}

const toListedOperation = (row: ListedOperationRow): OperationList['items'][number] => ({
  userOpHash: row.hash,
  chainId: row.chainId,
  kind: row.kind,
  state: row.state,
  nonceKey: row.nonceKey,
  ...(row.success === null ? {} : { success: row.success }),
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.transactionHash === null ? {} : { transactionHash: row.transactionHash }),
  acceptedAt: row.acceptedAt,
  changedAt: row.changedAt.toISOString(),
});

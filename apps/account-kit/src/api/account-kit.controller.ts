import { RETRY_AFTER_SECONDS } from '@app/common';
import { CurrentClient, IdempotencyKey, type RequestingClient, Returns } from '@app/service';
import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  type AccountAddresses,
  accountAddresses,
  AccountAddressesService,
  type PlatformAccountAddressRequest,
  platformAccountAddressRequest,
} from '../custody/accounts/account-addresses.service.js';
import {
  type CustomActionRequest,
  customActionRequest,
  type CustomActionResponse,
  customActionResponse,
} from '../actions/custom-action.dto.js';
import { UserActionsService } from '../actions/user-actions.service.js';
import { type MintOutcome, mintOutcome, type MintRequest, mintRequest } from '../mint/mint.dto.js';
import { MintService } from '../mint/mint.service.js';
import type { PlatformToken } from '../owners/platform-user.js';
import type { RequestDeadline } from '../request-deadline.js';
import { UserSolanaTransactionsService } from '../solana/user-solana-transactions.service.js';
import { isPending, UserOperationsService } from '../user-operations/user-operations.service.js';
import { ACTION_ERRORS, ADDRESS_ERRORS, NAMED_ADDRESS_ERRORS } from './account-kit.descriptions.js';
import {
  AccessTokenHeader,
  AccountKitOperation,
  BotTokenHeader,
  SolanaSubmission,
  SolanaTransactionLookUp,
  UserOperationReceiptLookUp,
  UserOperationSubmission,
} from './account-kit.operations.js';
import {
  type ChainQuery,
  chainQuery,
  type PlatformChainQuery,
  platformChainQuery,
  type PlatformQuery,
  platformQuery,
  type PlatformSolanaQuery,
  platformSolanaQuery,
  type SolanaQuery,
  solanaQuery,
} from './platform.dto.js';
import {
  AccessToken,
  BotToken,
  ClientSignal,
  Deadline,
  NonceKey,
  PreferredWait,
  PresentedToken,
} from './request.decorators.js';
import {
  type SerializedTransaction,
  serializedTransaction,
  type TransactionOutcome,
  transactionOutcome,
  type TransactionQuery,
  transactionQuery,
  type TransactionResponse,
  transactionResponse,
} from './solana.dto.js';
import {
  toOperationReceipt,
  type BatchUserOperationRequest,
  batchUserOperationRequest,
  type UserOperationOutcome,
  userOperationOutcome,
  type UserOperationReceipt,
  userOperationReceipt,
  type UserOperationReceiptQuery,
  userOperationReceiptQuery,
  type UserOperationRequest,
  userOperationRequest,
} from './user-operation.dto.js';

/** Smart accounts of chat bots and of platform users (spec.md 4.3). */
@Controller('accountkit')
export class AccountKitController {
  constructor(
    private readonly addresses: AccountAddressesService,
    private readonly operations: UserOperationsService,
    private readonly mints: MintService,
    private readonly actions: UserActionsService,
    private readonly transactions: UserSolanaTransactionsService,
  ) {}

  @Get('v1/chatbot/accounts')
  @AccountKitOperation({
    summary: "List the bot's smart accounts",
    description:
      'The accounts of the bot whose token is in `X-BOT-TOKEN`: its addresses on the EVM chains and on Solana. They can be ' +
      'paid to before anything of them is on chain.',
    errors: ADDRESS_ERRORS,
  })
  @BotTokenHeader()
  @Returns(accountAddresses)
  getAccounts(
    @BotToken() token: string,
    @CurrentClient() { id: clientId }: RequestingClient,
  ): Promise<AccountAddresses> {
    return this.addresses.loadByToken({ platform: 'chat', token, clientId });
  }

  @Post('v1/chatbot/evm/mint')
  @UserOperationSubmission(
    'Mint a fungible token',
    "Creates a token with the name and symbol of the body from the bot's smart account, for `recipient`.",
  )
  @BotTokenHeader()
  @Returns(mintOutcome)
  mint(
    @Query({ schema: chainQuery }) { chainId }: ChainQuery,
    @Body({ schema: mintRequest }) body: MintRequest,
    @BotToken() token: string,
    @CurrentClient() { id: clientId }: RequestingClient,
    @NonceKey() nonceKey: bigint,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Deadline() deadline: RequestDeadline,
  ): Promise<MintOutcome> {
    const { dryRun } = body;
    return this.mints.mint(
      { token: { platform: 'chat', token }, clientId, chainId, nonceKey, idempotencyKey, deadline, dryRun },
      body,
    );
  }

  @Post('v1/chatbot/evm/submitUserOperation')
  @UserOperationSubmission(
    "Submit a user operation from the bot's smart account",
    'One call of a contract or payment by the account of the bot whose token is in `X-BOT-TOKEN`.',
  )
  @BotTokenHeader()
  @Returns(userOperationOutcome)
  submitUserOperation(
    @Query({ schema: chainQuery }) { chainId }: ChainQuery,
    @Body({ schema: userOperationRequest }) { call, dryRun }: UserOperationRequest,
    @BotToken() token: string,
    @CurrentClient() { id: clientId }: RequestingClient,
    @NonceKey() nonceKey: bigint,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Deadline() deadline: RequestDeadline,
  ): Promise<UserOperationOutcome> {
    return this.operations.submitCalls(
      { token: { platform: 'chat', token }, clientId, chainId, nonceKey, idempotencyKey, deadline, dryRun },
      [call],
    );
  }

  @Get('v1/chatbot/evm/userOperationReceipt')
  @UserOperationReceiptLookUp()
  @BotTokenHeader()
  @Returns(userOperationReceipt)
  async getUserOperationReceipt(
    @Query({ schema: userOperationReceiptQuery })
    { chainId, userOperationHash: hash }: UserOperationReceiptQuery,
    @PresentedToken() token: PlatformToken,
    @CurrentClient() { id: clientId }: RequestingClient,
    @PreferredWait() waitMs: number,
    @ClientSignal() signal: AbortSignal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserOperationReceipt> {
    const row = await this.operations.loadReceipt(
      { ...token, clientId },
      { chainId, hash },
      { waitMs, signal },
    );
    if (isPending(row)) response.status(202).setHeader('Retry-After', String(RETRY_AFTER_SECONDS.progress));
    return toOperationReceipt(hash, row);
  }

  @Post('v1/chatbot/executeCustomActionUsingKeypair')
  @AccountKitOperation({
    summary: "Run a custom action with the bot's key pair",
    description:
      'Runs a script that is on the list of the client application. Its `sign` uses a key of its own, which owns no account. The chain must be one of the deployment.',
    errors: ACTION_ERRORS,
    example: { status: 404, reason: 'the demo client application has no action' },
  })
  @BotTokenHeader()
  @Returns(customActionResponse)
  executeCustomAction(
    @Query({ schema: chainQuery }) { chainId }: ChainQuery,
    @Body({ schema: customActionRequest }) body: CustomActionRequest,
    @BotToken() token: string,
    @CurrentClient() client: RequestingClient,
  ): Promise<CustomActionResponse> {
    return this.actions.execute({ platform: 'chat', token }, { client, chainId }, body);
  }

  @Post('v1/chatbot/solana/submitTransaction')
  @SolanaSubmission(
    "Submit a Solana transaction from the bot's account",
    'For the account of the bot whose token is in `X-BOT-TOKEN`.',
  )
  @BotTokenHeader()
  @Returns(transactionOutcome)
  submitSolanaTransaction(
    @Query({ schema: solanaQuery }) { network }: SolanaQuery,
    @Body({ schema: serializedTransaction }) body: SerializedTransaction,
    @BotToken() token: string,
    @CurrentClient() { id: clientId }: RequestingClient,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Deadline() deadline: RequestDeadline,
  ): Promise<TransactionOutcome> {
    const platformToken = { platform: 'chat', token, clientId } as const;
    return this.transactions.submit(platformToken, { network, idempotencyKey, deadline, ...body });
  }

  @Get('v1/chatbot/solana/transactionResponse')
  @SolanaTransactionLookUp()
  @BotTokenHeader()
  @Returns(transactionResponse)
  async getSolanaTransaction(
    @Query({ schema: transactionQuery }) { network, txSignatureBase64: signature }: TransactionQuery,
    @PresentedToken() token: PlatformToken,
    @CurrentClient() { id: clientId }: RequestingClient,
    @PreferredWait() waitMs: number,
    @ClientSignal() signal: AbortSignal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TransactionResponse> {
    const status = await this.transactions.load(
      { ...token, clientId },
      { network, signature },
      { waitMs, signal },
    );
    if (!status.isPending) return { response: status.response };
    response.status(202).setHeader('Retry-After', String(RETRY_AFTER_SECONDS.progress));
    return { response: { state: status.state } };
  }

  @Post('v2/evm/calculateAccountAddress')
  @AccountKitOperation({
    summary: "Compute the smart accounts of a platform's user",
    description:
      'The accounts that a user of a platform has or would have, by platform and user id, without a token of that user: to ' +
      'show an address, or to pay to it.',
    errors: NAMED_ADDRESS_ERRORS,
  })
  @Returns(accountAddresses)
  calculateAccountAddress(
    @Body({ schema: platformAccountAddressRequest }) user: PlatformAccountAddressRequest,
    @CurrentClient() { id: clientId }: RequestingClient,
  ): Promise<AccountAddresses> {
    return this.addresses.loadByUser(user, clientId);
  }

  @Get('v2/platform/accounts')
  @AccountKitOperation({
    summary: "List the platform user's smart accounts",
    description:
      'The accounts of the user or bot whose token of the platform is in `X-ACCESS-TOKEN`: their addresses on the EVM chains ' +
      'and on Solana.',
    errors: ADDRESS_ERRORS,
  })
  @AccessTokenHeader()
  @Returns(accountAddresses)
  getPlatformAccounts(
    @Query({ schema: platformQuery }) { platform }: PlatformQuery,
    @AccessToken() token: string,
    @CurrentClient() { id: clientId }: RequestingClient,
  ): Promise<AccountAddresses> {
    return this.addresses.loadByToken({ platform, token, clientId });
  }

  @Post('v2/platform/evm/submitUserOperation')
  @UserOperationSubmission(
    "Submit a batch of user operations from the platform user's smart account",
    'All calls of the batch run in one transaction or none does, by the account of the user whose token is in `X-ACCESS-TOKEN`.',
  )
  @AccessTokenHeader()
  @Returns(userOperationOutcome)
  submitPlatformUserOperation(
    @Query({ schema: platformChainQuery }) { platform, chainId }: PlatformChainQuery,
    @Body({ schema: batchUserOperationRequest }) { userOps, dryRun }: BatchUserOperationRequest,
    @AccessToken() token: string,
    @CurrentClient() { id: clientId }: RequestingClient,
    @NonceKey() nonceKey: bigint,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Deadline() deadline: RequestDeadline,
  ): Promise<UserOperationOutcome> {
    return this.operations.submitCalls(
      { token: { platform, token }, clientId, chainId, nonceKey, idempotencyKey, deadline, dryRun },
      userOps,
    );
  }

  @Post('v2/platform/solana/submitTransaction')
  @SolanaSubmission(
    "Submit a Solana transaction from the platform user's account",
    'For the account of the user whose token of the platform is in `X-ACCESS-TOKEN`.',
  )
  @AccessTokenHeader()
  @Returns(transactionOutcome)
  submitPlatformSolanaTransaction(
    @Query({ schema: platformSolanaQuery }) { platform, network }: PlatformSolanaQuery,
    @Body({ schema: serializedTransaction }) body: SerializedTransaction,
    @AccessToken() token: string,
    @CurrentClient() { id: clientId }: RequestingClient,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Deadline() deadline: RequestDeadline,
  ): Promise<TransactionOutcome> {
    return this.transactions.submit(
      { platform, token, clientId },
      { network, idempotencyKey, deadline, ...body },
    );
  }
}

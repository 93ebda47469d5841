import { applyDecorators, Body, Controller, Get, Post, Query } from '@nestjs/common';
import { throwNotImplemented, Operation, Returns } from '@app/service';
import { ApiHeader } from '@nestjs/swagger';
import { botSmartAccountAddresses, platformAccountAddressRequest } from './accounts.dto.js';
import { mintRequest, mintResponse } from '../mint/mint.dto.js';
import { customActionRequest, customActionResponse } from '../actions/custom-action.dto.js';
import {
  chainQuery,
  platformChainQuery,
  platformQuery,
  platformSolanaQuery,
  solanaQuery,
} from './platform.dto.js';
import {
  serializedTransaction,
  submitTransactionResponse,
  transactionQuery,
  transactionResponse,
} from './solana.dto.js';
import {
  batchUserOperationRequest,
  userOperationReceiptQuery,
  userOperationReceipt,
  userOperationRequest,
  userOperationResponse,
} from './user-operation.dto.js';

const kit = (summary: string) =>
  Operation({ caller: 'client', scope: 'accountkit', summary, isPlanned: true });

const botOperation = (summary: string) =>
  applyDecorators(
    kit(summary),
    ApiHeader({
      name: 'X-BOT-TOKEN',
      required: true,
      description: 'Bot token of the chat platform',
      example: 'bot-token',
    }),
  );

const platformOperation = (summary: string) =>
  applyDecorators(
    kit(summary),
    ApiHeader({
      name: 'X-ACCESS-TOKEN',
      required: true,
      description: 'Bot token or OAuth 2.0 access token of the platform',
      example: 'access-token',
    }),
  );

/** Smart accounts of chat bots and of platform users (spec.md 4.3). */
@Controller('accountkit')
export class AccountKitController {
  @Get('v1/chatbot/accounts')
  @botOperation("List the bot's smart accounts")
  @Returns(botSmartAccountAddresses)
  getAccounts(): never {
    return throwNotImplemented();
  }

  @Post('v1/chatbot/evm/mint')
  @botOperation('Mint a fungible token')
  @Returns(mintResponse)
  mint(@Query({ schema: chainQuery }) _query: unknown, @Body({ schema: mintRequest }) _body: unknown): never {
    return throwNotImplemented();
  }

  @Post('v1/chatbot/evm/submitUserOperation')
  @botOperation("Submit a user operation from the bot's smart account")
  @Returns(userOperationResponse)
  submitUserOperation(
    @Query({ schema: chainQuery }) _query: unknown,
    @Body({ schema: userOperationRequest }) _body: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Get('v1/chatbot/evm/userOperationReceipt')
  @botOperation('Get the receipt of a user operation')
  @Returns(userOperationReceipt)
  getUserOperationReceipt(@Query({ schema: userOperationReceiptQuery }) _query: unknown): never {
    return throwNotImplemented();
  }

  @Post('v1/chatbot/executeCustomActionUsingKeypair')
  @botOperation("Run a custom action with the bot's key pair")
  @Returns(customActionResponse)
  executeCustomAction(
    @Query({ schema: chainQuery }) _query: unknown,
    @Body({ schema: customActionRequest }) _body: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Post('v1/chatbot/solana/submitTransaction')
  @botOperation("Submit a Solana transaction from the bot's account")
  @Returns(submitTransactionResponse)
  submitSolanaTransaction(
    @Query({ schema: solanaQuery }) _query: unknown,
    @Body({ schema: serializedTransaction }) _body: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Get('v1/chatbot/solana/transactionResponse')
  @botOperation('Get the status of a Solana transaction')
  @Returns(transactionResponse)
  getSolanaTransaction(@Query({ schema: transactionQuery }) _query: unknown): never {
    return throwNotImplemented();
  }

  @Post('v2/evm/calculateAccountAddress')
  @kit("Compute the smart accounts of a platform's user")
  @Returns(botSmartAccountAddresses)
  calculateAccountAddress(@Body({ schema: platformAccountAddressRequest }) _body: unknown): never {
    return throwNotImplemented();
  }

  @Get('v2/platform/accounts')
  @platformOperation("List the platform user's smart accounts")
  @Returns(botSmartAccountAddresses)
  getPlatformAccounts(@Query({ schema: platformQuery }) _query: unknown): never {
    return throwNotImplemented();
  }

  @Post('v2/platform/evm/submitUserOperation')
  @platformOperation("Submit a batch of user operations from the platform user's smart account")
  @Returns(userOperationResponse)
  submitPlatformUserOperation(
    @Query({ schema: platformChainQuery }) _query: unknown,
    @Body({ schema: batchUserOperationRequest }) _body: unknown,
  ): never {
    return throwNotImplemented();
  }

  @Post('v2/platform/solana/submitTransaction')
  @platformOperation("Submit a Solana transaction from the platform user's account")
  @Returns(submitTransactionResponse)
  submitPlatformSolanaTransaction(
    @Query({ schema: platformSolanaQuery }) _query: unknown,
    @Body({ schema: serializedTransaction }) _body: unknown,
  ): never {
    return throwNotImplemented();
  }
}

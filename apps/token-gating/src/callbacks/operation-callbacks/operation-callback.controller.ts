import {
  Callback,
  CurrentClient,
  Operation,
  type RequestingClient,
  Returns,
  ReturnsNothing,
} from '@app/service';
import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import { z } from 'zod';
import { operationCallback, operationReceiverChallenge } from '../callback-body.js';
import {
  type OperationCallbackRegistration,
  operationCallbackRegistration,
  OperationReceiverService,
  registeredOperationCallback,
} from './operation-receiver.service.js';
const access = { caller: 'client', scope: 'accountkit' } as const;

/** Sets where a client application of account-kit is called back. Callbacks are sent, and signed, in one place. */
@Controller('accountkit/v2/operation-callback')
export class OperationCallbackController {
  constructor(private readonly receivers: OperationReceiverService) {}

  @Get()
  @Operation({
    ...access,
    summary: 'Get the callback URL for operations of the client application',
    errors: ['403 client_required', '404 callback_not_found'],
    example: { status: 404, reason: 'the demo client application has no callback URL' },
  })
  @Returns(registeredOperationCallback)
  getOperationCallback(@CurrentClient() client: RequestingClient) {
    return this.receivers.load(client);
  }

  @Put()
  @Operation({
    ...access,
    summary: 'Register the callback URL for operations of the client application',
    description:
      'Each change of the state of a user operation or Solana transaction is sent there, signed like every callback. ' +
      'Another URL replaces the one before.',
    errors: ['400 url_invalid', '403 client_required'],
  })
  @Callback(z.union([operationCallback, operationReceiverChallenge]), {
    name: 'operationChange',
    urlField: 'callbackUrl',
    summary:
      'The challenge that the receiver has to answer first, and then the changes of operations; signed',
  })
  @ReturnsNothing()
  async registerOperationCallback(
    @CurrentClient() client: RequestingClient,
    @Body({ schema: operationCallbackRegistration }) { callbackUrl }: OperationCallbackRegistration,
  ): Promise<void> {
    await this.receivers.register(client, callbackUrl);
  }

  @Delete()
  @Operation({
    ...access,
    summary: 'Remove the callback URL for operations of the client application',
    description: 'Callbacks that wait are not sent any more.',
    errors: ['403 client_required', '404 callback_not_found'],
  })
  @ReturnsNothing()
  async removeOperationCallback(@CurrentClient() client: RequestingClient): Promise<void> {
    await this.receivers.remove(client);
  }
}

import { AppError } from '@app/common';
import {
  type AccountFreezesResponse,
  accountFreezesResponse,
  type DoneResponse,
  doneResponse,
  type RemoveFreezeRequest,
  removeFreezeRequest,
  type SetFreezeRequest,
  setFreezeRequest,
  type SetFreezeResponse,
  setFreezeResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Get, Post } from '@nestjs/common';
import { FreezesService } from '../limits/freezes.service.js';

/** Freezes in the portal. Identity has authorized the operator, and recorded the action. */
@InternalController('internal/account-freezes', 'identity')
export class InternalFreezesController {
  constructor(private readonly freezes: FreezesService) {}

  @Get()
  @Returns(accountFreezesResponse)
  async list(): Promise<AccountFreezesResponse> {
    return { items: await this.freezes.list() };
  }

  @Post('set')
  @Returns(setFreezeResponse)
  async set(
    @Body({ schema: setFreezeRequest }) { freezeId, reason }: SetFreezeRequest,
  ): Promise<SetFreezeResponse> {
    return (await isFound(this.freezes.set(freezeId, reason)))
      ? { outcome: 'set' }
      : { outcome: 'account_not_found' };
  }

  @Post('remove')
  @Returns(doneResponse)
  async remove(
    @Body({ schema: removeFreezeRequest }) { freezeId }: RemoveFreezeRequest,
  ): Promise<DoneResponse> {
    await isFound(this.freezes.remove(freezeId));
    return { isDone: true };
  }
}

async function isFound(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof AppError && error.statusCode === 404) return false;
    throw error;
  }
}

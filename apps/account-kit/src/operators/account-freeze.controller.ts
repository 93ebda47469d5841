import { CurrentPrincipal, type Principal } from '@app/auth';
import { Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Header, Param, Put } from '@nestjs/common';
import { FreezesService } from '../freezes/freezes.service.js';
import {
  type AccountFreezes,
  accountFreezes,
  type FreezeParams,
  freezeParams,
  type FreezeRequest,
  freezeRequest,
} from './account-freeze.dto.js';
import { OperatorOperation } from './operator-operation.decorator.js';
import { OperatorsService } from './operators.service.js';
import { toFreezeAction } from './to-freeze-action.js';

/** What operators keep from signing (contract.md section 10). */
@Controller('accountkit/v2/operator/freezes')
export class AccountFreezeController {
  constructor(
    private readonly operators: OperatorsService,
    private readonly freezes: FreezesService,
  ) {}

  @Get()
  @OperatorOperation('What is frozen')
  @Header('Cache-Control', 'no-store')
  @Returns(accountFreezes)
  async listFreezes(@CurrentPrincipal() caller: Principal): Promise<AccountFreezes> {
    await this.operators.authorize(caller, { action: 'freezes.listed', target: 'freezes' });
    return { items: await this.freezes.list() };
  }

  @Put(':freezeId')
  @OperatorOperation('Freeze an account, a client application, a chain, its sponsor or everything', {
    description:
      'When this has answered, nothing of it is signed or sent any more, except transactions that are stored as sent already.',
    errors: ['404 account_not_found', '404 client_not_found'],
  })
  @ReturnsNothing()
  async setFreeze(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: freezeParams }) { freezeId }: FreezeParams,
    @Body({ schema: freezeRequest }) { reason }: FreezeRequest,
  ): Promise<void> {
    await this.operators.authorize(caller, toFreezeAction('freeze.set', freezeId, reason));
    await this.freezes.set(freezeId, reason);
  }

  @Delete(':freezeId')
  @OperatorOperation('Remove a freeze', {
    description: 'What waited is sent.',
    errors: ['404 account_not_found', '404 freeze_not_found'],
  })
  @ReturnsNothing()
  async removeFreeze(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: freezeParams }) { freezeId }: FreezeParams,
  ): Promise<void> {
    await this.operators.authorize(caller, toFreezeAction('freeze.removed', freezeId));
    await this.freezes.remove(freezeId);
  }
}

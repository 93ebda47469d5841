import { CurrentPrincipal, type Principal } from '@app/auth';
import { accountFreeze, freezeId, freezeReason, getFrozenClientId } from '@app/dto';
import { Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Header, Param, Put } from '@nestjs/common';
import { z } from 'zod';
import { FreezesService } from '../limits/freezes.service.js';
import { OperatorOperation } from './request.decorators.js';
import { type OperatorAction, OperatorsService } from './operators.service.js';

function toFreezeAction(
  action: 'freeze.set' | 'freeze.removed',
  freezeId: string,
  reason?: string,
): OperatorAction {
  const clientId = getFrozenClientId(freezeId);
  return {
    action,
    target: clientId ?? freezeId,
    ...(reason === undefined ? {} : { details: { reason } }),
    // A freeze that was deleted meanwhile can be unfrozen, too.
    ...(action === 'freeze.set' && clientId !== undefined ? { clientId } : {}),
  };
}

const freezeParams = z.object({
  freezeId: freezeId.meta({ example: 'chain:31337' }),
});
type FreezeParams = z.output<typeof freezeParams>;

const freezeRequest = z
  .strictObject({
    reason: freezeReason.meta({ description: 'For operators; callers do not see it' }),
  })
  .meta({ id: 'AccountFreezeRequest', example: { reason: 'A key was found in a log' } });
type FreezeRequest = z.output<typeof freezeRequest>;

const accountFreezes = z
  .object({
    items: z.array(
      accountFreeze
        .extend({ id: z.string().meta({ description: 'An account is named by its EVM address' }) })
        .meta({ id: 'AccountFreeze' }),
    ),
  })
  .meta({ id: 'AccountFreezeList' });
type AccountFreezes = z.output<typeof accountFreezes>;

/** What operators keep from signing (contract.md section 10). */
@Controller('accountkit/v2/operator/freezes')
export class AccountFreezeController {
  constructor(
    private readonly operators: OperatorsService,
    private readonly freezes: FreezesService,
  ) {}

  @Get()
  @OperatorOperation('What is frozen', {
    description: 'All freezes that are in force, each with its reason and the time of its begin.',
  })
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
    description:
      'Operations that waited for it are signed and sent. A freeze of something larger that covers the same account goes on.',
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

import { CurrentPrincipal, type Principal } from '@app/auth';
import { Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Header, Param, Put, Query } from '@nestjs/common';
import { AccountPoliciesService, formatPolicy } from '../policies/account-policies.service.js';
import {
  accountPolicy,
  type AccountPolicy,
  type AccountPolicyResponse,
  accountPolicyResponse,
  type PolicyParams,
  policyParams,
  type PolicyRevisionQuery,
  policyRevisionQuery,
  toPolicyDetails,
} from './account-policy.dto.js';
import { OperatorOperation } from './request.decorators.js';
import { OperatorsService } from './operators.service.js';
const CONFLICTS = { policy_conflict: 'the policy was changed since this revision' };

/** What smart accounts may do for client applications, as operators say (contract.md section 10). */
@Controller('accountkit/v2/operator/client-applications/:clientId/policy')
export class AccountPolicyController {
  constructor(
    private readonly operators: OperatorsService,
    private readonly policies: AccountPoliciesService,
  ) {}

  @Get()
  @OperatorOperation('The policy of a client application', {
    description:
      'What the application may submit, as an operator has set it, with the revision that a change names. 404 where ' +
      '`DEFAULT_POLICY` decides.',
    errors: ['404 policy_not_found'],
  })
  @Header('Cache-Control', 'no-store')
  @Returns(accountPolicyResponse)
  async getPolicy(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: policyParams }) { clientId }: PolicyParams,
  ): Promise<AccountPolicyResponse> {
    await this.operators.authorize(caller, { action: 'account-policy.viewed', target: clientId });
    const { document, changedAt, revision } = await this.policies.load(clientId);
    return { policy: document, changedAt: changedAt.toISOString(), revision };
  }

  @Put()
  @OperatorOperation('Set the policy of a client application', {
    description:
      'Replaces the whole policy, which decides from the next request on. Operations that are signed are sent; a freeze stops ' +
      'those, too.',
    errors: ['404 client_not_found'],
    conflicts: CONFLICTS,
  })
  @ReturnsNothing()
  async setPolicy(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: policyParams }) { clientId }: PolicyParams,
    @Query({ schema: policyRevisionQuery }) { revision }: PolicyRevisionQuery,
    @Body({ schema: accountPolicy }) policy: AccountPolicy,
  ): Promise<void> {
    const details = toPolicyDetails(formatPolicy(policy));
    const action = { action: 'account-policy.set', target: clientId, clientId, details } as const;
    await this.operators.authorize(caller, action);
    await this.policies.set(clientId, policy, revision);
  }

  @Delete()
  @OperatorOperation('Remove the policy of a client application', {
    description: '`DEFAULT_POLICY` of the deployment decides about the application from the next request on.',
    errors: ['404 policy_not_found'],
    conflicts: CONFLICTS,
  })
  @ReturnsNothing()
  async removePolicy(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: policyParams }) { clientId }: PolicyParams,
    @Query({ schema: policyRevisionQuery }) { revision }: PolicyRevisionQuery,
  ): Promise<void> {
    await this.operators.authorize(caller, { action: 'account-policy.removed', target: clientId });
    await this.policies.remove(clientId, revision);
  }
}

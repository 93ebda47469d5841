import { AppError } from '@app/common';
import {
  type AccountPolicyRequest,
  accountPolicyRequest,
  type CheckAccountPolicyRequest,
  checkAccountPolicyRequest,
  type CheckAccountPolicyResponse,
  checkAccountPolicyResponse,
  type PolicyChangeResponse,
  policyChangeResponse,
  type RemoveAccountPolicyRequest,
  removeAccountPolicyRequest,
  type SetAccountPolicyRequest,
  setAccountPolicyRequest,
  type StoredAccountPolicyResponse,
  storedAccountPolicyResponse,
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
import { Body, Post, Get } from '@nestjs/common';
import { AccountPoliciesService, formatPolicy } from '../policies/account-policies.service.js';
import { InvalidPolicyError, parsePolicyDocument } from '../policies/rules/parse-policy-document.js';
import { NO_REVISION } from '../policies/policies.queries.js';
import { toPolicyDetails } from './account-policy.dto.js';
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

/** Policies in the portal. Identity has authorized the operator, and recorded the action. */
@InternalController('internal/account-policies', 'identity')
export class InternalPoliciesController {
  constructor(private readonly policies: AccountPoliciesService) {}

  @Post('load')
  @Returns(storedAccountPolicyResponse)
  async load(
    @Body({ schema: accountPolicyRequest }) { clientId }: AccountPolicyRequest,
  ): Promise<StoredAccountPolicyResponse> {
    const stored = await this.policies.find(clientId);
    return {
      document: stored ? JSON.stringify(stored.document, null, 2) : null,
      revision: stored?.revision ?? NO_REVISION,
      default: this.policies.default,
    };
  }

  @Post('check')
  @Returns(checkAccountPolicyResponse)
  check(
    @Body({ schema: checkAccountPolicyRequest }) { document }: CheckAccountPolicyRequest,
  ): CheckAccountPolicyResponse {
    try {
      const policy = formatPolicy(parsePolicyDocument(document));
      return { isValid: true, auditDetails: toPolicyDetails(policy) };
    } catch (error) {
      if (error instanceof InvalidPolicyError)
        return { isValid: false, problem: error.message, issues: [...error.issues] };
      throw error;
    }
  }

  @Post('set')
  @Returns(policyChangeResponse)
  set(
    @Body({ schema: setAccountPolicyRequest }) { clientId, document, revision }: SetAccountPolicyRequest,
  ): Promise<PolicyChangeResponse> {
    return toChangeResponse(this.policies.set(clientId, parsePolicyDocument(document), revision));
  }

  @Post('remove')
  @Returns(policyChangeResponse)
  remove(
    @Body({ schema: removeAccountPolicyRequest }) { clientId, revision }: RemoveAccountPolicyRequest,
  ): Promise<PolicyChangeResponse> {
    return toChangeResponse(this.policies.remove(clientId, revision));
  }
}

/** Removing a policy that is not there is no error. */
async function toChangeResponse(change: Promise<void>): Promise<PolicyChangeResponse> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.statusCode === 409) return { isDone: false };
    if (error.statusCode !== 404) throw error;
  }
  return { isDone: true };
}

import {
  type AccountPolicyRequest,
  accountPolicyRequest,
  type CheckAccountPolicyRequest,
  checkAccountPolicyRequest,
  type CheckAccountPolicyResponse,
  checkAccountPolicyResponse,
  type DoneResponse,
  doneResponse,
  type SetAccountPolicyRequest,
  setAccountPolicyRequest,
  type StoredAccountPolicyResponse,
  storedAccountPolicyResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { AccountPoliciesService, formatPolicy } from '../policies/account-policies.service.js';
import { InvalidPolicyError, parsePolicyDocument } from '../policies/parse-policy-document.js';
import { toPolicyDetails } from './to-policy-details.js';

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
      if (error instanceof InvalidPolicyError) return { isValid: false, problem: error.message };
      throw error;
    }
  }

  @Post('set')
  @Returns(doneResponse)
  async set(
    @Body({ schema: setAccountPolicyRequest }) { clientId, document }: SetAccountPolicyRequest,
  ): Promise<DoneResponse> {
    await this.policies.set(clientId, parsePolicyDocument(document));
    return { isDone: true };
  }

  @Post('remove')
  @Returns(doneResponse)
  async remove(
    @Body({ schema: accountPolicyRequest }) { clientId }: AccountPolicyRequest,
  ): Promise<DoneResponse> {
    await this.policies.removeIfSet(clientId);
    return { isDone: true };
  }
}

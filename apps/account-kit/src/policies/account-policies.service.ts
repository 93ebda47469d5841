import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { PoliciesConfig } from './rules/policies.config.js';
import { policyConflict, policyNotFound } from './rules/policies.errors.js';
import {
  deletePolicy,
  findStoredPolicy,
  replacePolicy,
  savePolicy,
  type StoredPolicy,
} from './policies.queries.js';
import type { Policy } from './rules/policy.js';

/** Policies of client applications, as operators see and set them. */
@Injectable()
export class AccountPoliciesService {
  constructor(
    private readonly database: Database,
    private readonly config: PoliciesConfig,
  ) {}

  /** What applications without a policy may do. */
  get default(): 'deny' | 'open' {
    return this.config.DEFAULT_POLICY;
  }

  /** @throws AppError 404 */
  async load(clientId: string): Promise<StoredPolicy> {
    const stored = await this.find(clientId);
    if (stored === undefined) throw policyNotFound();
    return stored;
  }

  find(clientId: string): Promise<StoredPolicy | undefined> {
    return findStoredPolicy(this.database, clientId);
  }

  /**
   * Decides about the next request.
   * @param revision of the policy that it replaces; any by default
   * @throws AppError 409 `policy_conflict` if the policy has another revision
   */
  async set(clientId: string, policy: Policy, revision?: string): Promise<void> {
    const document = formatPolicy(policy);
    if (revision === undefined) await savePolicy(this.database, clientId, document);
    else if (!(await replacePolicy(this.database, clientId, { document, revision }))) throw policyConflict();
  }

  /** @throws AppError 404, 409 `policy_conflict` if the policy has another revision */
  async remove(clientId: string, revision?: string): Promise<void> {
    if (await deletePolicy(this.database, clientId, revision)) return;
    throw (await this.find(clientId)) === undefined ? policyNotFound() : policyConflict();
  }
}

/** JSON of a policy. Amounts are text. */
export const formatPolicy = (policy: Policy): string =>
  JSON.stringify(policy, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

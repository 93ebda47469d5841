import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { PoliciesConfig } from './policies.config.js';
import { policyNotFound } from './policies.errors.js';
import { deletePolicy, findStoredPolicy, savePolicy, type StoredPolicy } from './policies.queries.js';
import type { Policy } from './policy.js';

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

  /** Decides about the next request. */
  set(clientId: string, policy: Policy): Promise<void> {
    return savePolicy(this.database, clientId, formatPolicy(policy));
  }

  /** @throws AppError 404 */
  async remove(clientId: string): Promise<void> {
    if (!(await this.removeIfSet(clientId))) throw policyNotFound();
  }

  /** @returns false if the application has no policy */
  removeIfSet(clientId: string): Promise<boolean> {
    return deletePolicy(this.database, clientId);
  }
}

/** JSON of a policy. Amounts are text. */
export const formatPolicy = (policy: Policy): string =>
  JSON.stringify(policy, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

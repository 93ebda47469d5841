import { createPrefixedId, notFound } from '@app/common';
import type { Scope } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { COMMAND_LINE_ACTOR } from '../audit/audit-action.js';
import { type AuditEntry, recordAudit } from '../audit/audit-records.queries.js';
import type { CredentialIssuer, IssuedCredential } from '../credentials/credential-issuer.js';
import type { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { recordCredentialChanges } from '../../tokens/change-feed/credential-changes.queries.js';
import {
  isReviewed,
  REVIEWED_FIELDS,
  type ReviewedValues,
  selectReviewedValues,
  splitWantedValues,
  toWanted,
} from '../reviewed-values.js';
import { checkRedirectUris } from '../redirect-uri.js';
import { ClientApplication } from '../entities/client-application.entity.js';
import {
  type ClientApplicationFields,
  type CreatedClientApplication,
  insertClientApplication,
} from '../insert-client-application.js';
import { lockClientApplication } from '../entities/client-applications.queries.js';
import { Tenant } from '../entities/tenant.entity.js';
import { lockOrCreateTenant, lockTenant } from '../entities/tenants.queries.js';
import type { PlanTerms } from '../plans/plan-terms.js';
import { parseClientCredential } from '@app/auth';
import { checkApiKeyLimit } from '../plans/check-ownership-limits.js';
import { ApiKey, UNLIMITED_KEY } from '../entities/api-key.entity.js';
import { revokeCredential } from '../entities/api-keys.queries.js';

interface ApprovedApplicationRegistration extends ClientApplicationFields {
  /** All are approved. */
  scopes: Scope[];
  /** The id of an existing tenant, or the plan of a new one. */
  tenant: string | PlanTerms;
  /** The user who owns the new tenant. One who has a tenant gets its plan and the application. */
  userId?: string;
}

/** Client application management on the command line, where every change is approved. */
export class ClientApplicationsAdminService {
  constructor(
    private readonly transactions: CredentialTransactionService,
    private readonly issuer: CredentialIssuer,
  ) {}

  create({
    scopes,
    tenant: tenantOrPlan,
    userId,
    ...fields
  }: ApprovedApplicationRegistration): Promise<CreatedClientApplication> {
    return this.transactions.transaction(async (manager) => {
      const tenant =
        typeof tenantOrPlan === 'string'
          ? await lockTenant(manager, tenantOrPlan)
          : userId === undefined
            ? await createTenant(manager, fields.name, tenantOrPlan)
            : await giveTenant(manager, userId, tenantOrPlan);
      const created = await insertClientApplication(manager, this.issuer, tenant, {
        ...fields,
        ...toApprovedState(scopes),
        revision: 1,
        reviewedRevision: 1,
      });
      const { clientId, ownerId } = created;
      const details = { ...fields, scopes, ownerId };
      await recordAudit(manager, COMMAND_LINE_ACTOR, { action: 'client.created', target: clientId, details });
      await recordCredentialChanges(manager, [clientId]);
      return created;
    });
  }

  /** Approves exactly these scopes. Nobody has looked at name, icon and addresses: those that wait go on waiting. */
  async setScopes(clientId: string, scopes: Scope[]): Promise<void> {
    await this.change(
      { action: 'client.scopes-set', target: clientId, details: { scopes } },
      (manager, application) =>
        manager.update(
          ClientApplication,
          { id: clientId },
          { ...toApprovedState(scopes), ...(application.waitingValues && { status: 'pending' as const }) },
        ),
    );
  }

  /** Needs no new approval, unlike a change by the owner. */
  async update(clientId: string, fields: Partial<Omit<ClientApplicationFields, 'type'>>): Promise<void> {
    await this.change(
      { action: 'client.changed', target: clientId, details: fields },
      (manager, application) => {
        checkRedirectUris(application.type, fields.redirectUris);
        checkRedirectUris(application.type, fields.postLogoutRedirectUris, 'postLogoutRedirectUris');
        return manager.update(
          ClientApplication,
          { id: clientId },
          { ...fields, ...setByOperator(application, fields) },
        );
      },
    );
  }

  /** Deletes the application; its credentials stop working. */
  async remove(clientId: string): Promise<void> {
    await this.change({ action: 'client.removed', target: clientId }, (manager) =>
      manager.softDelete(ClientApplication, { id: clientId }),
    );
  }

  private async change(
    entry: AuditEntry,
    apply: (manager: EntityManager, application: ClientApplication) => Promise<unknown>,
  ): Promise<void> {
    await this.transactions.transaction(async (manager) => {
      const application = await lockClientApplication(manager, entry.target);
      await apply(manager, application);
      await recordAudit(manager, COMMAND_LINE_ACTOR, entry);
      await recordCredentialChanges(manager, [entry.target]);
    });
  }
}

const toApprovedState = (scopes: Scope[]) => ({
  requestedScopes: scopes,
  approvedScopes: scopes,
  status: 'approved' as const,
  rejectionReason: null,
});

/**
 * Approves what an operator sets; other values of the owner go on waiting. An application that no operator has reviewed counts as
 * reviewed only when the operator sets every value that reviews are about and that it has.
 */
function setByOperator(application: ClientApplication, fields: Partial<ReviewedValues>) {
  const revision = application.revision + 1;
  if (!isReviewed(application)) {
    const isReviewedNow = REVIEWED_FIELDS.every(
      (field) => field in fields || (application[field]?.length ?? 0) === 0,
    );
    return { revision, reviewedRevision: isReviewedNow ? revision : application.reviewedRevision };
  }
  const approved = { ...selectReviewedValues(application), ...fields };
  const wanted = { ...selectReviewedValues(toWanted(application)), ...fields };
  return { revision, reviewedRevision: revision, ...splitWantedValues(approved, wanted) };
}

async function createTenant(manager: EntityManager, name: string, terms: PlanTerms): Promise<Tenant> {
  const tenant = manager.create(Tenant, { id: createPrefixedId('owner'), name, ...terms });
  await manager.insert(Tenant, tenant);
  return tenant;
}

async function giveTenant(manager: EntityManager, userId: string, terms: PlanTerms): Promise<Tenant> {
  const tenant = await lockOrCreateTenant(manager, userId);
  await manager.update(Tenant, { id: tenant.id }, terms);
  return Object.assign(tenant, terms);
}

/** API key management on the command line. */
export class ApiKeysAdminService {
  constructor(
    private readonly transactions: CredentialTransactionService,
    private readonly issuer: CredentialIssuer,
  ) {}

  /** @throws AppError 409 over the plan's limit of API keys */
  create(clientId: string): Promise<IssuedCredential> {
    return this.transactions.transaction(async (manager) => {
      const client = await manager.findOneBy(ClientApplication, { id: clientId });
      if (!client) throw notFound('client_not_found', `No client application has the id ${clientId}.`);
      await checkApiKeyLimit(manager, await lockTenant(manager, client.ownerId));
      const issued = await this.issuer.issueApiKey(manager, clientId, UNLIMITED_KEY);
      const details = { keyId: issued.id };
      await recordAudit(manager, COMMAND_LINE_ACTOR, { action: 'key.created', target: clientId, details });
      await recordCredentialChanges(manager, [clientId]);
      return issued;
    });
  }

  /**
   * Revokes a key, now or after an overlap. Idempotent.
   * @param key its id or its whole text
   * @returns the key's id
   */
  revoke(key: string, inSeconds = 0): Promise<string> {
    const id = parseClientCredential('gth', key)?.id ?? key;
    return this.transactions.transaction(async (manager) => {
      const apiKey = await manager.findOneBy(ApiKey, { id });
      if (!apiKey) throw notFound('api_key_not_found', 'No API key has this id.');
      const target = apiKey.clientId;
      await revokeCredential(manager, ApiKey, id, inSeconds);
      // The end is no longer a planned one, which a rotation would begin anew.
      await manager.update(ApiKey, { id }, { lifetimeSeconds: null });
      await recordAudit(manager, COMMAND_LINE_ACTOR, {
        action: 'key.revoked',
        target,
        details: { keyId: id, inSeconds },
      });
      await recordCredentialChanges(manager, [target]);
      return id;
    });
  }
}

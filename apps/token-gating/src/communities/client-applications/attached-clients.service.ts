import { EXAMPLES, OWNER_SCOPE, tokenGatingRequest } from '@app/dto';
import { randomBytes } from 'node:crypto';
import type { Principal } from '@app/auth';
import { conflict, notFound } from '@app/common';
import { Database } from '@app/database';
import { SafeHttpClient } from '@app/http';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { callbackUrlInvalid } from '../../callbacks/callback.errors.js';
import { RoleCallbackService } from '../../callbacks/role-callbacks/role-callback.service.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { clearWithoutApplication } from '../access/communities.queries.js';
import { CommunityAccessService } from '../access/community-access.service.js';
import { communityParams } from '../access/community-record.js';
import { communityNotFound } from '../access/community.errors.js';
import { isApprovedForRules } from './attached-client-plans.service.js';
import {
  countOtherClients,
  deleteAttachedClient,
  listAttachedClients,
  upsertAttachedClient,
} from './community-clients.queries.js';

export const attachedClientList = z
  .object({
    items: z.array(
      z.object({
        clientId: z.string(),
        callbackUrl: z.string().optional(),
        callbackUrlVerified: z.boolean().optional().meta({
          description: 'Whether the receiver has answered its challenge; present with `callbackUrl`',
        }),
        createdTime: z.iso.datetime(),
      }),
    ),
  })
  .meta({ id: 'AttachedClientList' });
type AttachedClientList = z.output<typeof attachedClientList>;

export const clientAttachment = z
  .strictObject({
    callbackUrl: tokenGatingRequest.shape.callbackUrl.meta({
      description:
        'URL that receives signed callbacks about role changes, once it has answered a signed challenge with 200 and ' +
        '`{"challenge": "<the same>"}`; none are sent when it is omitted',
    }),
  })
  .meta({ id: 'ClientAttachment', example: { callbackUrl: EXAMPLES.receiverUrl } });
export type ClientAttachment = z.output<typeof clientAttachment>;

export const attachedClientParams = communityParams.extend({
  clientId: z.string().min(1).max(128).meta({ example: EXAMPLES.clientId }),
});
export type AttachedClientParams = z.output<typeof attachedClientParams>;

export const MAX_ATTACHED_CLIENTS = 20;

/** Attaches client applications to communities: they may see everything in it and add members. */
@Injectable()
export class AttachedClientsService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly identity: IdentityClient,
    private readonly http: SafeHttpClient,
    private readonly callbacks: RoleCallbackService,
  ) {}

  /** Hidden from attached client applications, which must not learn of each other or of callback URLs. */
  async list(principal: Principal, communityId: string): Promise<AttachedClientList> {
    const { isAdministrator } = await this.access.requireViewer(principal, communityId);
    if (!isAdministrator) throw communityNotFound();
    const rows = await listAttachedClients(this.database, communityId);
    const items = rows.map(({ clientId, callbackUrl, isVerified, createdAt }) => ({
      clientId,
      ...(callbackUrl === null ? {} : { callbackUrl, callbackUrlVerified: isVerified }),
      createdTime: createdAt.toISOString(),
    }));
    return { items };
  }

  /**
   * Attaches the client application of the request, or another one of the same tenant, or in the portal and the deployment's other tools one of the user's own tenant:
   * otherwise anyone who knows a client id could have callbacks sent in its name. Idempotent. A receiver gets role callbacks once it has answered a
   * challenge; a repeated call sends a new one where it has not.
   * @throws AppError 404 for any other application, as for one that does not exist; 409 at the limit
   */
  async attach(
    principal: Principal,
    communityId: string,
    clientId: string,
    callbackUrl: string | undefined,
  ): Promise<void> {
    const { isWithoutApplication } = await this.access.requireAdministrator(principal, communityId);
    this.checkCallbackUrl(callbackUrl);
    const { tenantId, isApproved } = await this.loadAttachable(principal, clientId, isWithoutApplication);
    await this.database.transaction(async (manager) => {
      await this.access.requireAdministrator(principal, communityId, manager);
      if ((await countOtherClients(manager, communityId, clientId)) >= MAX_ATTACHED_CLIENTS)
        throw clientLimitExceeded();
      const client = { communityId, clientId, tenantId, callbackUrl };
      const challenge = await upsertAttachedClient(manager, client, createChallenge());
      if (isApproved) await clearWithoutApplication(manager, [communityId]);
      if (callbackUrl === undefined || challenge === undefined) return;
      await this.callbacks.createChallenge(manager, { ...client, url: callbackUrl, challenge });
    });
  }

  async detach(principal: Principal, communityId: string, clientId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.access.requireAdministrator(principal, communityId, manager);
      if (!(await deleteAttachedClient(manager, communityId, clientId))) throw attachedClientNotFound();
    });
  }

  private checkCallbackUrl(url: string | undefined): void {
    const problem = url === undefined ? undefined : this.http.findUrlProblem(url);
    if (problem !== undefined) throw callbackUrlInvalid(problem);
  }

  /**
   * @param needsApproval whether the approval of the application counts
   * @throws AppError 404 for an application of another tenant than that of the request, or of its user in the portal and other tools
   */
  private async loadAttachable(
    principal: Principal,
    clientId: string,
    needsApproval: boolean,
  ): Promise<{ readonly tenantId: string; readonly isApproved: boolean }> {
    const { client } = principal.kind === 'caller' ? principal : {};
    if (client?.id === clientId && !needsApproval) return { tenantId: client.ownerId, isApproved: false };
    const { plans } = await this.identity.fetchClientPlans([clientId]);
    const plan = plans.find((each) => each.clientId === clientId);
    if (!plan || !(client?.ownerId === plan.ownerId || isOwner(principal, plan.ownerUserId)))
      throw clientNotAttachable();
    return { tenantId: plan.ownerId, isApproved: isApprovedForRules(plan) };
  }
}

/** Whether the user may act as the owner of their applications: in the portal, and by a token with the scope for that. */
function isOwner(principal: Principal, ownerUserId: string | null | undefined): boolean {
  const { client, user, scopes } = principal.kind === 'caller' ? principal : {};
  if (!user || user.id !== ownerUserId) return false;
  return !client || scopes?.includes(OWNER_SCOPE) === true;
}

const createChallenge = (): string => randomBytes(32).toString('base64url');

const clientLimitExceeded = () =>
  conflict(
    'client_limit_exceeded',
    `A community has at most ${MAX_ATTACHED_CLIENTS} client applications: detach one first.`,
  );

/** The same error for an application that does not exist, so that it does not reveal which ones do. */
const clientNotAttachable = () =>
  notFound(
    'client_not_found',
    'The client application does not exist, or this token may not attach it: attach it with a token that was issued to ' +
      'itself, or to another application of its owner.',
  );

const attachedClientNotFound = () =>
  notFound('client_not_found', 'The client application is not attached to the community.');

import type { Principal } from '@app/auth';
import { conflict, notFound } from '@app/common';
import { Database, queryRows } from '@app/database';
import { SafeHttpClient } from '@app/http';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { callbackUrlInvalid } from '../../callbacks/callback.errors.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { CommunityAccessService } from '../access/community-access.service.js';
import { communityNotFound } from '../access/community.errors.js';
import type { AttachedClientList } from './attached-client.dto.js';

export const MAX_ATTACHED_CLIENTS = 20;

const LIST = `
  SELECT client_id AS "clientId", callback_url AS "callbackUrl", created_at AS "createdAt"
  FROM token_gating.community_clients WHERE community_id = $1 ORDER BY created_at, client_id`;
const COUNT_OTHERS = `
  SELECT count(*)::int AS count FROM token_gating.community_clients WHERE community_id = $1 AND client_id <> $2`;
const ATTACH = `
  INSERT INTO token_gating.community_clients (community_id, client_id, callback_url) VALUES ($1, $2, $3)
  ON CONFLICT (community_id, client_id) DO UPDATE SET callback_url = excluded.callback_url`;
const DETACH = `
  DELETE FROM token_gating.community_clients WHERE community_id = $1 AND client_id = $2 RETURNING client_id`;

const listed = z.array(
  z.object({ clientId: z.string(), callbackUrl: z.string().nullable(), createdAt: z.date() }),
);
const counted = z.tuple([z.object({ count: z.int() })]);

/** Client applications that see a community and put members into it, because an administrator lets them. */
@Injectable()
export class AttachedClientsService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly identity: IdentityClient,
    private readonly fetcher: SafeHttpClient,
  ) {}

  /** For administrators alone: one application need not know of another, nor where it is called. */
  async list(caller: Principal, communityId: string): Promise<AttachedClientList> {
    const { isAdministrator } = await this.access.requireViewer(caller, communityId);
    if (!isAdministrator) throw communityNotFound();
    const found = listed.parse(await this.database.query(LIST, [communityId]));
    const items = found.map(({ clientId, callbackUrl, createdAt }) => ({
      clientId,
      callbackUrl: callbackUrl ?? undefined,
      createdTime: createdAt.toISOString(),
    }));
    return { items };
  }

  /**
   * Not without the application: it is asked through, or is of the owner of the one that is. Otherwise whoever knows an
   * id could have the service call anybody in its name.
   * @throws AppError 404 for any other application, the same as for one that there is not; 409 when there is no room
   */
  async attach(
    caller: Principal,
    communityId: string,
    clientId: string,
    callbackUrl: string | undefined,
  ): Promise<void> {
    await this.access.requireAdministrator(caller, communityId);
    this.checkCallbackUrl(callbackUrl);
    await this.checkClient(caller, clientId);
    await this.database.transaction(async (manager) => {
      await this.access.requireAdministrator(caller, communityId, manager);
      await checkClientLimit(manager, communityId, clientId);
      await queryRows(manager, ATTACH, [communityId, clientId, callbackUrl ?? null]);
    });
  }

  async detach(caller: Principal, communityId: string, clientId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.access.requireAdministrator(caller, communityId, manager);
      const detached = await queryRows(manager, DETACH, [communityId, clientId]);
      if (detached.length === 0) throw attachedClientNotFound();
    });
  }

  private checkCallbackUrl(url: string | undefined): void {
    const refusal = url === undefined ? undefined : this.fetcher.findUrlProblem(url);
    if (refusal !== undefined) throw callbackUrlInvalid(refusal);
  }

  private async checkClient(caller: Principal, clientId: string): Promise<void> {
    const through = caller.kind === 'caller' ? caller.client : undefined;
    if (through?.id === clientId) return;
    const { plans } = await this.identity.fetchClientPlans([clientId]);
    const plan = plans.find((one) => one.clientId === clientId);
    if (!plan || plan.ownerId !== through?.ownerId) throw clientNotAttachable();
  }
}

async function checkClientLimit(
  manager: EntityManager,
  communityId: string,
  clientId: string,
): Promise<void> {
  const [{ count }] = counted.parse(await queryRows(manager, COUNT_OTHERS, [communityId, clientId]));
  if (count >= MAX_ATTACHED_CLIENTS)
    throw conflict(
      'client_limit_exceeded',
      `A community has at most ${MAX_ATTACHED_CLIENTS} client applications.`,
    );
}

/** The same for one that there is not: nobody learns here which ones there are. */
const clientNotAttachable = () =>
  notFound(
    'client_not_found',
    'There is no such client application for this token: one is attached with a token that was issued to itself, or to ' +
      'another application of its owner.',
  );

const attachedClientNotFound = () => notFound('client_not_found', 'There is no such client application.');

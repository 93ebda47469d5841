import type { Principal } from '@app/auth';
import { conflict, notFound } from '@app/common';
import { Database, rowsOf } from '@app/database';
import { SafeFetcher } from '@app/http';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { callbackRefused } from '../../async-checks/async-check.errors.js';
import { IdentityClient } from '../../identity/identity-client.js';
import { CommunityAccess } from '../access/community-access.js';
import { communityNotFound } from '../access/community.errors.js';
import type { AttachedClientList } from './attached-client.dto.js';

export const MOST_CLIENTS = 20;

const LIST = `
  SELECT client_id AS "clientId", callback_url AS "callbackUrl", created_at AS "createdAt"
  FROM token_gating.community_clients WHERE community_id = $1 ORDER BY created_at, client_id`;
const OTHERS = `
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
    private readonly access: CommunityAccess,
    private readonly identity: IdentityClient,
    private readonly fetcher: SafeFetcher,
  ) {}

  /** For administrators alone: one application need not know of another, nor where it is called. */
  async list(caller: Principal, communityId: string): Promise<AttachedClientList> {
    const { isAdministrator } = await this.access.see(caller, communityId);
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
    await this.access.administer(caller, communityId);
    this.checkCallbackUrl(callbackUrl);
    await this.checkClient(caller, clientId);
    await this.database.transaction(async (manager) => {
      await this.access.administer(caller, communityId, manager);
      await checkRoom(manager, communityId, clientId);
      await rowsOf(manager, ATTACH, [communityId, clientId, callbackUrl ?? null]);
    });
  }

  async detach(caller: Principal, communityId: string, clientId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.access.administer(caller, communityId, manager);
      const detached = await rowsOf(manager, DETACH, [communityId, clientId]);
      if (detached.length === 0) throw clientNotFound();
    });
  }

  private checkCallbackUrl(url: string | undefined): void {
    const refusal = url === undefined ? undefined : this.fetcher.refusalOf(url);
    if (refusal !== undefined) throw callbackRefused(refusal);
  }

  private async checkClient(caller: Principal, clientId: string): Promise<void> {
    const through = caller.kind === 'caller' ? caller.client : undefined;
    if (through?.id === clientId) return;
    const { plans } = await this.identity.clientPlans([clientId]);
    const plan = plans.find((one) => one.clientId === clientId);
    if (!plan || plan.ownerId !== through?.ownerId) throw notYoursToAttach();
  }
}

async function checkRoom(manager: EntityManager, communityId: string, clientId: string): Promise<void> {
  const [{ count }] = counted.parse(await rowsOf(manager, OTHERS, [communityId, clientId]));
  if (count >= MOST_CLIENTS)
    throw conflict('too_many_clients', `A community has at most ${MOST_CLIENTS} client applications.`);
}

/** The same for one that there is not: nobody learns here which ones there are. */
const notYoursToAttach = () =>
  notFound(
    'client_not_found',
    'There is no such client application for this token: one is attached with a token that was issued to itself, or to ' +
      'another application of its owner.',
  );

const clientNotFound = () => notFound('client_not_found', 'There is no such client application.');

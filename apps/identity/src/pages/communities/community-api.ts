import { rawRoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { SessionUser } from '../../browser-sessions/browser-sessions.queries.js';
import { PortalApi } from '../../clients/portal-api.js';

/** What pages need of the responses of token-gating's operations; what else a response has is dropped. */
const role = z.object({ id: z.string(), name: z.string(), color: z.int().optional() });
export type Role = z.output<typeof role>;

const visibility = z.enum(['public', 'members', 'hidden']);
export type Visibility = z.output<typeof visibility>;

const community = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  visibility,
  createdTime: z.iso.datetime(),
  stats: z.object({ memberCount: z.int().default(0) }).default({ memberCount: 0 }),
  roles: z.array(role).default([]),
  /** Present for members and those who run it. */
  tpcs: z.array(rawRoleRule).optional(),
  polledContracts: z.array(z.object({ contractAddress: z.string() })).default([]),
  /** Present for those who run it. */
  ownerId: z.string().optional(),
  inviteLink: z.string().optional(),
});
export type PortalCommunity = Readonly<z.output<typeof community>>;

/** Reads a page of a list. */
const pageOf = <S extends z.ZodType>(item: S) =>
  z.object({ items: z.array(item), paginationToken: z.string().optional() });

const administrator = z.object({ userId: z.string(), isOwner: z.boolean(), createdTime: z.iso.datetime() });
export type Administrator = Readonly<z.output<typeof administrator>>;

const attachedClient = z.object({
  clientId: z.string(),
  callbackUrl: z.string().optional(),
  callbackUrlVerified: z.boolean().optional(),
  createdTime: z.iso.datetime(),
});
export type AttachedClient = Readonly<z.output<typeof attachedClient>>;

const balanceCheck = z.object({
  id: z.string(),
  reason: z.enum(['scheduled', 'requested']),
  state: z.enum(['running', 'done']),
  total: z.int(),
  done: z.int(),
  changed: z.int(),
  failed: z.int(),
  createdTime: z.iso.datetime(),
  finishedTime: z.iso.datetime().optional(),
});
export type BalanceCheck = Readonly<z.output<typeof balanceCheck>>;

const nothing = z.unknown();

const BALANCE_CHECKS_SHOWN = '5';

/** Communities on behalf of the signed-in user. Every method throws the error of its operation, or 503 while token-gating is away. */
@Injectable()
export class CommunityApi {
  constructor(private readonly api: PortalApi) {}

  get(user: SessionUser, communityId: string): Promise<PortalCommunity> {
    return this.api.call(user, 'CommunityController.getCommunity', { params: { communityId } }, community);
  }

  create(user: SessionUser, body: { name: string; visibility: string }): Promise<PortalCommunity> {
    return this.api.call(user, 'CommunityController.createCommunity', { body }, community);
  }

  async change(
    user: SessionUser,
    communityId: string,
    body: { name?: string; visibility?: string },
  ): Promise<void> {
    const request = { params: { communityId }, body };
    await this.api.call(user, 'CommunityController.changeCommunity', request, nothing);
  }

  async delete(user: SessionUser, communityId: string): Promise<void> {
    await this.api.call(user, 'CommunityController.deleteCommunity', { params: { communityId } }, nothing);
  }

  async leave(user: SessionUser, communityId: string): Promise<void> {
    const request = { params: { communityId } };
    await this.api.call(user, 'CommunityMemberController.leaveCommunity', request, nothing);
  }

  async join(user: SessionUser, communityId: string, invitation: string | undefined): Promise<void> {
    const request = { params: { communityId }, body: { invitation } };
    await this.api.call(user, 'CommunityMemberController.joinCommunity', request, nothing);
  }

  createRole(
    user: SessionUser,
    communityId: string,
    body: { name: string; color?: number | undefined },
  ): Promise<Role> {
    const request = { params: { communityId }, body };
    return this.api.call(user, 'CommunityRoleController.createRole', request, role);
  }

  async changeRole(
    user: SessionUser,
    params: { communityId: string; roleId: string },
    body: { name: string; color: number | null },
  ): Promise<void> {
    await this.api.call(user, 'CommunityRoleController.changeRole', { params, body }, nothing);
  }

  async deleteRole(user: SessionUser, params: { communityId: string; roleId: string }): Promise<void> {
    await this.api.call(user, 'CommunityRoleController.deleteRole', { params }, nothing);
  }

  async removeMember(user: SessionUser, params: { communityId: string; userId: string }): Promise<void> {
    await this.api.call(user, 'CommunityMemberController.removeMember', { params }, nothing);
  }

  async listBalanceChecks(user: SessionUser, communityId: string): Promise<BalanceCheck[]> {
    const request = { params: { communityId }, query: { limit: BALANCE_CHECKS_SHOWN } };
    const { items } = await this.api.call(
      user,
      'BalanceCheckController.listBalanceChecks',
      request,
      pageOf(balanceCheck),
    );
    return items;
  }

  async requestBalanceCheck(user: SessionUser, communityId: string): Promise<void> {
    const request = { params: { communityId } };
    await this.api.call(user, 'BalanceCheckController.requestBalanceCheck', request, nothing);
  }

  async renewInvitation(user: SessionUser, communityId: string): Promise<void> {
    const request = { params: { communityId } };
    await this.api.call(user, 'CommunityInvitationController.renewInvitation', request, nothing);
  }

  async listAdministrators(user: SessionUser, communityId: string): Promise<Administrator[]> {
    const request = { params: { communityId } };
    const list = z.object({ items: z.array(administrator) });
    const operation = 'CommunityAdministratorController.listAdministrators';
    return (await this.api.call(user, operation, request, list)).items;
  }

  async addAdministrator(user: SessionUser, params: { communityId: string; userId: string }): Promise<void> {
    await this.api.call(user, 'CommunityAdministratorController.addAdministrator', { params }, nothing);
  }

  async removeAdministrator(
    user: SessionUser,
    params: { communityId: string; userId: string },
  ): Promise<void> {
    await this.api.call(user, 'CommunityAdministratorController.removeAdministrator', { params }, nothing);
  }

  async listAttachedClients(user: SessionUser, communityId: string): Promise<AttachedClient[]> {
    const request = { params: { communityId } };
    const list = z.object({ items: z.array(attachedClient) });
    return (await this.api.call(user, 'CommunityClientController.listClients', request, list)).items;
  }

  /** Attaches an application of the user's own, or changes where it is told about roles. */
  async attachClient(
    user: SessionUser,
    params: { communityId: string; clientId: string },
    callbackUrl: string | undefined,
  ): Promise<void> {
    const request = { params, body: { callbackUrl } };
    await this.api.call(user, 'CommunityClientController.attachClient', request, nothing);
  }

  async detachClient(user: SessionUser, params: { communityId: string; clientId: string }): Promise<void> {
    await this.api.call(user, 'CommunityClientController.detachClient', { params }, nothing);
  }
}

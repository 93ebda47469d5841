import { digestJson } from '@app/common';
import { ApiError } from '../gatehouse-api.js';
import {
  afterApproval,
  type ApplicationHandle,
  type ApplyContext,
  findByName,
  listAdministrated,
  requireClientId,
} from './apply-context.js';
import type { DeclaredCommunity, DeclaredRole, RawRule } from './declaration.js';
import { describeChange, isWaitingForApproval, WaitingError } from './plan.js';
import {
  ignoredAnswer,
  remoteAttachedClients,
  type RemoteCommunity,
  remoteCreatedCommunity,
  type RemoteRole,
  remoteRoles,
  remoteRules,
} from './remote-schemas.js';
import { settleTwins } from './settle-twins.js';

const FIELDS = ['name', 'visibility', 'iconURL', 'serverImage', 'network'] as const;

interface CommunityPlan {
  readonly context: ApplyContext;
  readonly declared: DeclaredCommunity;
  readonly existing: RemoteCommunity | undefined;
  /** `community "Apes"` */
  readonly what: string;
  /** The path of the community, once it exists. */
  readonly path: () => string;
}

/**
 * Plans a community with what belongs to it, in the order in which each needs the one before: applications, roles, rules, and then removals.
 * @param own communities that the user owns or administers
 */
export async function planCommunity(
  context: ApplyContext,
  own: readonly RemoteCommunity[],
  declared: DeclaredCommunity,
): Promise<void> {
  const { plan, userId } = context;
  const what = `community "${declared.name}"`;
  // A name identifies a community among those of its owner; others that the user administers need their id.
  const all = declared.communityId === undefined ? own.filter(({ ownerId }) => ownerId === userId) : own;
  const wanted = { kind: 'community', name: declared.name, id: declared.communityId };
  const found = findByName(context, all, { ...wanted, idField: 'communityId', toId: ({ id }) => id });
  if (!found) return;
  const { existing } = found;
  if (existing && declared.platform !== undefined && declared.platform !== existing.platform) {
    plan.problems.push(`${what}: its platform is ${existing.platform}, and cannot change.`);
    return;
  }
  const created: { id: string | undefined } = { id: existing?.id };
  const path = (): string => {
    if (created.id === undefined) throw new Error(`The ${what} is not created yet.`);
    return `/communities/${created.id}`;
  };
  const communityPlan = { context, declared, existing, what, path };
  if (existing) planFields(communityPlan, existing);
  else
    planCreation(communityPlan, (id) => {
      created.id = id;
    });
  await planApplications(communityPlan);
  const removeRoles = await planRoles(communityPlan);
  await planRules(communityPlan);
  removeRoles();
}

function planFields({ context, declared, what, path }: CommunityPlan, existing: RemoteCommunity): void {
  const changes = FIELDS.filter(
    (field) => declared[field] !== undefined && declared[field] !== (existing[field] ?? null),
  );
  const details = changes.map((field) => describeChange(field, existing[field], declared[field]));
  context.plan.change(what, details, async () => {
    const body = Object.fromEntries(changes.map((field) => [field, declared[field]]));
    await context.api.call('PATCH', path(), ignoredAnswer, body);
  });
}

function planCreation({ context, declared, what }: CommunityPlan, keepId: (id: string) => void): void {
  const { api, plan, userId } = context;
  const { platform } = declared;
  const given = FIELDS.filter((field) => declared[field] !== undefined && declared[field] !== null);
  const body = {
    ...Object.fromEntries(given.map((field) => [field, declared[field]])),
    ...(platform !== undefined && { platform }),
  };
  plan.steps.push({
    action: 'create',
    what,
    details: declared.visibility === undefined ? [] : [`visibility: ${declared.visibility}`],
    run: async () => {
      const { id } = await api.call('POST', '/communities', remoteCreatedCommunity, body);
      const left = await settleTwins({
        ownId: id,
        list: async () => {
          const all = await listAdministrated(api);
          const named = all.filter((one) => one.name === declared.name && one.ownerId === userId);
          return named.map((one) => one.id);
        },
        removeOwn: async () => {
          await api.call('DELETE', `/communities/${id}`, ignoredAnswer);
        },
      });
      keepId(left);
    },
  });
}

async function planApplications({ context, declared, existing, what, path }: CommunityPlan): Promise<void> {
  if (!declared.applications) return;
  const { api, plan, applications } = context;
  const attached = existing
    ? (await api.call('GET', `/communities/${existing.id}/client-applications`, remoteAttachedClients)).items
    : [];
  const ids = new Set(attached.map(({ clientId }) => clientId));
  const wanted = declared.applications.flatMap((name): ApplicationHandle[] => {
    const handle = applications.get(name);
    return handle ? [handle] : [];
  });
  for (const handle of wanted) {
    const attachment = `application "${handle.name}" of ${what}`;
    if (handle.clientId !== undefined && ids.has(handle.clientId)) plan.unchanged.push(attachment);
    else
      plan.steps.push({
        action: 'create',
        what: attachment,
        run: async () => {
          const clientId = requireClientId(handle);
          await api.call('PUT', `${path()}/client-applications/${clientId}`, ignoredAnswer, {});
        },
      });
  }
  for (const clientId of ids) {
    if (wanted.some((handle) => handle.clientId === clientId)) continue;
    plan.prune(context.isPruned, {
      what: `application ${clientId} of ${what}`,
      details: ['it sees the community no more'],
      needsConsent: context.ownClientIds.has(clientId)
        ? undefined
        : 'it is not yours, and its owner alone can attach it again',
      run: async () => {
        await api.call('DELETE', `${path()}/client-applications/${clientId}`, ignoredAnswer);
      },
    });
  }
}

/** @returns plans the removals, for which rules that grant a role must be gone before */
async function planRoles(communityPlan: CommunityPlan): Promise<() => void> {
  const { context, declared, existing, what, path } = communityPlan;
  if (!declared.roles) return () => undefined;
  const { api, plan } = context;
  const roles = existing
    ? (await api.call('GET', `/communities/${existing.id}/roles`, remoteRoles)).items
    : [];
  for (const role of declared.roles) {
    const current = roles.find(({ id }) => id === role.id);
    if (current) planRoleChange(communityPlan, role, current);
    else planNewRole(communityPlan, role);
  }
  const ids = new Set(declared.roles.map(({ id }) => id));
  const extra = roles.filter(({ id }) => !ids.has(id));
  return () => {
    for (const { id, name } of extra)
      plan.prune(context.isPruned, {
        what: `role "${name}" (${id}) of ${what}`,
        needsConsent: 'all members who have it lose it',
        run: async () => {
          await api.call('DELETE', `${path()}/roles/${encodeURIComponent(id)}`, ignoredAnswer);
        },
      });
  };
}

function planRoleChange(
  { context, what, path }: CommunityPlan,
  { id, name, color }: DeclaredRole,
  current: RemoteRole,
): void {
  const details = [
    ...(name === current.name ? [] : [describeChange('name', current.name, name)]),
    ...(color === undefined || color === current.color
      ? []
      : [describeChange('color', current.color, color)]),
  ];
  context.plan.change(`role "${name}" of ${what}`, details, async () => {
    const body = { name, ...(color !== undefined && { color }) };
    await context.api.call('PATCH', `${path()}/roles/${encodeURIComponent(id)}`, ignoredAnswer, body);
  });
}

function planNewRole({ context, what, path }: CommunityPlan, role: DeclaredRole): void {
  const { api } = context;
  context.plan.steps.push({
    action: 'create',
    what: `role "${role.name}" of ${what}`,
    run: async () => {
      try {
        await api.call('POST', `${path()}/roles`, ignoredAnswer, role);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'role_conflict') throw error;
        // Another run has made it at the same time, or a deleted role of this id is still being taken from members.
        const { items } = await api.call('GET', `${path()}/roles`, remoteRoles);
        if (!items.some(({ id }) => id === role.id))
          throw new WaitingError('a deleted role of this id is still being taken from its members');
      }
    },
  });
}

const toText = (rule: RawRule): string => JSON.stringify(rule);

/** The list is one value: what the file says replaces it, unless somebody has changed it since it was read. */
async function planRules({ context, declared, existing, what, path }: CommunityPlan): Promise<void> {
  const { rules } = declared;
  if (!rules) return;
  const { api, plan } = context;
  const before = existing
    ? (await api.call('GET', `/communities/${existing.id}/rules`, remoteRules)).rules
    : [];
  if (digestJson(before) === digestJson(rules)) {
    plan.unchanged.push(`rules of ${what}`);
    return;
  }
  const [known, wanted] = [new Set(before.map(digestJson)), new Set(rules.map(digestJson))];
  const removed = before.filter((rule) => !wanted.has(digestJson(rule)));
  const added = rules.filter((rule) => !known.has(digestJson(rule)));
  plan.steps.push({
    action: before.length === 0 ? 'create' : 'change',
    what: `rules of ${what}`,
    details: [...removed.map((rule) => `- ${toText(rule)}`), ...added.map((rule) => `+ ${toText(rule)}`)],
    needsConsent:
      removed.length > 0 ? 'members whom no other rule gives the role of a removed one lose it' : undefined,
    run: async () => {
      const body = { rules, replacesDigest: digestJson(before) };
      try {
        await afterApproval(context, () => api.call('PUT', `${path()}/rules`, ignoredAnswer, body));
      } catch (error) {
        if (isWaitingForApproval(error))
          throw new WaitingError(
            "rules need an attached application with an operator's approval of token-gating",
          );
        if (!(error instanceof ApiError) || error.code !== 'rules_conflict') throw error;
        // Another run may have made the same change at the same time.
        const now = await api.call('GET', `${path()}/rules`, remoteRules);
        if (digestJson(now.rules) !== digestJson(rules)) throw error;
      }
    },
  });
}

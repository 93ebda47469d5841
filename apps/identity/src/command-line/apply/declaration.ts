import { toInputIssues } from '@app/common';
import {
  communityChange,
  MAX_ENDPOINTS,
  newCallbackEndpoint,
  newCommunity,
  newCommunityRole,
  publishedRuleList,
  roleId,
  roleRules,
} from '@app/dto';
import { z } from 'zod';
import { applicationName, clientType } from '../../applications/client-application-fields.js';
import { clientApplicationChange } from '../../applications/client-application.dto.js';
import { keyName, newApiKey } from '../../applications/credentials/credential.dto.js';

/** Enough for one team; a plan allows more. */
const MAX_DECLARED = 200;
const MAX_ROLES = 250;

/** The name of a variable of a secret file, which is a key of a Kubernetes Secret, too. */
const secretName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'must be capital letters, digits and _, a letter first');

/** A list as a schema of the API checks it, kept as it was written: the API stores it so. */
const asWritten = <T>(schema: z.ZodType, item: z.ZodType<T>) =>
  z
    .array(z.unknown())
    .check((context) => {
      const { success, error } = schema.safeParse(context.value);
      if (success) return;
      for (const { path, message } of toInputIssues(error.issues))
        context.issues.push({ code: 'custom', message, path: toPath(path), input: undefined });
    })
    .transform((values) => values.map((value) => item.parse(value)));

const toPath = (text: string): PropertyKey[] =>
  text === '' ? [] : text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));

const rawRule = z.record(z.string(), z.unknown());
export type RawRule = z.output<typeof rawRule>;
const rawPublishedRule = z.object({ name: z.string(), rule: rawRule });

/** A second entry of the same name, by the index of the first. */
function checkDistinct<T>(
  values: readonly T[],
  toKey: (value: T) => string | undefined,
  addIssue: (path: [number], message: string) => void,
): void {
  const seen = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const key = toKey(value);
    if (key === undefined) continue;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else addIssue([index], `"${key}" stands in the list already, at [${String(first)}]`);
  }
}

const distinct =
  <T>(toKey: (value: T) => string | undefined) =>
  (context: z.core.ParsePayload<T[]>): void => {
    checkDistinct(context.value, toKey, (path, message) => {
      context.issues.push({ code: 'custom', message, path, input: undefined });
    });
  };

const declaredKey = z.strictObject({
  ...newApiKey.shape,
  name: keyName,
  // The end of a key that exists may have passed; the end of a new one is checked when it is planned.
  expiresTime: z.iso.datetime({ offset: true }).optional(),
  secretName: secretName.optional(),
});
export type DeclaredKey = z.output<typeof declaredKey>;

const declaredEndpoint = z.strictObject({
  ...newCallbackEndpoint.shape,
  description: newCallbackEndpoint.shape.description.unwrap().optional(),
  secretName: secretName.optional(),
});
export type DeclaredEndpoint = z.output<typeof declaredEndpoint>;

const declaredApplication = z.strictObject({
  ...clientApplicationChange.shape,
  clientId: z.string().min(1).max(64).optional(),
  name: applicationName,
  type: clientType.optional(),
  approve: z.boolean().default(false),
  secretFile: z.string().min(1).max(1_000).optional(),
  keys: z
    .array(declaredKey)
    .check(distinct(({ name }) => name))
    .optional(),
  callbackEndpoints: z
    .array(declaredEndpoint)
    .max(MAX_ENDPOINTS)
    .check(distinct(({ url }) => url))
    .optional(),
  publishedRules: asWritten(publishedRuleList, rawPublishedRule).optional(),
});
export type DeclaredApplication = z.output<typeof declaredApplication>;

const declaredRole = z.strictObject({ ...newCommunityRole.shape, id: roleId });
export type DeclaredRole = z.output<typeof declaredRole>;

const declaredCommunity = z.strictObject({
  ...communityChange.shape,
  communityId: z.string().min(1).max(128).optional(),
  name: newCommunity.shape.name,
  platform: newCommunity.shape.platform.unwrap().optional(),
  applications: z
    .array(applicationName)
    .max(MAX_DECLARED)
    .check(distinct((name) => name))
    .optional(),
  roles: z
    .array(declaredRole)
    .max(MAX_ROLES)
    .check(distinct(({ id }) => id))
    .optional(),
  rules: asWritten(roleRules, rawRule).optional(),
});
export type DeclaredCommunity = z.output<typeof declaredCommunity>;

/** Names and roles that a community refers to stand in the file. */
function checkReferences(context: z.core.ParsePayload<Declaration>): void {
  const { applications, communities } = context.value;
  const names = new Set(applications.map(({ name }) => name));
  const addIssue = (path: PropertyKey[], message: string): void => {
    context.issues.push({ code: 'custom', message, path, input: undefined });
  };
  for (const [index, community] of communities.entries()) {
    for (const [at, name] of community.applications?.entries() ?? [])
      if (!names.has(name))
        addIssue(
          ['communities', index, 'applications', at],
          `"${name}" is not among the applications of this file`,
        );
    const roles = community.roles && new Set(community.roles.map(({ id }) => id));
    for (const [at, { roleId: granted }] of community.rules?.entries() ?? [])
      if (roles && typeof granted === 'string' && !roles.has(granted))
        addIssue(
          ['communities', index, 'rules', at, 'roleId'],
          `"${granted}" is not among the roles of this community`,
        );
  }
}

/**
 * What a file declares. The fields are those of the API, from the same schemas. What an entry leaves out stays as it is; a list that it gives
 * is the whole list.
 */
export const declaration = z
  .strictObject({
    applications: z
      .array(declaredApplication)
      .max(MAX_DECLARED)
      .check(distinct(({ name }) => name))
      .default([]),
    communities: z
      .array(declaredCommunity)
      .max(MAX_DECLARED)
      .check(distinct(({ name }) => name))
      .default([]),
  })
  .check(checkReferences);
export type Declaration = z.output<typeof declaration>;

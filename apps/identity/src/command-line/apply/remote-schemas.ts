import { z } from 'zod';

/** What `apply` reads of responses. Fields that a later release adds are ignored. */
export const remoteApplication = z.object({
  clientId: z.string(),
  name: z.string(),
  type: z.string(),
  status: z.string(),
  rejectionReason: z.string().optional(),
  requestedScopes: z.array(z.string()),
  approvedScopes: z.array(z.string()),
  redirectUris: z.array(z.string()),
  origins: z.array(z.string()),
  postLogoutRedirectUris: z.array(z.string()),
  iconUrl: z.string().optional(),
  implicit: z.boolean(),
  idTokenAlg: z.string(),
  tokenResponse: z.string(),
  revision: z.number(),
});
export type RemoteApplication = z.output<typeof remoteApplication>;

export const remoteApplications = z.object({ items: z.array(remoteApplication) });

export const remoteCreatedApplication = z.object({
  application: remoteApplication,
  clientSecret: z.string().optional(),
  keyId: z.string(),
  apiKey: z.string(),
});

const remoteKey = z.object({
  keyId: z.string(),
  hint: z.string(),
  name: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  expiresTime: z.string().optional(),
  lastUsedTime: z.string().optional(),
});
export type RemoteKey = z.output<typeof remoteKey>;

export const remoteKeys = z.object({ items: z.array(remoteKey) });
export const remoteIssuedKey = z.object({ keyId: z.string(), apiKey: z.string() });
export const remoteIssuedSecret = z.object({ clientSecret: z.string() });

const remoteEndpoint = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string(),
  previousSecretEnds: z.string().optional(),
  health: z.object({ verified: z.boolean() }),
});
export type RemoteEndpoint = z.output<typeof remoteEndpoint>;

export const remoteEndpoints = z.object({ items: z.array(remoteEndpoint) });
export const remoteCreatedEndpoint = z.object({ id: z.string(), secret: z.string() });
export const remoteEndpointSecret = z.object({ secret: z.string() });

const rule = z.record(z.string(), z.unknown());
export const remoteRules = z.object({ rules: z.array(rule) });
export const remotePublishedRules = z.object({ rules: z.array(z.object({ name: z.string(), rule })) });

export const remoteUser = z.object({
  id: z.string(),
  name: z.string().optional(),
  address: z.string().optional(),
});

const remoteCommunity = z.object({
  id: z.string(),
  name: z.string(),
  platform: z.string(),
  visibility: z.string(),
  iconURL: z.string().optional(),
  serverImage: z.string().optional(),
  network: z.string().optional(),
  ownerId: z.string().optional(),
});
export type RemoteCommunity = z.output<typeof remoteCommunity>;

export const remoteCreatedCommunity = remoteCommunity;
export const remoteCommunityPage = z.object({
  items: z.array(remoteCommunity),
  paginationToken: z.string().optional(),
});

const remoteRole = z.object({ id: z.string(), name: z.string(), color: z.number().optional() });
export type RemoteRole = z.output<typeof remoteRole>;

export const remoteRoles = z.object({ items: z.array(remoteRole) });
export const remoteAttachedClients = z.object({ items: z.array(z.object({ clientId: z.string() })) });

/** The answer of an operation that has nothing to read. */
export const ignoredAnswer = z.unknown();

import { z } from 'zod';

const userId = z.string().min(1).max(128);

/** POST /internal/verifiable-credentials/list of token-gating: the credentials of a user that have not expired. */
export const userCredentialsRequest = z.object({ userId });
export type UserCredentialsRequest = z.output<typeof userCredentialsRequest>;

/** A credential as its user reads it. */
const userCredential = z.object({
  id: z.string(),
  /** The name of the type, such as `Community membership`. */
  typeName: z.string(),
  /** The statements of the credential, a line each, in parts; a community and a role by their names of today: names that others chose are shown apart from the text around them. */
  lines: z.array(z.array(z.object({ text: z.string(), isName: z.boolean() }))),
  /** CAIP-10; absent where the claims cannot be opened. */
  account: z.string().optional(),
  isPublic: z.boolean(),
  isRevoked: z.boolean(),
  createdTime: z.string(),
  expiresTime: z.string(),
});
export type UserCredential = z.output<typeof userCredential>;

export const userCredentialsResponse = z.object({ credentials: z.array(userCredential) });
export type UserCredentialsResponse = z.output<typeof userCredentialsResponse>;

/** POST /internal/verifiable-credentials/revoke of token-gating: revokes one credential of a user. */
export const revokeUserCredentialRequest = z.object({ userId, id: z.string() });
export type RevokeUserCredentialRequest = z.output<typeof revokeUserCredentialRequest>;

export const revokeUserCredentialResponse = z.object({ isRevoked: z.boolean() });
export type RevokeUserCredentialResponse = z.output<typeof revokeUserCredentialResponse>;

import type { Scope } from '@app/dto';
import { scopeOfUrn, scopeUrn } from './scope-urn.js';

/** What a user grants by signing the message of an Ethereum credential. */
export interface CredentialGrant {
  /** The client application that it was made for. */
  readonly clientId: string;
  /** At least one. */
  readonly scopes: readonly Scope[];
}

const CLIENT_URN = 'urn:client:';
const READS = /^(?:\$public|user:(?:.+:)?read)$/;

/** Whether a credential can carry it: one only reads, and only what is its user's (contract.md section 4). */
export const isCredentialScope = (one: Scope): boolean => READS.test(one);

/** The resource that makes a message a credential. @param publicUrl an origin */
export const credentialMark = (publicUrl: string): string => `${publicUrl}/#credential`;

/** The resources of a credential's message. */
export const grantResources = (publicUrl: string, { clientId, scopes }: CredentialGrant): string[] => [
  credentialMark(publicUrl),
  CLIENT_URN + clientId,
  ...scopes.map(scopeUrn),
];

/** Undefined for resources that are not exactly those of a credential, in their order. */
export function readGrant(
  [mark, client = '', ...rest]: readonly string[],
  publicUrl: string,
): CredentialGrant | undefined {
  if (mark !== credentialMark(publicUrl) || !client.startsWith(CLIENT_URN)) return undefined;
  const scopes = rest.flatMap((resource) => scopeOfUrn(resource) ?? []);
  if (scopes.length === 0 || scopes.length < rest.length || !scopes.every(isCredentialScope))
    return undefined;
  return { clientId: client.slice(CLIENT_URN.length), scopes };
}

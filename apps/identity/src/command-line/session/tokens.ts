import { formatErrorReason, MINUTE_MS, SECOND_MS } from '@app/common';
import { z } from 'zod';
import { ApiError, GatehouseApi } from '../gatehouse-api.js';
import { COMMAND_LINE_EXIT_CODES, CommandLineError } from '../command-line.errors.js';
import type { Session, SessionFile } from './session-file.js';

/** A token that ends sooner is exchanged before a request, so that it is valid until the request arrives. */
const MIN_LIFETIME_MS = MINUTE_MS;

const tokenAnswer = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  expires_in: z.coerce.number(),
  scope: z.string().optional(),
});

const withoutToken = () => Promise.resolve({});

export interface IssuedTokens {
  readonly session: Session;
  readonly scopes: readonly string[];
}

async function askForTokens(
  origin: string,
  clientId: string,
  fields: Readonly<Record<string, string>>,
): Promise<IssuedTokens> {
  const api = new GatehouseApi(origin, withoutToken);
  const body = { client_id: clientId, ...fields };
  const answer = await api.postForm('/oauth2/token', body, tokenAnswer);
  return {
    session: {
      clientId,
      accessToken: answer.access_token,
      ...(answer.refresh_token !== undefined && { refreshToken: answer.refresh_token }),
      expiresAt: Date.now() + answer.expires_in * SECOND_MS,
    },
    scopes: answer.scope?.split(' ') ?? [],
  };
}

/** Exchanges a code, once. @throws ApiError, CommandLineError */
export const exchangeCode = (
  origin: string,
  clientId: string,
  proof: { readonly code: string; readonly redirectUri: string; readonly codeVerifier: string },
): Promise<IssuedTokens> =>
  askForTokens(origin, clientId, {
    grant_type: 'authorization_code',
    code: proof.code,
    redirect_uri: proof.redirectUri,
    code_verifier: proof.codeVerifier,
  });

/** Ends the tokens of a session (RFC 7009), each by itself. @returns what went wrong */
export async function revokeSession(origin: string, session: Session): Promise<string[]> {
  const api = new GatehouseApi(origin, withoutToken);
  const failures: string[] = [];
  for (const token of [session.refreshToken, session.accessToken]) {
    if (token === undefined) continue;
    const body = { client_id: session.clientId, token };
    await api.postForm('/oauth2/revoke', body, z.unknown()).catch((error: unknown) => {
      failures.push(formatErrorReason(error));
    });
  }
  return failures;
}

const notSignedIn = (origin: string) =>
  new CommandLineError(
    `You are not signed in to ${origin}: run \`client login\` first, or set GATEHOUSE_TOKEN.`,
    COMMAND_LINE_EXIT_CODES.noPermission,
  );

/**
 * The access token of the session, exchanged shortly before it ends. A refresh token works once, and a second use would end the session
 * (ADR 29): all runs on this machine refresh one after the other, and take what another one has written meanwhile.
 * @throws CommandLineError where nobody is signed in
 */
export async function loadAccessToken(file: SessionFile, origin: string): Promise<string> {
  const known = file.read(origin);
  if (!known) throw notSignedIn(origin);
  if (isFresh(known)) return known.accessToken;
  return file.withLock(async () => {
    const session = file.read(origin);
    if (!session) throw notSignedIn(origin);
    if (isFresh(session)) return session.accessToken;
    const refreshed = await refresh(origin, session);
    file.writeLocked(origin, refreshed);
    return refreshed.accessToken;
  });
}

const isFresh = ({ expiresAt }: Session): boolean => expiresAt - Date.now() > MIN_LIFETIME_MS;

async function refresh(origin: string, { clientId, refreshToken }: Session): Promise<Session> {
  if (refreshToken === undefined) throw sessionEnded(origin);
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
  try {
    const { session } = await askForTokens(origin, clientId, fields);
    return { refreshToken, ...session };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429)
      throw sessionEnded(origin, error);
    throw error;
  }
}

const sessionEnded = (origin: string, cause?: unknown) =>
  new CommandLineError(
    `Your session at ${origin} has ended: run \`client login\` again.`,
    COMMAND_LINE_EXIT_CODES.noPermission,
    { cause },
  );

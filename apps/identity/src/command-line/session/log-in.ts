import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import type { Scope } from '@app/dto';
import { z } from 'zod';
import { GatehouseApi } from '../gatehouse-api.js';
import { LoopbackRedirect } from './loopback-redirect.js';
import type { SessionFile } from './session-file.js';
import { exchangeCode, type IssuedTokens, revokeSession } from './tokens.js';

/** What `apply` needs. An application for tools has these scopes; the team that runs the deployment gives them (docs/guides/as-code.md). */
export const TOOL_SCOPES: readonly Scope[] = [
  'user:client-application:write',
  'user:community:read',
  'community:read',
  'community:write',
  'offline_access',
];

export interface LogInOptions {
  readonly origin: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly timeoutMs: number;
  readonly port: number;
  readonly opensBrowser: boolean;
  /** Prints the address for the user. */
  readonly print: (line: string) => void;
}

export interface SignedIn {
  readonly userId: string;
  readonly name: string;
  readonly refusedScopes: readonly string[];
  /** Why the session that this one replaces may not have ended. */
  readonly failures: readonly string[];
}

const profile = z.object({ id: z.string(), name: z.string().optional(), address: z.string().optional() });

/**
 * Signs a user in by the authorization code flow with PKCE and a redirect to a port of this machine (RFC 8252), and keeps the tokens.
 * @throws CommandLineError, ApiError
 */
export async function logIn(file: SessionFile, options: LogInOptions): Promise<SignedIn> {
  const { origin, clientId, scopes, timeoutMs, port } = options;
  const [state, codeVerifier] = [randomText(), randomText()];
  const redirect = await LoopbackRedirect.listen({ state, issuer: origin, timeoutMs, port });
  const { redirectUri } = redirect;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const address = `${origin}/oauth2/authorize?${query.toString()}`;
  options.print(`Open this address in a browser on this machine, and sign in:\n\n  ${address}\n`);
  if (options.opensBrowser) openBrowser(address);
  return redirect.run(async (code) => {
    const tokens = await exchangeCode(origin, clientId, { code, redirectUri, codeVerifier });
    const user = await loadUser(origin, tokens);
    const replaced = file.read(origin);
    await file.write(origin, tokens.session);
    const failures = replaced ? await revokeSession(origin, replaced) : [];
    const refusedScopes = scopes.filter((scope) => !tokens.scopes.includes(scope));
    return { userId: user.id, name: user.name ?? user.address ?? user.id, refusedScopes, failures };
  });
}

const randomText = (): string => randomBytes(32).toString('base64url');

function loadUser(origin: string, { session }: IssuedTokens): Promise<z.output<typeof profile>> {
  const headers = { authorization: `Bearer ${session.accessToken}` };
  return new GatehouseApi(origin, () => Promise.resolve(headers)).call('GET', '/account/me', profile);
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** The address is printed anyway, so a machine without a browser, or without a program that opens one, loses nothing. */
function openBrowser(address: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

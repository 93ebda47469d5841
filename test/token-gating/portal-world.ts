import { PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import type { UserUsageOutcome, UserUsageRequest } from '@app/dto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from './gating-app.js';
import type { RolesWorld } from './roles-world.js';

/** A stand-in for the gateway, which counts what users do in the portal. */
export class UsageBook {
  readonly requests: UserUsageRequest['requests'] = [];
  outcome: UserUsageOutcome = { outcome: 'counted' };

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<UsageBook> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const book = new UsageBook(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      request.on('end', () => {
        const { requests } = JSON.parse(text) as UserUsageRequest;
        book.requests.push(...requests);
        response.end(JSON.stringify({ outcomes: requests.map(() => book.outcome) }));
      });
    });
    return book;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** Asks what token-gating offers the portal, as identity does. */
export async function askForPortal(
  world: RolesWorld,
  name: string,
  body: object,
  service = 'identity',
): Promise<Answer> {
  const issuer = new PrincipalIssuer(world.gating.signingKey(service));
  const token = await issuer.issueToken({ kind: 'service', name: service }, 'token-gating');
  const response = await fetch(`${world.gating.app.url}/internal/portal/${name}`, {
    method: 'POST',
    headers: { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** The status and the code of an answer, and the paths of its issues. */
export const refusalOf = ({ status, body }: Answer): unknown[] => {
  const { details } = (body as { error: { details: { code: string; issues?: { path: string }[] } } }).error;
  return [status, details.code, ...(details.issues ?? []).map(({ path }) => path)];
};

import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { Client } from '../support/create-client.js';

/** Requests of two attacking addresses exceed it within a second. */
export const MAX_REQUESTS_UNDER_WAY = '100';

export const INTROSPECT = 'POST /oauth2/introspect HTTP/1.1\r\nHost: gatehouse\r\n';
export const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n';
export const INTERACTIONS = '/analytics/c/roles-added';

export interface Answer {
  status: number;
  code: string | undefined;
  ms: number;
}

export interface SendOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  localAddress?: string;
  /** Whether the body is sent to its end. */
  isWhole?: boolean;
  /** How long after the headers: the gateway does not wait for a body that arrives with them. */
  bodyAfterMs?: number;
}

export interface Attack {
  addresses: string[];
  /** Connections per address. */
  perSecond: number;
  /** What each of them sends first. */
  bytes: string;
  /** Bytes that it sends ten times a second after that, also after an early response. */
  more?: string;
}

/** Sends a request from a local address of its own: 127.0.1.x attack, 127.0.2.1 is the victim. */
export function sendBody(
  gatewayUrl: string,
  path: string,
  {
    headers = {},
    body = '',
    method = 'POST',
    localAddress = '127.0.2.1',
    isWhole = true,
    bodyAfterMs = 0,
  }: SendOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const outgoing = httpRequest(gatewayUrl + path, { method, headers, localAddress, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      readText(response).then((text) => {
        const { error } = JSON.parse(text || '{}') as { error?: { details?: { code?: string } } };
        const ms = performance.now() - startMs;
        resolve({ status: response.statusCode ?? 0, code: error?.details?.code, ms });
      }, reject);
    });
    const finish = (): void => {
      outgoing.write(body);
      if (isWhole) outgoing.end();
    };
    if (bodyAfterMs === 0) {
      finish();
    } else {
      outgoing.flushHeaders();
      setTimeout(finish, bodyAfterMs);
    }
  });
}

/** Asks identity as a client application that is not attacked. */
export function introspect(gatewayUrl: string, client: Client, bodyAfterMs = 0): Promise<Answer> {
  const authorization = `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  return sendBody(gatewayUrl, '/oauth2/introspect', { headers, body: 'token=unknown', bodyAfterMs });
}

/** Opens a connection, sends these bytes, and reads what comes; the connection is in `sockets` while it is open. */
export function openSocket(
  gatewayUrl: string,
  sockets: Set<Socket>,
  localAddress: string,
  bytes: string,
): Socket {
  const { hostname, port } = new URL(gatewayUrl);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  sockets.add(socket);
  socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  socket.resume().write(bytes);
  return socket;
}

/** Opens a connection from each address at this rate while `work` runs, and destroys all of them afterwards. */
export async function attackWhile<T>(
  gatewayUrl: string,
  { addresses, perSecond, bytes, more = '' }: Attack,
  work: () => Promise<T>,
): Promise<T> {
  const sockets = new Set<Socket>();
  const timer = setInterval(() => {
    for (const address of addresses) {
      const socket = openSocket(gatewayUrl, sockets, address, bytes);
      const sending = setInterval(() => socket.write(more), 100);
      socket.on('close', () => {
        clearInterval(sending);
      });
    }
  }, 1_000 / perSecond);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  }
}

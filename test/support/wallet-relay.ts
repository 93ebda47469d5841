import { createHash, createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type WebSocket from 'ws';
import { z } from 'zod';

/** The CommonJS build, which is what the types of ws 7 describe. */
const { Server: WebSocketServer } = createRequire(import.meta.url)('ws') as typeof WebSocket;

/** How the relay refuses a client that asked for it by `useOnCloseEvent`. */
const UNAUTHORIZED_CLOSE_CODE = 3_000;
const MAX_TTL_SECONDS = 30 * 24 * 60 * 60;
const MAX_CLOCK_SKEW_SECONDS = 60;
/** Multicodec of an Ed25519 public key. */
const ED25519 = Buffer.from([0xed, 0x01]);
/** A public key in DER is this and its 32 bytes. */
const ED25519_DER = Buffer.from('302a300506032b6570032100', 'hex');
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const PROPOSAL_TAG = 1_100;
const PROPOSAL_ANSWER_TAG = 1_101;
const SETTLEMENT_TAG = 1_102;

const topic = z.string().regex(/^[0-9a-f]{64}$/);
const ttl = z.int().min(1).max(MAX_TTL_SECONDS);
const message = z.string().min(1);
const attestation = z.string().optional();

const callId = z.union([z.string(), z.number()]);
const call = z.discriminatedUnion('method', [
  z.object({ id: callId, method: z.literal('irn_subscribe'), params: z.object({ topic }) }),
  z.object({
    id: callId,
    method: z.literal('irn_batchSubscribe'),
    params: z.object({ topics: z.array(topic).max(500) }),
  }),
  z.object({
    id: callId,
    method: z.literal('irn_unsubscribe'),
    params: z.object({ topic, id: z.string() }),
  }),
  z.object({ id: callId, method: z.literal('irn_fetchMessages'), params: z.object({ topic }) }),
  z.object({
    id: callId,
    method: z.literal('irn_batchFetchMessages'),
    params: z.object({ topics: z.array(topic).max(500) }),
  }),
  z.object({
    id: callId,
    method: z.literal('irn_publish'),
    params: z.object({ topic, message, ttl, tag: z.int(), attestation }),
  }),
  z.object({
    id: callId,
    method: z.literal('wc_proposeSession'),
    params: z.object({ pairingTopic: topic, sessionProposal: message, ttl, attestation }),
  }),
  z.object({
    id: callId,
    method: z.literal('wc_approveSession'),
    params: z.object({
      sessionTopic: topic,
      pairingTopic: topic,
      sessionProposalResponse: message,
      sessionSettlementRequest: message,
      ttl,
    }),
  }),
]);
type Call = z.output<typeof call>;

const acknowledgement = z.object({ id: callId, result: z.literal(true) });

const claims = z.object({
  iss: z.string().startsWith('did:key:z'),
  sub: z.string().min(1),
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
});

interface Mail {
  readonly topic: string;
  readonly message: string;
  readonly tag: number;
  readonly attestation: string | undefined;
  readonly publishedAt: number;
  readonly endsAt: number;
  readonly publisher: string;
  /** Clients that have acknowledged it. */
  readonly receivers: Set<string>;
}

interface Client {
  readonly id: string;
  readonly socket: WebSocket;
  readonly topics: Set<string>;
  /** Messages that were pushed and not acknowledged, by the id of the push. */
  readonly pushed: Map<string, Mail>;
}

export interface WalletRelay {
  /** `ws://127.0.0.1:<port>` */
  readonly url: string;
  /** The only project that it knows. */
  projectId: string;
  /** Methods of all calls, in order. */
  readonly calls: string[];
  /** Why clients were refused. */
  readonly refusals: string[];
  /** The addresses of pages that have connected. */
  readonly origins: Set<string>;
  /** How many sockets are open. */
  countClients: () => number;
  stop: () => Promise<void>;
}

/**
 * A relay between wallets and pages that speaks as that of WalletConnect does (`irn` over WebSocket, read from `@walletconnect/core` and
 * `relay-api` 2.21.8): messages wait in a mailbox until a subscriber acknowledges them.
 */
export async function walletRelay(projectId: string): Promise<WalletRelay> {
  const relay = new Relay(projectId);
  await relay.listen();
  return relay;
}

class Relay implements WalletRelay {
  readonly calls: string[] = [];
  readonly refusals: string[] = [];
  readonly origins = new Set<string>();
  private readonly clients = new Set<Client>();
  private readonly server: Server = createServer((_, response) => response.writeHead(426).end());
  private readonly sockets = new WebSocketServer({ server: this.server });
  private mailbox: Mail[] = [];
  private pushes = 0;
  url = '';

  constructor(public projectId: string) {
    this.sockets.on('connection', (socket, request) => {
      this.accept(socket, request);
    });
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  countClients(): number {
    return this.clients.size;
  }

  async stop(): Promise<void> {
    for (const { socket } of this.clients) socket.terminate();
    this.sockets.close();
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private accept(socket: WebSocket, request: IncomingMessage): void {
    const query = new URL(request.url ?? '/', this.url).searchParams;
    const checked = this.identify(query);
    if ('refusal' in checked) {
      this.refusals.push(checked.refusal);
      socket.close(UNAUTHORIZED_CLOSE_CODE, checked.refusal);
      return;
    }
    if (request.headers.origin !== undefined) this.origins.add(request.headers.origin);
    const client: Client = { id: checked.id, socket, topics: new Set(), pushed: new Map() };
    this.clients.add(client);
    socket.on('close', () => this.clients.delete(client));
    socket.on('error', () => {
      socket.terminate();
    });
    socket.on('message', (data: unknown) => {
      this.receive(client, String(data));
    });
  }

  /** Checks the project, and the token by which a client proves its key. */
  private identify(query: URLSearchParams): { id: string } | { refusal: string } {
    if (query.get('projectId') !== this.projectId) return { refusal: 'Project not found' };
    const [header = '', body = '', signature = ''] = (query.get('auth') ?? '').split('.');
    const parsed = claims.safeParse(parseJson(Buffer.from(body, 'base64url').toString()));
    if (!parsed.success) return { refusal: 'JWT validation error: not readable' };
    const { iss, aud, iat, exp } = parsed.data;
    const multicodec = decodeBase58(iss.slice('did:key:z'.length));
    const publicKey = multicodec.subarray(ED25519.length);
    if (!multicodec.subarray(0, ED25519.length).equals(ED25519) || publicKey.length !== 32)
      return { refusal: 'JWT validation error: issuer is no Ed25519 key' };
    const key = createPublicKey({
      key: Buffer.concat([ED25519_DER, publicKey]),
      format: 'der',
      type: 'spki',
    });
    const isSigned = verify(null, Buffer.from(`${header}.${body}`), key, Buffer.from(signature, 'base64url'));
    if (!isSigned) return { refusal: 'JWT validation error: signature' };
    if (aud !== this.url) return { refusal: 'JWT validation error: audience' };
    const now = Date.now() / 1_000;
    if (exp <= now || iat > now + MAX_CLOCK_SKEW_SECONDS) return { refusal: 'JWT validation error: time' };
    return { id: publicKey.toString('hex') };
  }

  private receive(client: Client, text: string): void {
    const payload = parseJson(text);
    const acknowledged = acknowledgement.safeParse(payload);
    if (acknowledged.success) {
      const id = String(acknowledged.data.id);
      client.pushed.get(id)?.receivers.add(client.id);
      client.pushed.delete(id);
      return;
    }
    const parsed = call.safeParse(payload);
    if (!parsed.success) {
      const { id = null } = z.object({ id: callId.optional() }).parse(payload);
      const error = { code: -32_602, message: z.prettifyError(parsed.error) };
      client.socket.send(JSON.stringify({ id, jsonrpc: '2.0', error }));
      return;
    }
    this.calls.push(parsed.data.method);
    const result = this.answer(client, parsed.data);
    client.socket.send(JSON.stringify({ id: parsed.data.id, jsonrpc: '2.0', result }));
    this.deliver();
  }

  private answer(client: Client, { method, params }: Call): unknown {
    switch (method) {
      case 'irn_subscribe':
        return subscribe(client, params.topic);
      case 'irn_batchSubscribe':
        return params.topics.map((one) => subscribe(client, one));
      case 'irn_unsubscribe':
        client.topics.delete(params.topic);
        return true;
      case 'irn_fetchMessages':
        return { messages: this.listMail(client, [params.topic]).map(toData), hasMore: false };
      case 'irn_batchFetchMessages':
        return { messages: this.listMail(client, params.topics).map(toData), hasMore: false };
      case 'irn_publish':
        this.post(client, params);
        return true;
      case 'wc_proposeSession': {
        const { pairingTopic, sessionProposal, ...rest } = params;
        this.post(client, { ...rest, topic: pairingTopic, message: sessionProposal, tag: PROPOSAL_TAG });
        subscribe(client, pairingTopic);
        return true;
      }
      case 'wc_approveSession': {
        const { pairingTopic, sessionTopic } = params;
        const answer = { topic: pairingTopic, message: params.sessionProposalResponse };
        const settlement = { topic: sessionTopic, message: params.sessionSettlementRequest };
        this.post(client, { ...answer, ttl: params.ttl, tag: PROPOSAL_ANSWER_TAG });
        this.post(client, { ...settlement, ttl: params.ttl, tag: SETTLEMENT_TAG });
        subscribe(client, sessionTopic);
        return true;
      }
    }
  }

  private post(
    { id: publisher }: Client,
    mail: { topic: string; message: string; ttl: number; tag: number; attestation?: string | undefined },
  ): void {
    const publishedAt = Date.now();
    const endsAt = publishedAt + mail.ttl * 1_000;
    const { attestation: proof } = mail;
    this.mailbox.push({
      topic: mail.topic,
      message: mail.message,
      tag: mail.tag,
      attestation: proof,
      publishedAt,
      endsAt,
      publisher,
      receivers: new Set(),
    });
  }

  /** What waits for a client; a publisher does not get its own messages. */
  private listMail({ id }: Client, topics: readonly string[]): Mail[] {
    this.mailbox = this.mailbox.filter(({ endsAt }) => endsAt > Date.now());
    return this.mailbox.filter(
      (mail) => topics.includes(mail.topic) && mail.publisher !== id && !mail.receivers.has(id),
    );
  }

  /** Pushes to each client what it has subscribed to and has not got yet. */
  private deliver(): void {
    for (const client of this.clients)
      for (const mail of this.listMail(client, [...client.topics])) {
        if ([...client.pushed.values()].includes(mail)) continue;
        this.pushes += 1;
        const id = `${String(Date.now())}${String(this.pushes).padStart(6, '0')}`;
        client.pushed.set(id, mail);
        const params = { id: toSubscriptionId(client, mail.topic), data: toData(mail) };
        client.socket.send(JSON.stringify({ id, jsonrpc: '2.0', method: 'irn_subscription', params }));
      }
  }
}

const toSubscriptionId = ({ id }: Client, of: string): string =>
  createHash('sha256')
    .update(of + id)
    .digest('hex');

function subscribe(client: Client, to: string): string {
  client.topics.add(to);
  return toSubscriptionId(client, to);
}

const toData = ({ topic: of, message: text, tag, attestation: proof, publishedAt }: Mail): object => ({
  topic: of,
  message: text,
  tag,
  attestation: proof,
  publishedAt,
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Empty for a text that is not base58. Keys do not begin with a zero. */
function decodeBase58(text: string): Buffer {
  let value = 0n;
  for (const digit of text) {
    const index = BASE58.indexOf(digit);
    if (index < 0) return Buffer.alloc(0);
    value = value * 58n + BigInt(index);
  }
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

import type { Client } from './client.js';
import { ConnectionError } from './errors.js';
import type { components } from './openapi.js';
import { request } from './request.js';

/** The keys of `GET /.well-known/jwks.json`. */
export interface KeySet {
  readonly keys: readonly PublicKey[];
}

/** What is read of a JSON Web Key. */
export interface PublicKey {
  readonly kty?: string | undefined;
  readonly crv?: string | undefined;
  readonly x?: string | undefined;
  readonly use?: string | undefined;
  readonly kid?: string | undefined;
}

/** `Headers`, or those of a request in Node, with names in lower case. */
export type HeaderSource = Pick<Headers, 'get'> | Readonly<Record<string, string | string[] | undefined>>;

export interface VerifyOptions {
  /** Default: the clock's. */
  readonly nowSeconds?: number | undefined;
}

/** How far the timestamp of a callback may be away, as Standard Webhooks has it. */
const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
/** Endpoints that sign in both versions during a rotation need a handful. */
const MAX_SIGNATURES = 16;

/**
 * Verifies the signature of a callback (Standard Webhooks): `v1a` by a key set, `v1` by the secret `whsec_…` of a callback
 * endpoint. Keys are compared by Web Crypto, in constant time.
 * @param body exactly as it arrived, before any parsing
 * @returns whether it is genuine and not older than five minutes
 * @throws TypeError for a secret that is none
 */
export async function verifyCallback(
  headers: HeaderSource,
  body: string | Uint8Array,
  keys: KeySet | string,
  { nowSeconds = Date.now() / 1_000 }: VerifyOptions = {},
): Promise<boolean> {
  const isSecret = typeof keys === 'string';
  const secret = isSecret ? readSecret(keys) : undefined;
  const signed = readSigned(headers, isSecret ? 'v1,' : 'v1a,', nowSeconds);
  if (!signed) return false;
  const { signatures } = signed;
  const content = join(new TextEncoder().encode(signed.head), body);
  if (secret) {
    const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    return anyOf(signatures, (signature) => crypto.subtle.verify('HMAC', key, signature, content));
  }
  return isSecret ? false : verifyByKeySet(keys, signatures, content);
}

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Reads what headers say of a signature, before any key is needed.
 * @returns undefined where no key can make it genuine: without a signature of this version, or with a time too far away
 */
function readSigned(
  headers: HeaderSource,
  prefix: 'v1,' | 'v1a,',
  nowSeconds: number,
): { readonly head: string; readonly signatures: Bytes[] } | undefined {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const listed = readHeader(headers, 'webhook-signature');
  if (id === undefined || timestamp === undefined || listed === undefined) return undefined;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS)
    return undefined;
  const signatures = listed
    .split(' ')
    .slice(0, MAX_SIGNATURES)
    .filter((text) => text.startsWith(prefix))
    .flatMap((text) => decodeBase64(text.slice(prefix.length)) ?? []);
  return signatures.length === 0 ? undefined : { head: `${id}.${timestamp}.`, signatures };
}

async function verifyByKeySet(keySet: KeySet, signatures: Bytes[], content: Bytes): Promise<boolean> {
  const usable = keySet.keys.filter(({ crv, use }) => crv === 'Ed25519' && use === 'sig');
  return anyOf(usable, async ({ x = '' }) => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x };
    // A key that cannot be read signs nothing; the others still may.
    const key = await crypto.subtle
      .importKey('jwk', jwk, 'Ed25519', false, ['verify'])
      .catch(() => undefined);
    return (
      key !== undefined &&
      anyOf(signatures, (signature) => crypto.subtle.verify('Ed25519', key, signature, content))
    );
  });
}

/** The keys of a deployment, kept for a while. */
export interface KeySource {
  /** Verifies a callback, and looks for new keys where none of those that are known signed it. */
  readonly verify: (headers: HeaderSource, body: string | Uint8Array) => Promise<boolean>;
}

/** A new key is published a day before it signs. */
const KEYS_LIVE_MS = 5 * 60_000;
/** Older keys verify nothing more, so that a key that was withdrawn does not live on. */
const MAX_KEYS_LIVE_MS = 60 * 60_000;
/** Forged callbacks must not make a receiver ask for keys with each of them, nor while the deployment is down. */
const MIN_RELOAD_MS = 30_000;

/**
 * Verifies callbacks by the published keys of a deployment, which are loaded when the first callback comes. Keys older than five minutes
 * are used while new ones are loaded, for at most an hour.
 * @returns a source whose `verify` rejects where no key that is known signed the callback and new ones cannot be loaded
 */
export function createKeySource(client: Client, now: () => number = Date.now): KeySource {
  let loaded: { keySet: KeySet; at: number } | undefined;
  let failed: { error: Error; at: number } | undefined;
  let loading: Promise<KeySet> | undefined;
  const load = (): Promise<KeySet> => {
    if (failed && now() - failed.at < MIN_RELOAD_MS) return Promise.reject(failed.error);
    loading ??= loadKeys(client)
      .then(
        (keySet) => {
          loaded = { keySet, at: now() };
          failed = undefined;
          return keySet;
        },
        (error: unknown) => {
          const reason = error instanceof Error ? error : new ConnectionError('No keys.', { cause: error });
          failed = { error: reason, at: now() };
          throw reason;
        },
      )
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };
  return {
    verify: async (headers, body) => {
      const options = { nowSeconds: now() / 1_000 };
      if (!readSigned(headers, 'v1a,', options.nowSeconds)) return false;
      const age = loaded === undefined ? Infinity : now() - loaded.at;
      if (loaded && age < MAX_KEYS_LIVE_MS && (await verifyCallback(headers, body, loaded.keySet, options))) {
        // The next callback is verified by the new keys; whether they could be loaded says nothing of this one.
        if (age >= KEYS_LIVE_MS) load().catch(() => undefined);
        return true;
      }
      return age >= MIN_RELOAD_MS && verifyCallback(headers, body, await load(), options);
    },
  };
}

type Schemas = components['schemas'];

/** The body of a callback: what a check, a community, an operation or a callback endpoint tells. */
export type Callback =
  | Schemas['CheckCallback']
  | Schemas['RoleCallback']
  | Schemas['OperationCallback']
  | Schemas['CallbackEndpointEvent'];

export interface ReceivedCallback {
  /** What to answer, with `body` as JSON. */
  readonly status: 200 | 401 | 403;
  readonly body: object;
  /** Absent where there is nothing to do: what came is refused, or is a challenge. */
  readonly callback?: Callback;
}

/**
 * Decides what a receiver answers. What is not genuine gets 401. Callbacks of other applications get 403, because one key signs for all of
 * them. A challenge gets the same challenge. Act on `callback` after the answer, for which there are ten seconds, and expect it twice.
 * @param keys what `createKeySource` makes; for a callback endpoint `{ verify: (headers, body) => verifyCallback(headers, body, secret) }`
 * @param clientId the application that receives
 * @throws where the keys cannot be loaded: answer 503, and the callback comes again
 */
export async function receiveCallback(
  keys: KeySource,
  clientId: string,
  headers: HeaderSource,
  body: string,
): Promise<ReceivedCallback> {
  if (!(await keys.verify(headers, body))) return { status: 401, body: {} };
  const content = JSON.parse(body) as Callback | Schemas['ReceiverChallenge'];
  const { clientId: addressee } = 'data' in content ? content.data : content;
  if (addressee !== clientId) return { status: 403, body: {} };
  if ('challenge' in content) return { status: 200, body: { challenge: content.challenge } };
  return { status: 200, body: {}, callback: content };
}

async function loadKeys(client: Client): Promise<KeySet> {
  const { keys } = (await request(client, 'GET /.well-known/jwks.json')) as Partial<KeySet>;
  if (!Array.isArray(keys)) throw new ConnectionError('GET /.well-known/jwks.json: the answer has no keys.');
  return { keys };
}

function readHeader(headers: HeaderSource, name: string): string | undefined {
  const value = isHeaders(headers) ? headers.get(name) : headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const isHeaders = (headers: HeaderSource): headers is Pick<Headers, 'get'> =>
  typeof headers.get === 'function';

function readSecret(text: string): Bytes {
  const secret = text.startsWith(SECRET_PREFIX) ? decodeBase64(text.slice(SECRET_PREFIX.length)) : undefined;
  if (secret === undefined || secret.length === 0)
    throw new TypeError('The secret of a callback endpoint is whsec_ and base64.');
  return secret;
}

function decodeBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function join(head: Uint8Array, body: string | Uint8Array): Bytes {
  const rest = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const all = new Uint8Array(head.length + rest.length);
  all.set(head);
  all.set(rest, head.length);
  return all;
}

async function anyOf<T>(list: readonly T[], isTrue: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of list) if (await isTrue(item)) return true;
  return false;
}

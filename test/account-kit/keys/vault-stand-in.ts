import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { decryptAesGcm, encryptAesGcm } from '@app/common';
import type { SelfSigned } from '../../support/self-signed.js';

type KeyType = 'hmac' | 'aes256-gcm96' | 'ed25519';

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

type Body = Readonly<Record<string, unknown>>;

/** A key of the transit engine. The names of its fields are those of Vault's interface. */
export class StandInKey {
  derived = false;
  exportable = false;
  allow_plaintext_backup = false;
  min_decryption_version = 1;
  min_encryption_version = 0;
  private readonly versions: Buffer[] = [];

  constructor(
    public type: KeyType,
    first: Buffer = randomBytes(32),
  ) {
    this.versions.push(first);
  }

  get latest_version(): number {
    return this.versions.length;
  }

  rotate(): void {
    this.versions.push(randomBytes(32));
  }

  /** Versions below `min_decryption_version` are archived: nothing uses them. */
  versionOf(version: number): Buffer | undefined {
    return version >= this.min_decryption_version ? this.versions[version - 1] : undefined;
  }

  describe(name: string): Body {
    const { type, derived, exportable, allow_plaintext_backup, latest_version } = this;
    const { min_decryption_version, min_encryption_version } = this;
    const listed = this.versions.map((_, index) => index + 1).filter((version) => this.versionOf(version));
    return {
      ...{ name, type, derived, exportable, allow_plaintext_backup, latest_version },
      ...{ min_decryption_version, min_encryption_version, min_available_version: 0 },
      ...{ deletion_allowed: false, imported_key: false, auto_rotate_period: 0 },
      ...{ supports_encryption: type === 'aes256-gcm96', supports_decryption: type === 'aes256-gcm96' },
      ...{ supports_signing: type === 'ed25519', supports_derivation: type !== 'hmac' },
      keys: Object.fromEntries(listed.map((version) => [version, 1_700_000_000])),
    };
  }
}

/**
 * The transit engine of HashiCorp Vault, with these rules of the real one: a token is for a namespace and for listed paths, each with `read`
 * or `update`; without one 403, sealed 503. `key_version` 0 or none is the newest version, and a version above it, below
 * `min_encryption_version` (unless it is the newest) or below `min_decryption_version` is refused. `hmac` and `ciphertext` begin with the
 * version. A `derived` key wants a context to encrypt. `associated_data` is checked. Base64 is strict. A key that is not there is 404 to
 * read, and 400 to use.
 */
export class VaultStandIn {
  readonly token = `hvs.${randomBytes(18).toString('base64url')}`;
  readonly namespace = 'admin/team';
  readonly keys = new Map<string, StandInKey>([
    ['gatehouse-root', new StandInKey('hmac', Buffer.alloc(32, 9))],
    ['gatehouse-wrap', new StandInKey('aes256-gcm96')],
  ]);
  /** Tokens that are valid. */
  readonly tokens = new Set([this.token]);
  /** Paths that tokens may not use. */
  readonly forbidden = new Set<string>();
  /** What was answered with 200: the path, and the version that was asked for. */
  readonly requests: string[] = [];
  isSealed = false;
  isSilent = false;
  /** What is answered to each request, in place of what Vault would answer. */
  otherAnswer: (Answer & { readonly headers?: Record<string, string> }) | undefined;
  /** Whether `key_version` is ignored, as a Vault does that does not know it. */
  ignoresVersion = false;

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
    private readonly usesNamespace: boolean,
  ) {}

  static async start({
    tls,
    usesNamespace = false,
  }: { readonly tls?: SelfSigned; readonly usesNamespace?: boolean } = {}): Promise<VaultStandIn> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    const vault = new VaultStandIn(server, tls === undefined ? 'http' : 'https', usesNamespace);
    server.on('request', (request, response) => {
      void vault.answer(request).then(({ status, body }) => {
        if (vault.isSilent) return;
        response.writeHead(status, { 'content-type': 'application/json', ...vault.otherAnswer?.headers });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return vault;
  }

  /** The environment of the signer, with the token. */
  get environment(): Record<string, string> {
    return { ...this.environmentWithoutToken, VAULT_TOKEN: this.token };
  }

  get environmentWithoutToken(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return {
      ACCOUNT_KEY_VAULT: 'vault-transit',
      VAULT_ADDR: `${this.scheme}://127.0.0.1:${port}`,
      VAULT_TRANSIT_ROOT_KEY: 'gatehouse-root',
      VAULT_TRANSIT_ROOT_KEY_VERSION: '1',
      VAULT_TRANSIT_WRAP_KEY: 'gatehouse-wrap',
      VAULT_TRANSIT_WRAP_KEY_VERSION: '1',
      ...(this.usesNamespace ? { VAULT_NAMESPACE: this.namespace } : {}),
    };
  }

  key(name: 'gatehouse-root' | 'gatehouse-wrap'): StandInKey {
    const key = this.keys.get(name);
    if (key === undefined) throw new Error(`there is no key ${name}`);
    return key;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.otherAnswer) return this.otherAnswer;
    if (this.isSealed) return refuse(503, 'Vault is sealed');
    const path = (request.url ?? '').replace('/v1/', '');
    if (!this.mayUse(request, path)) return refuse(403, '1 error occurred:\n\t* permission denied\n\n');
    const [, operation = '', name = ''] =
      /^transit\/(keys|hmac|encrypt|decrypt)\/([\w.-]+)$/.exec(path) ?? [];
    const key = this.keys.get(name);
    if (operation === 'keys' && request.method === 'GET')
      return key === undefined ? { status: 404, body: { errors: [] } } : this.done(path, key.describe(name));
    if (operation === '' || operation === 'keys' || request.method !== 'POST')
      return refuse(405, 'unsupported operation');
    if (key === undefined) return refuse(400, 'encryption key not found');
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    const result = perform(operation, key, this.ignoresVersion ? { ...body, key_version: 0 } : body);
    if (typeof result === 'string') return refuse(400, result);
    return this.done(
      `${path} ${String(body.key_version ?? body.ciphertext)
        .split(':')
        .slice(0, 2)
        .join(':')}`,
      result,
    );
  }

  private mayUse({ headers }: IncomingMessage, path: string): boolean {
    const namespace = headers['x-vault-namespace'];
    return (
      headers['x-vault-request'] === 'true' &&
      this.tokens.has(String(headers['x-vault-token'])) &&
      namespace === (this.usesNamespace ? this.namespace : undefined) &&
      !this.forbidden.has(path)
    );
  }

  private done(request: string, data: Body): Answer {
    this.requests.push(request);
    const rest = { lease_id: '', renewable: false, lease_duration: 0, wrap_info: null, warnings: null };
    return { status: 200, body: { request_id: 'e0', ...rest, data, auth: null } };
  }
}

const refuse = (status: number, ...errors: string[]): Answer => ({ status, body: { errors } });

/** Decodes as Go's `base64.StdEncoding` does, and no other way. */
function decodeBase64(text: unknown): Buffer | undefined {
  const bytes = Buffer.from(String(text), 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

const associatedDataOf = ({ associated_data: data }: Body): string => (typeof data === 'string' ? data : '');

/** @returns the data of the answer, or why the request is refused */
function perform(operation: string, key: StandInKey, body: Body): Body | string {
  if (operation === 'decrypt') return decrypt(key, body);
  const { key_version: asked = 0 } = body;
  if (typeof asked !== 'number' || !Number.isInteger(asked))
    return 'error converting input for field "key_version"';
  const version = asked === 0 ? key.latest_version : asked;
  if (version < 0 || version > key.latest_version)
    return `key version does not exist; latest key version is ${key.latest_version}`;
  if (version !== key.latest_version && version < key.min_encryption_version)
    return 'cannot generate HMAC: version is too old (disallowed by policy)';
  const secret = key.versionOf(version);
  if (secret === undefined) return 'no such key version';
  return operation === 'hmac' ? computeHmac(secret, version, body) : encrypt(key, secret, version, body);
}

function computeHmac(
  secret: Buffer,
  version: number,
  { input, algorithm = 'sha2-256' }: Body,
): Body | string {
  if (input === undefined) return 'missing input for HMAC';
  const bytes = decodeBase64(input);
  if (bytes === undefined) return 'unable to decode input as base64: illegal base64 data';
  if (algorithm !== 'sha2-256') return `unsupported algorithm "${String(algorithm)}"`;
  return { hmac: `vault:v${version}:${createHmac('sha256', secret).update(bytes).digest('base64')}` };
}

function encrypt(key: StandInKey, secret: Buffer, version: number, body: Body): Body | string {
  if (key.type !== 'aes256-gcm96') return `message encryption not supported for key type ${key.type}`;
  if (key.derived && body.context === undefined) return 'missing "context" for key derivation';
  const bytes = decodeBase64(body.plaintext);
  if (bytes === undefined) return 'illegal base64 data';
  const ciphertext = encryptAesGcm(secret, bytes, associatedDataOf(body)).toString('base64');
  return { ciphertext: `vault:v${version}:${ciphertext}`, key_version: version };
}

function decrypt(key: StandInKey, body: Body): Body | string {
  const [, digits, value] = /^vault:v(\d+):(.+)$/.exec(String(body.ciphertext)) ?? [];
  if (digits === undefined) return 'invalid ciphertext: no prefix';
  const version = Number(digits);
  if (version > key.latest_version) return 'invalid ciphertext: version is too new';
  if (version < key.min_decryption_version)
    return 'ciphertext or signature version is disallowed by policy (too old)';
  const secret = key.versionOf(version);
  const bytes = decodeBase64(value);
  if (secret === undefined || bytes === undefined) return 'invalid ciphertext: could not decode base64';
  const plain = decryptAesGcm(secret, bytes, associatedDataOf(body));
  return plain === undefined
    ? 'cipher: message authentication failed'
    : { plaintext: plain.toString('base64') };
}

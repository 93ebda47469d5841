import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Agent, readBoundedBody, SafeHttpError } from '@app/http';
import { z } from 'zod';

/** Two attempts, with the reading of the token, are shorter than the parent waits for the signer process. */
const ATTEMPT_TIMEOUT_MS = 1_900;
const CONNECTION_TIMEOUT_MS = 1_000;
const MAX_ATTEMPTS = 2;
const CONNECTIONS = 16;
/** A key of 1,000 versions is described in 40 KB; every other answer has less than 1 KB. */
const MAX_ANSWER_BYTES = 128 * 1024;
const MAX_TOKEN_FILE_BYTES = 16 * 1024;
const MAX_REASON_LENGTH = 200;

export interface VaultClientOptions {
  readonly address: string;
  readonly namespace?: string | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly caFile?: string | undefined;
}

interface VaultRequest {
  /** The path below `/v1/`. */
  readonly path: string;
  /** A POST if there is one. */
  readonly body?: Readonly<Record<string, unknown>>;
}

interface VaultAnswer {
  readonly status: number;
  readonly body: unknown;
}

const success = z.object({ data: z.record(z.string(), z.unknown()) });
const failure = z.object({ errors: z.array(z.string()) });

/**
 * Calls HashiCorp Vault. Redirects are not followed, because the token would go with them. Messages of its errors have what Vault said, and
 * neither the token nor what was sent or answered.
 */
export class VaultClient {
  private readonly agent: Agent;

  constructor(private readonly options: VaultClientOptions) {
    const { caFile } = options;
    this.agent = new Agent({
      connections: CONNECTIONS,
      pipelining: 1,
      connect: {
        timeout: CONNECTION_TIMEOUT_MS,
        // NODE_TLS_REJECT_UNAUTHORIZED would otherwise let anybody read the token and the MACs that keys are made of.
        rejectUnauthorized: true,
        ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }),
      },
    });
  }

  /** @returns the field `data` of the answer @throws Error that names the path, and what Vault said */
  async request(request: VaultRequest): Promise<Record<string, unknown>> {
    const token = await this.readToken();
    const { status, body } = await this.send(request, token);
    if (status === 200) {
      const { success: isAnswer, data: answer } = success.safeParse(body);
      if (isAnswer) return answer.data;
    }
    throw new Error(describeFailure(request.path, { status, body }).replaceAll(token, '…'));
  }

  /** Repeats a request once that got no answer: all requests may be repeated. */
  private async send(request: VaultRequest, token: string): Promise<VaultAnswer> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.attempt(request, token);
      } catch (error) {
        if (attempt < MAX_ATTEMPTS && !(error instanceof SafeHttpError)) continue;
        throw new Error(`HashiCorp Vault did not answer ${request.path}: ${describeError(error)}`, {
          cause: error,
        });
      }
  }

  private async attempt({ path, body }: VaultRequest, token: string): Promise<VaultAnswer> {
    const { address, namespace } = this.options;
    const answer = await this.agent.request({
      origin: address,
      path: `/v1/${path}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        // Agents that are set up against forged requests want it.
        'x-vault-request': 'true',
        'x-vault-token': token,
        ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
    });
    return {
      status: answer.statusCode,
      body: parseJson(await readBoundedBody(answer.body, MAX_ANSWER_BYTES)),
    };
  }

  private async readToken(): Promise<string> {
    const { token, tokenFile } = this.options;
    if (tokenFile === undefined) return token ?? '';
    const text = await readFile(tokenFile, {
      encoding: 'utf8',
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
    }).catch((error: unknown) => {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new Error(`VAULT_TOKEN_FILE cannot be read (${code})`, { cause: error });
    });
    const read = text.trim();
    if (text.length > MAX_TOKEN_FILE_BYTES || !/^[\x21-\x7e]+$/.test(read))
      throw new Error('VAULT_TOKEN_FILE holds no token');
    return read;
  }
}

function describeError(error: unknown): string {
  const { name, message, code } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return `nothing came within ${ATTEMPT_TIMEOUT_MS} ms`;
  // Codes of TLS and sockets tell more than messages.
  return typeof code === 'string' ? code : message;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    // Something else than Vault answered, as a load balancer.
    return undefined;
  }
}

/** What an operator can do about it, where the status tells. */
const HINTS: Readonly<Record<number, string>> = {
  301: 'it names another address; redirects are not followed, so VAULT_ADDR must be that of Vault itself',
  302: 'it names another address; redirects are not followed, so VAULT_ADDR must be that of Vault itself',
  307: 'this node is not the active one and does not forward requests; VAULT_ADDR must be an address that reaches the active node',
  308: 'it names another address; redirects are not followed, so VAULT_ADDR must be that of Vault itself',
  403: 'the token has expired, is of another namespace, or its policy does not allow this path',
  404: 'there is no such key, mount or namespace',
};

function describeFailure(path: string, { status, body }: VaultAnswer): string {
  const { data } = failure.safeParse(body);
  const said = data?.errors.join('; ').replace(/\s+/g, ' ').trim().slice(0, MAX_REASON_LENGTH) ?? '';
  const hint = HINTS[status];
  const reasons = [said, hint].filter((reason) => reason !== undefined && reason !== '');
  return `HashiCorp Vault answered ${status} to ${path}${reasons.map((reason) => `: ${reason}`).join('')}`;
}

import { createHmac, createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { decryptAesGcm, encryptAesGcm } from '@app/common';

const ARN = 'arn:aws:kms:eu-central-1:111122223333:key/';
const ROOT_KEY = `${ARN}mrk-0000root`;
const WRAP_KEY = `${ARN}0000wrap`;
export const OTHER_WRAP_KEY = `${ARN}0001wrap`;

interface KmsRequest {
  readonly KeyId: string;
  readonly Message?: string;
  readonly MacAlgorithm?: string;
  readonly KeySpec?: string;
  readonly CiphertextBlob?: string;
  readonly EncryptionContext?: Record<string, string>;
}

/** Speaks the JSON protocol of AWS KMS, for three keys, and checks the signatures of requests (SigV4). */
export class KmsStandIn {
  private readonly accessKeyId = 'AKIAEXAMPLE';
  readonly secretAccessKey = randomBytes(30).toString('base64');
  private readonly keys = new Map([
    [ROOT_KEY, Buffer.alloc(32, 9)],
    [WRAP_KEY, randomBytes(32)],
    [OTHER_WRAP_KEY, randomBytes(32)],
  ]);
  /** Operations that were answered, in order. */
  readonly operations: string[] = [];
  /** Answers nothing while it is set. */
  isSilent = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<KmsStandIn> {
    const server = createServer();
    const kms = new KmsStandIn(server);
    server.on('request', (request, response) => {
      void kms.answer(request).then(({ status, body }) => {
        if (!kms.isSilent)
          response
            .writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' })
            .end(JSON.stringify(body));
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return kms;
  }

  get environment(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return {
      ACCOUNT_KEY_VAULT: 'aws-kms',
      KMS_ROOT_KEY_ID: ROOT_KEY,
      KMS_WRAP_KEY_ID: WRAP_KEY,
      AWS_ENDPOINT_URL_KMS: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: this.accessKeyId,
      AWS_SECRET_ACCESS_KEY: this.secretAccessKey,
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (this.expectedAuthorization(request, body) !== request.headers.authorization)
      return failure('InvalidSignatureException', describeSignature(request));
    const operation = String(request.headers['x-amz-target']);
    const parameters = JSON.parse(body.toString()) as KmsRequest;
    const key = this.keys.get(parameters.KeyId);
    if (key === undefined) return failure('NotFoundException');
    const result = perform(operation, key, parameters);
    if (result === undefined) return failure('ValidationException');
    this.operations.push(operation.replace('TrentService.', ''));
    return { status: 200, body: { KeyId: parameters.KeyId, ...result } };
  }

  /** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
  private expectedAuthorization({ headers, method }: IncomingMessage, body: Buffer): string {
    const [, signed = ''] = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
    const names = signed.split(';');
    const isComplete = ['host', 'x-amz-date', 'x-amz-target'].every((name) => names.includes(name));
    if (!isComplete) return 'not all headers are signed';
    const canonical = [
      method,
      '/',
      '',
      ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
      '',
      signed,
      sha256(body),
    ].join('\n');
    const date = String(headers['x-amz-date']);
    const scope = [date.slice(0, 8), 'eu-central-1', 'kms', 'aws4_request'];
    const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(canonical)].join('\n');
    const key = scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${this.secretAccessKey}`));
    const credential = `${this.accessKeyId}/${scope.join('/')}`;
    return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signed}, Signature=${hmac(key, text).toString('hex')}`;
  }
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer, data: Buffer | string) => createHmac('sha256', key).update(data).digest();

const failure = (type: string, message = 'refused') => ({ status: 400, body: { __type: type, message } });

/** What AWS says of a wrong signature: the request as it should have been signed, with all of its headers. */
const describeSignature = ({ headers }: IncomingMessage): string =>
  `The request signature we calculated does not match the signature you provided.\n\nThe Canonical String for this request should have been\n'POST\n/\n\nx-amz-security-token:${String(headers['x-amz-security-token'])}\n`;

function perform(operation: string, key: Buffer, request: KmsRequest): Record<string, string> | undefined {
  const isRoot = request.KeyId === ROOT_KEY;
  const context = JSON.stringify(request.EncryptionContext);
  if (operation === 'TrentService.GenerateMac' && isRoot && request.MacAlgorithm === 'HMAC_SHA_256')
    return { Mac: hmac(key, Buffer.from(request.Message ?? '', 'base64')).toString('base64') };
  if (operation === 'TrentService.GenerateDataKey' && !isRoot && request.KeySpec === 'AES_256') {
    const plain = randomBytes(32);
    return {
      Plaintext: plain.toString('base64'),
      CiphertextBlob: encryptAesGcm(key, plain, context).toString('base64'),
    };
  }
  if (operation !== 'TrentService.Decrypt' || isRoot) return undefined;
  const plain = decryptAesGcm(key, Buffer.from(request.CiphertextBlob ?? '', 'base64'), context);
  return plain && { Plaintext: plain.toString('base64') };
}

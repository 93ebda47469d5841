import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const encode = (data: Buffer): string => data.toString('base64url');

/** CBOR (RFC 8949) of a text shorter than 24 bytes, and of a byte string shorter than 64 KiB. */
const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
const bytes = (value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x59, value.length >> 8, value.length & 255]), value]);

export interface Ceremony {
  origin: string;
  challenge: string;
  /** The host for which the authenticator signs; that of the origin unless a test says otherwise. */
  rpId?: string;
  crossOrigin?: boolean;
  isUserVerified?: boolean;
  counter?: number;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** An authenticator with one ES256 key on one device, and the part of the browser that makes client data. */
export class SoftwareAuthenticator {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly id = encode(randomBytes(32));
  counter = 0;

  create(ceremony: Ceremony) {
    const credentialId = Buffer.from(this.id, 'base64url');
    const attested = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, credentialId.length]),
      credentialId,
      this.coseKey(),
    ]);
    const authData = Buffer.concat([this.head(ceremony, HAS_CREDENTIAL), attested]);
    const parts = [
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.from([0xa0]),
      text('authData'),
      bytes(authData),
    ];
    const attestationObject = encode(Buffer.concat([Buffer.from([0xa3]), ...parts]));
    return this.answer({
      clientDataJSON: this.clientData('webauthn.create', ceremony),
      attestationObject,
      transports: ['internal'],
    });
  }

  get(ceremony: Ceremony, userHandle: string) {
    const authenticatorData = this.head(ceremony, 0);
    const clientDataJSON = this.clientData('webauthn.get', ceremony);
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const signature = encode(sign('sha256', signed, this.keys.privateKey));
    return this.answer({
      clientDataJSON,
      authenticatorData: encode(authenticatorData),
      signature,
      userHandle,
    });
  }

  private answer<T extends object>(response: T) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  private clientData(type: string, { challenge, origin, crossOrigin = false }: Ceremony): string {
    return encode(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin })));
  }

  private head(
    { origin, rpId = new URL(origin).hostname, isUserVerified = true, counter }: Ceremony,
    flags: number,
  ) {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? this.counter);
    return Buffer.concat([
      sha256(rpId),
      Buffer.from([PRESENT | (isUserVerified ? VERIFIED : 0) | flags]),
      count,
    ]);
  }

  private coseKey(): Buffer {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const point = (value: string) =>
      Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(value, 'base64url')]);
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]);
    return Buffer.concat([head, point(x), Buffer.from([0x22]), point(y)]);
  }
}

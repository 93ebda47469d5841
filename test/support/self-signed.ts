import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** PEM. The certificate is its own authority: trust it as a `ca`. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** DER (X.690): a tag, a length, and what is inside. */
function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const SEQUENCE = 0x30;
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));
const ED25519 = der(SEQUENCE, oid(0x2b, 0x65, 0x70));
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const BASIC_CONSTRAINTS = oid(0x55, 0x1d, 0x13);
const SUBJECT_ALT_NAME = oid(0x55, 0x1d, 0x11);
const TRUE = der(0x01, Buffer.from([0xff]));

const utcTime = (at: Date) =>
  der(0x17, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`, 'ascii'));

const altName = (host: string) =>
  isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host, 'ascii'));

/** An Ed25519 key and an X.509 certificate (RFC 5280) for these hosts, valid from yesterday until tomorrow. */
export function selfSigned(...hosts: string[]): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const day = 24 * 3_600_000;
  const name = der(SEQUENCE, der(0x31, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from('test')))));
  const extensions = [
    der(SEQUENCE, BASIC_CONSTRAINTS, TRUE, der(0x04, der(SEQUENCE, TRUE))),
    der(SEQUENCE, SUBJECT_ALT_NAME, der(0x04, der(SEQUENCE, ...hosts.map(altName)))),
  ];
  const content = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ED25519,
    name,
    der(SEQUENCE, utcTime(new Date(Date.now() - day)), utcTime(new Date(Date.now() + day))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, ...extensions)),
  );
  const signature = der(0x03, Buffer.from([0]), sign(null, content, privateKey));
  const base64 = der(SEQUENCE, content, ED25519, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

import { MAX_LARGE_TEXT_BYTES } from '@app/chain/evm';
import { createMetadataFailure, type MetadataFailure } from './metadata-failure.js';

const ID_PLACEHOLDER = '{id}';
const ID_DIGITS = 64;
/** Placeholders of ids could make what a contract answers sixteen times as long. */
const MAX_URI_LENGTH = MAX_LARGE_TEXT_BYTES;

/** The URI that a contract's text stands for, with the id of ERC-1155 in place of `{id}`. */
export function resolveMetadataUri(text: string, tokenId: bigint | undefined): string | MetadataFailure {
  const uri = tokenId === undefined ? text : substituteTokenId(text, tokenId);
  return typeof uri === 'string' ? normalizeMetadataUri(uri) : uri;
}

/** ERC-1155: clients replace `{id}` with the id as 64 lower-case hexadecimal digits. */
function substituteTokenId(uri: string, tokenId: bigint): string | MetadataFailure {
  let length = uri.length;
  for (let at = uri.indexOf(ID_PLACEHOLDER); at >= 0; at = uri.indexOf(ID_PLACEHOLDER, at + 1))
    length += ID_DIGITS - ID_PLACEHOLDER.length;
  if (length > MAX_URI_LENGTH)
    return createMetadataFailure('metadata_malformed', 'has a URI longer than 3 MiB');
  return uri.replaceAll(ID_PLACEHOLDER, tokenId.toString(16).padStart(ID_DIGITS, '0'));
}

const BREAKS_PATTERN = /[\t\n\r]/g;
const BARE_CID_PATTERN = /^(?:\/?ipfs\/)?(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58})(\/.*)?$/;

/**
 * The URI as the parser of browsers (https://url.spec.whatwg.org) reads it: without spaces at its ends, tabs and line breaks; of https
 * URLs also with `/` for backslashes, percent-encoded spaces and letters, an ASCII host, and without fragment. CIDs without scheme are
 * read as `ipfs://`, as marketplaces do.
 */
export function normalizeMetadataUri(text: string): string {
  const uri = stripEnds(text).replace(BREAKS_PATTERN, '');
  if (/^https?:/i.test(uri)) return normalizeUrl(uri);
  if (/^(?:ipfs|ar):/i.test(uri)) return uri.replaceAll('\\', '/').replace(/^([a-z]+):\/*/i, '$1://');
  const [, cid, path = ''] = BARE_CID_PATTERN.exec(uri) ?? [];
  return cid === undefined ? uri : `ipfs://${cid}${path}`;
}

/** Without C0 controls and spaces at both ends. A regular expression takes quadratic time on many spaces before another character. */
function stripEnds(text: string): string {
  let begin = 0;
  let end = text.length;
  while (begin < end && text.charCodeAt(begin) <= SPACE) begin += 1;
  while (end > begin && text.charCodeAt(end - 1) <= SPACE) end -= 1;
  return text.slice(begin, end);
}

const SPACE = 0x20;

/** URLs with a user name stay as they are, and are refused. */
function normalizeUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return text;
  // Browsers leave some characters to servers that RFC 3986 wants encoded.
  const path = `${url.pathname}${url.search}`.replace(
    /[|^`{}[\]"<>\\]|%(?![0-9a-f]{2})/gi,
    encodeURIComponent,
  );
  return `${url.origin}${path}`;
}

export type MetadataScheme = 'https' | 'data' | 'ipfs' | 'ar';

/** The scheme of a supported URI; `http` counts as `https`, because the HTTP client decides whether it is allowed. */
export function getMetadataScheme(uri: string): MetadataScheme | MetadataFailure {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  switch (scheme) {
    case 'http':
    case 'https':
      return 'https';
    case 'data':
    case 'ipfs':
    case 'ar':
      return scheme;
    case undefined:
      return createMetadataFailure('metadata_refused', 'has no URI with a scheme');
    default:
      return createMetadataFailure(
        'metadata_refused',
        'has a URI whose scheme is not https, data, ipfs or ar',
      );
  }
}

const DATA_URI_PATTERN = /^data:([^,]*),/i;

/**
 * The texts that the content of a data URI may stand for, the most probable first: as browsers decode it
 * (https://fetch.spec.whatwg.org/#data-url-processor), then as it is, because contracts return JSON with `%` that belongs to the JSON. A `#`
 * begins no fragment, because contracts leave those of colours unencoded.
 */
export function decodeDataUri(uri: string): readonly string[] | MetadataFailure {
  const [head, mediaType] = DATA_URI_PATTERN.exec(uri) ?? [];
  if (head === undefined || mediaType === undefined)
    return createMetadataFailure('metadata_malformed', 'has a data URI without content');
  const content = uri.slice(head.length);
  const charset = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(mediaType)?.[1];
  const bytes = percentDecode(content);
  // Buffer reads the alphabet of base64url, skips spaces and needs no padding.
  if (/;\s*base64\s*(?:;|$)/i.test(mediaType))
    return [
      decodeText(Buffer.from(bytes.toString('latin1'), 'base64'), charset),
      // Plain JSON that calls itself base64.
      ...(content.trimStart().startsWith('{') ? [decodeText(bytes, charset), content] : []),
    ];
  return [decodeText(bytes, charset), content];
}

/** A `%` that encodes nothing stands for itself. */
function percentDecode(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (!text.includes('%')) return bytes;
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1, length += 1) {
    const byte = bytes[at] ?? 0;
    const value = byte === PERCENT ? readHex(bytes[at + 1]) * 16 + readHex(bytes[at + 2]) : Number.NaN;
    bytes[length] = Number.isNaN(value) ? byte : value;
    if (!Number.isNaN(value)) at += 2;
  }
  return bytes.subarray(0, length);
}

const PERCENT = 0x25;
const readHex = (byte: number | undefined): number =>
  byte === undefined ? Number.NaN : (HEX_VALUES[byte] ?? Number.NaN);
const HEX_VALUES = Array.from({ length: 128 }, (_, byte) =>
  /[0-9a-f]/i.test(String.fromCharCode(byte)) ? Number.parseInt(String.fromCharCode(byte), 16) : Number.NaN,
);

/** Text as browsers read it: by its byte order mark, else by its charset. Bytes that are no text become U+FFFD. */
export function decodeText(bytes: Uint8Array, charset = 'utf-8'): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return createDecoder(charset).decode(bytes);
}

function createDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder(); // an unknown name
  }
}

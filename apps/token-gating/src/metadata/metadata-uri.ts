import { createMetadataFailure, type MetadataFailure } from './metadata-failure.js';

/** ERC-1155: clients replace `{id}` with the id as 64 lower-case hexadecimal digits. */
export const substituteTokenId = (uri: string, tokenId: bigint): string =>
  uri.replaceAll('{id}', tokenId.toString(16).padStart(64, '0'));

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

/** RFC 2397. Contracts often leave `%` and `#` of the content unencoded, which is accepted. */
export function decodeDataUri(uri: string): string | MetadataFailure {
  const [head, mediaType] = DATA_URI_PATTERN.exec(uri) ?? [];
  if (head === undefined || mediaType === undefined)
    return createMetadataFailure('metadata_malformed', 'has a data URI without content');
  const content = uri.slice(head.length);
  if (/;\s*base64$/i.test(mediaType)) return decodeBase64(decodePercents(content));
  return decodePercents(content);
}

function decodeBase64(content: string): string | MetadataFailure {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(content, 'base64'));
  } catch {
    return createMetadataFailure('metadata_malformed', 'has a data URI that is not UTF-8 text');
  }
}

function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a `%` that encodes nothing
  }
}

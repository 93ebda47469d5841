import { CID } from 'multiformats/cid';
import { createMetadataFailure, type MetadataFailure } from '../metadata-failure.js';

const SHA2_256 = 0x12;
const SHA2_256_BYTES = 32;
export const IDENTITY = 0x00;

/** Gateways also serve other hashes, and sha2-256 that is truncated to 20 bytes or more. */
export const isVerifiable = ({ multihash: { code, digest } }: CID): boolean =>
  code === IDENTITY || (code === SHA2_256 && digest.length === SHA2_256_BYTES);

export interface IpfsTarget {
  readonly cid: CID;
  /** Names below the root, decoded. */
  readonly path: readonly string[];
}

const IPFS_URI_PATTERN = /^ipfs:\/\/(?:ipfs\/)?([a-z0-9]+)(\/[^?#]*)?(?:[?#].*)?$/i;
const MAX_URI_LENGTH = 2_048;

/** Parses `ipfs://<cid>/<path>`, and the older form `ipfs://ipfs/<cid>/<path>`. */
export function parseIpfsUri(uri: string): IpfsTarget | MetadataFailure {
  if (uri.length > MAX_URI_LENGTH) return reject('has an ipfs URI that is too long');
  const [, cidText, pathText = ''] = IPFS_URI_PATTERN.exec(uri) ?? [];
  if (cidText === undefined) return reject('has an ipfs URI that is not ipfs://<cid>/<path>');
  try {
    const path = pathText.split('/').filter(Boolean).map(decodeURIComponent);
    if (path.some((name) => name === '.' || name === '..' || /[/\\]/.test(name)))
      return reject('has an ipfs URI with a path that is not plain');
    const cid = CID.parse(cidText);
    return isVerifiable(cid) ? { cid, path } : reject('has an ipfs URI whose hash is not sha2-256');
  } catch {
    return reject('has an ipfs URI without a valid CID');
  }
}

const reject = (problem: string) => createMetadataFailure('metadata_refused', problem);

import { CID } from 'multiformats/cid';
import { createMetadataFailure, type MetadataFailure } from '../metadata-failure.js';

/** The multihash codes that can be verified. */
export const SHA2_256 = 0x12;
export const IDENTITY = 0x00;

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
    const isVerifiable = cid.multihash.code === SHA2_256 || cid.multihash.code === IDENTITY;
    return isVerifiable ? { cid, path } : reject('has an ipfs URI whose hash is not sha2-256');
  } catch {
    return reject('has an ipfs URI without a valid CID');
  }
}

const reject = (problem: string) => createMetadataFailure('metadata_refused', problem);

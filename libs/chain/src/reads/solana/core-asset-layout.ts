import { type ByteReader, readFields } from './byte-reader.js';

export const CORE_PROGRAM_ID = 'CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d';

/** Kinds of accounts, in their first byte. */
export const ASSET_V1 = 1;
const PLUGIN_HEADER_V1 = 3;
const PLUGIN_REGISTRY_V1 = 4;
/** The owner stands after the key. */
export const CORE_OWNER_OFFSET = 1;

const UPDATE_AUTHORITY = { none: 0, address: 1, collection: 2 } as const;
const PLUGIN_AUTHORITY_ADDRESS = 3;
const VERIFIED_CREATORS = 13;
const U64_BYTES = 8;

/** Fields of an asset of Metaplex Core (https://developers.metaplex.com/core). */
interface CoreAsset {
  readonly owner: string;
  /** The collection that is its update authority. */
  readonly collection: string | undefined;
  readonly uri: string;
  readonly verifiedCreators: readonly string[];
}

/**
 * Reads the owner even of an asset whose other fields this release does not know; undefined if the data is not that of
 * an asset.
 */
export const parseCoreOwner = (data: Uint8Array): string | undefined =>
  readFields(data, (reader) => (reader.u8() === ASSET_V1 ? reader.address() : undefined));

/** Undefined if the data is not that of an asset. */
export const parseCoreAsset = (data: Uint8Array): CoreAsset | undefined =>
  readFields(data, (reader) => {
    if (reader.u8() !== ASSET_V1) return undefined;
    const owner = reader.address();
    const collection = readCollection(reader);
    reader.text(); // name
    const uri = reader.text();
    reader.option(() => reader.bytes(U64_BYTES)); // sequence number
    const verifiedCreators =
      reader.remaining > 0
        ? (readFields(data.subarray(data.length - reader.remaining), (header) =>
            readCreators(header, data),
          ) ?? [])
        : [];
    return { owner, collection, uri, verifiedCreators };
  });

function readCollection(reader: ByteReader): string | undefined {
  const kind = reader.u8();
  switch (kind) {
    case UPDATE_AUTHORITY.none:
      return undefined;
    case UPDATE_AUTHORITY.address:
      reader.address();
      return undefined;
    case UPDATE_AUTHORITY.collection:
      return reader.address();
    default:
      throw new RangeError('The update authority is of an unknown kind');
  }
}

/** Reads the plugin header, and the plugin that it leads to over the registry. */
function readCreators(header: ByteReader, data: Uint8Array): string[] {
  if (header.u8() !== PLUGIN_HEADER_V1) return [];
  const offset = readFields(data.subarray(header.offset64()), findVerifiedCreators);
  if (offset === undefined) return [];
  return (
    readFields(data.subarray(offset), (plugin) =>
      plugin.u8() === VERIFIED_CREATORS ? readVerified(plugin) : [],
    ) ?? []
  );
}

function findVerifiedCreators(registry: ByteReader): number | undefined {
  if (registry.u8() !== PLUGIN_REGISTRY_V1) return undefined;
  const count = registry.u32();
  for (let index = 0; index < count; index += 1) {
    const type = registry.u8();
    if (registry.u8() === PLUGIN_AUTHORITY_ADDRESS) registry.address();
    const offset = registry.offset64();
    if (type === VERIFIED_CREATORS) return offset;
  }
  return undefined;
}

function readVerified(plugin: ByteReader): string[] {
  const count = plugin.u32();
  const verified: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const address = plugin.address();
    if (plugin.bool()) verified.push(address);
  }
  return verified;
}

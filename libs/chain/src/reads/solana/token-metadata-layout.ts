import { type ByteReader, readFields } from './byte-reader.js';

export const TOKEN_METADATA_PROGRAM_ID = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';

/** Kind of account: metadata of a mint. */
const METADATA_V1 = 4;

/** Fields of the Token Metadata account of a mint (https://developers.metaplex.com/token-metadata). */
interface TokenMetadata {
  readonly mint: string;
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
  /** The addresses of the creators who signed. */
  readonly verifiedCreators: readonly string[];
  /** The mint of the collection, if it accepted this one as a part of it. */
  readonly verifiedCollection: string | undefined;
}

/** Undefined if the data is not that of a metadata account. */
export const parseTokenMetadata = (data: Uint8Array): TokenMetadata | undefined =>
  readFields(data, (reader) => {
    if (reader.u8() !== METADATA_V1) return undefined;
    reader.address(); // update authority
    const mint = reader.address();
    const name = withoutPadding(reader.text());
    const symbol = withoutPadding(reader.text());
    const uri = withoutPadding(reader.text());
    reader.u16(); // seller fee
    const creators = reader.option(() => readCreators(reader)) ?? [];
    const verifiedCollection = readFields(reader.bytes(reader.remaining), readVerifiedCollection);
    return { mint, name, symbol, uri, verifiedCreators: creators, verifiedCollection };
  });

function readCreators(reader: ByteReader): string[] {
  const count = reader.u32();
  const verified: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const address = reader.address();
    const isVerified = reader.bool();
    reader.u8(); // share
    if (isVerified) verified.push(address);
  }
  return verified;
}

/** Reads what follows the creators. Early accounts hold other bytes there: the program reads them as no collection, too. */
function readVerifiedCollection(reader: ByteReader): string | undefined {
  reader.bool(); // primary sale happened
  reader.bool(); // is mutable
  reader.option(() => reader.u8()); // edition nonce
  reader.option(() => reader.u8()); // token standard
  return reader.option(() => (reader.bool() ? reader.address() : undefined));
}

/** The program fills texts up to their maximum with zero bytes. */
const withoutPadding = (text: string): string => text.replace(/\0+$/, '');

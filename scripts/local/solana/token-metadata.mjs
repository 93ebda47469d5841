import { getAddressEncoder, getProgramDerivedAddress, lamports } from '@solana/kit';
import {
  getMetadataAccountDataSerializer,
  Key,
  MPL_TOKEN_METADATA_PROGRAM_ID,
  TokenStandard,
} from '@metaplex-foundation/mpl-token-metadata';

/**
 * Writes the Token Metadata account of a mint. The program itself is not on the cluster: npm has no binary of it.
 * @param {import('litesvm').LiteSVM} svm
 * @param {object} metadata
 * @param {string} metadata.mint
 * @param {string} metadata.name
 * @param {string} metadata.symbol
 * @param {string} metadata.updateAuthority
 * @param {string} [metadata.uri]
 * @param {{ key: string, verified: boolean }} [metadata.collection]
 * @param {{ address: string, verified: boolean, share: number }[]} [metadata.creators]
 * @param {string} [metadata.namedMint] the mint that the account names
 */
export async function writeMetadata(
  svm,
  { mint, name, symbol, updateAuthority, uri = '', collection, creators, namedMint = mint },
) {
  const isFungible = collection === undefined && creators === undefined;
  const data = getMetadataAccountDataSerializer().serialize({
    key: Key.MetadataV1,
    updateAuthority,
    mint: namedMint,
    name,
    symbol,
    uri,
    sellerFeeBasisPoints: 0,
    creators: creators ?? null,
    primarySaleHappened: false,
    isMutable: true,
    editionNonce: null,
    tokenStandard: isFungible ? TokenStandard.Fungible : TokenStandard.NonFungible,
    collection: collection ?? null,
    uses: null,
    collectionDetails: null,
    programmableConfig: null,
  });
  svm.setAccount({
    address: await findMetadataAddress(mint),
    data,
    executable: false,
    lamports: lamports(svm.minimumBalanceForRentExemption(BigInt(data.length))),
    programAddress: MPL_TOKEN_METADATA_PROGRAM_ID,
    space: BigInt(data.length),
  });
}

/** @param {string} mint @returns {Promise<import('@solana/kit').Address>} */
async function findMetadataAddress(mint) {
  const encode = (address) => getAddressEncoder().encode(address);
  const [address] = await getProgramDerivedAddress({
    programAddress: MPL_TOKEN_METADATA_PROGRAM_ID,
    seeds: ['metadata', encode(MPL_TOKEN_METADATA_PROGRAM_ID), encode(mint)],
  });
  return address;
}

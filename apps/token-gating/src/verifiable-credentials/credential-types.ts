/** The types of verifiable credentials, which are the last segment of their `vct`. */
export const CREDENTIAL_TYPES = ['asset-ownership'] as const;
export type CredentialType = (typeof CREDENTIAL_TYPES)[number];

/** `vct` of a type, at which its type metadata is published. */
export const toVct = (publicUrl: string, type: CredentialType): string =>
  `${publicUrl}/credential-types/${type}`;

interface ClaimMetadata {
  readonly path: readonly (string | null)[];
  readonly label: string;
  /** Holders may withhold an `allowed` claim; a `never` one is always in clear. */
  readonly sd: 'allowed' | 'never';
}

interface TypeDescription {
  readonly name: string;
  readonly description: string;
  readonly claims: readonly ClaimMetadata[];
}

const DESCRIPTIONS: Readonly<Record<CredentialType, TypeDescription>> = {
  'asset-ownership': {
    name: 'Asset ownership',
    description:
      'The account held some of each asset when the issuer read the chain. The credential stays valid as issued when the assets are sold.',
    claims: [
      { path: ['account'], label: 'Account (CAIP-10)', sd: 'allowed' },
      { path: ['assets', null], label: 'Asset (CAIP-19)', sd: 'allowed' },
      { path: ['readTime'], label: 'Time of the read', sd: 'never' },
    ],
  },
};

/** Type metadata of SD-JWT VC. */
export function createTypeMetadata(publicUrl: string, type: CredentialType) {
  const { name, description, claims } = DESCRIPTIONS[type];
  return {
    vct: toVct(publicUrl, type),
    name,
    description,
    display: [{ locale: 'en', name, description }],
    claims: claims.map(({ path, label, sd }) => ({
      path: [...path],
      display: [{ locale: 'en', label }],
      sd,
    })),
  };
}

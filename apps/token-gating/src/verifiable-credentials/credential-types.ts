import { DAY_SECONDS } from '@app/common';

/** The types of verifiable credentials, which are the last segment of their `vct`. */
export const CREDENTIAL_TYPES = ['asset-ownership', 'community-membership', 'community-role'] as const;
export type CredentialType = (typeof CREDENTIAL_TYPES)[number];

/** `vct` of a type, at which its type metadata is published. */
export const toVct = (publicUrl: string, type: CredentialType): string =>
  `${publicUrl}/credential-types/${type}`;

interface ClaimMetadata {
  readonly path: readonly (string | null)[];
  readonly label: string;
  /** Holders may withhold an `always` claim; a `never` one is in clear. */
  readonly sd: 'always' | 'never';
}

interface TypeDescription {
  readonly name: string;
  readonly description: string;
  readonly maxLifetimeSeconds: number;
  readonly defaultLifetimeSeconds: number;
  readonly claims: readonly ClaimMetadata[];
}

const ACCOUNT: ClaimMetadata = { path: ['account'], label: 'Account (CAIP-10)', sd: 'always' };

const COMMUNITY_CLAIMS: readonly ClaimMetadata[] = [
  ACCOUNT,
  { path: ['communityId'], label: 'Community', sd: 'never' },
  {
    path: ['communityOwner'],
    label: 'Account of the owner of the community when it was issued (CAIP-10)',
    sd: 'never',
  },
];

/** The service revokes such a credential as soon as it is untrue, so that it may live longer than one about assets. */
const COMMUNITY_LIFETIMES = {
  maxLifetimeSeconds: 30 * DAY_SECONDS,
  defaultLifetimeSeconds: 30 * DAY_SECONDS,
};

const DESCRIPTIONS: Readonly<Record<CredentialType, TypeDescription>> = {
  'asset-ownership': {
    name: 'Asset ownership',
    description:
      'The account held some of each asset when the issuer read the chain. The credential stays valid as issued when the assets are sold.',
    maxLifetimeSeconds: 7 * DAY_SECONDS,
    defaultLifetimeSeconds: DAY_SECONDS,
    claims: [
      ACCOUNT,
      { path: ['assets', null], label: 'Asset (CAIP-19)', sd: 'always' },
      { path: ['readTime'], label: 'Time of the read', sd: 'never' },
      { path: ['blocks'], label: 'Block of the read, by chain', sd: 'never' },
    ],
  },
  'community-membership': {
    name: 'Community membership',
    description:
      'The account belongs to a member of the community. The issuer revokes the credential when the membership ends. It does not vouch for the name of the community.',
    ...COMMUNITY_LIFETIMES,
    claims: COMMUNITY_CLAIMS,
  },
  'community-role': {
    name: 'Community role',
    description:
      'The account belongs to a member of the community who has the role. The issuer revokes the credential when the role or the membership ends. It does not vouch for the names of the community and the role.',
    ...COMMUNITY_LIFETIMES,
    claims: [...COMMUNITY_CLAIMS, { path: ['roleId'], label: 'Role', sd: 'never' }],
  },
};

export const getTypeName = (type: CredentialType): string => DESCRIPTIONS[type].name;

/** The longest and the default lifetime of a credential of a type, in seconds. */
export const getLifetimes = (
  type: CredentialType,
): Pick<TypeDescription, 'maxLifetimeSeconds' | 'defaultLifetimeSeconds'> => DESCRIPTIONS[type];

/** The longest lifetime of a credential of any type. */
export const MAX_CREDENTIAL_LIFETIME_SECONDS = Math.max(
  ...CREDENTIAL_TYPES.map((type) => DESCRIPTIONS[type].maxLifetimeSeconds),
);

/** The claims, and the elements of lists, that holders may withhold. */
export interface Disclosable {
  readonly claims: readonly string[];
  /** Lists whose elements may be withheld one by one. */
  readonly lists: readonly string[];
}

export function getDisclosable(type: CredentialType): Disclosable {
  const withheld = DESCRIPTIONS[type].claims.filter(({ sd }) => sd === 'always').map(({ path }) => path);
  const toNames = (paths: typeof withheld) => paths.flatMap(([name]) => name ?? []);
  return {
    claims: toNames(withheld.filter((path) => path.length === 1)),
    lists: toNames(withheld.filter((path) => path.length > 1)),
  };
}

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

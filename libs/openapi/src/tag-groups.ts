/**
 * Operations in words, in the order in which a reader meets them. The tags themselves are names of controllers: clients call
 * operations by tag, so the document keeps those and adds the groups beside them (`x-tagGroups`, a convention of several
 * renderers of OpenAPI documents).
 */
const TAG_GROUPS = [
  {
    name: 'Check roles',
    description: 'Say which roles rules grant to a wallet or a user: at once, or later by a signed callback.',
    tags: ['AccessControlController'],
  },
  {
    name: 'What rules can be about',
    description: 'The chains, rule types and contracts that a page offers to people who make rules.',
    tags: ['CatalogueController'],
  },
  {
    name: 'Communities',
    description: 'Communities with their administrators, invitations and attached client applications.',
    tags: [
      'CommunityController',
      'CommunityAdministratorController',
      'CommunityInvitationController',
      'CommunityClientController',
    ],
  },
  {
    name: 'Roles and rules of a community',
    description: 'The roles of a community, the rules that grant them, and checks of all its members.',
    tags: ['CommunityRoleController', 'CommunityRuleController', 'BalanceCheckController'],
  },
  {
    name: 'Members of a community',
    description:
      'Join, leave and list members; add users of chat, microblog and codehost, and link their wallets.',
    tags: ['CommunityMemberController', 'PlatformWalletController', 'CommunityInteractionController'],
  },
  {
    name: 'Analytics',
    description: 'Numbers about a community over time, and its events for a data warehouse.',
    tags: ['AnalyticsController', 'CommunityEventController'],
  },
  {
    name: 'Assets and proofs of ownership',
    description: 'What an account holds, and links by which a user proves it to others.',
    tags: ['AssetOwnershipController'],
  },
  {
    name: 'Verifiable credentials',
    description:
      'Credentials that a user keeps in a wallet and shows elsewhere: issue, list, revoke and verify them.',
    tags: ['VerifiableCredentialController', 'CredentialIssuerController'],
  },
  {
    name: 'The signed-in user',
    description: 'Profile, wallets, passkeys and communities of the user whose token is sent.',
    tags: ['AccountController', 'PasskeyController'],
  },
  {
    name: 'Signing in with OAuth 2.0 and OpenID Connect',
    description: 'Let users sign in to an application of yours, by any client library of the standards.',
    tags: [
      'OAuth2Controller',
      'AuthorizationController',
      'UserInfoController',
      'OAuthLogoutController',
      'OAuthMetadataController',
      'JwksController',
    ],
  },
  {
    name: 'Signing in with Ethereum',
    description: 'Let users sign in on a page of your own by a signature of their wallet.',
    tags: ['EthereumLoginController', 'EthereumCredentialController'],
  },
  {
    name: 'Smart accounts',
    description:
      'Accounts of chat bots and of users of other platforms: addresses, transactions and their callbacks.',
    tags: [
      'AccountKitController',
      'UserOperationController',
      'SolanaSponsorController',
      'OperationCallbackController',
    ],
  },
  {
    name: 'Client applications',
    description:
      'Applications, their keys and secrets, and the use of a plan. The portal does the same by forms.',
    tags: [
      'ClientApplicationController',
      'PublishableIdController',
      'PublishedRuleController',
      'CallbackEndpointController',
    ],
  },
  {
    name: 'Operators',
    description: 'Decisions of those who run this deployment. The portal does the same by forms.',
    tags: ['OperatorController', 'AccountPolicyController', 'AccountFreezeController'],
  },
] as const satisfies readonly TagGroup[];

export interface TagGroup {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
}

/** The groups of a document. @throws Error for a tag that is in no group, and for one that no operation has */
export function createTagGroups(tags: ReadonlySet<string>): TagGroup[] {
  const grouped = new Set<string>(TAG_GROUPS.flatMap((group) => [...group.tags]));
  for (const tag of tags) if (!grouped.has(tag)) throw new Error(`${tag} is in no group of tag-groups.ts`);
  for (const tag of grouped) if (!tags.has(tag)) throw new Error(`No operation has the tag ${tag}`);
  return TAG_GROUPS.map(({ name, description, tags: members }) => ({
    name,
    description,
    tags: [...members],
  }));
}

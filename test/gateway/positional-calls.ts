/** A call of an existing client: arguments in parameter order, the body last; and the status with an API key. */
export interface PositionalCall {
  args: unknown[];
  status: number;
}

const OK = 200;
const USER_REQUIRED = 401;
const SCOPE_REQUIRED = 403;
/** The suite has DEFAULT_POLICY=deny. */
const POLICY_REQUIRED = 403;
/** The status of a call with a wrong token of a platform's bot or user. */
const TOKEN_INVALID = 401;

const call = (status: number, ...args: unknown[]): PositionalCall => ({ args, status });
const user = (...args: unknown[]) => call(USER_REQUIRED, ...args);
const scope = (...args: unknown[]) => call(SCOPE_REQUIRED, ...args);

const ACCOUNT = '0x1111111111111111111111111111111111111111';
const SOLANA_ACCOUNT = 'So11111111111111111111111111111111111111112';
const OPERATION = { target: ACCOUNT, callData: '0x', value: '0' };
const FILTERS = [{ color: 1, id: '001', name: 'member' }];
const TRANSACTION = { serializedTransactionBase64: 'AAAA' };
const CHECK = {
  account: SOLANA_ACCOUNT,
  rules: [{ type: 'ERC721', chainId: 1, contractAddress: ACCOUNT, minToken: '1', roleId: '001' }],
};

const CREDENTIAL_REQUEST = {
  type: 'asset-ownership',
  assets: [`eip155:1/erc721:${ACCOUNT}`],
  proof: 'proof',
};

export const CALLS: Record<string, PositionalCall> = {
  'AccessControlController.checkRoles': call(OK, CHECK),
  'AccessControlController.redeliverCheckRolesResponse': call(404, '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11'),
  'AccessControlController.getCheckRolesResponse': call(404, '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11'),
  'AccessControlController.getRoles': call(404, 'community', 'user'),
  'AccountController.getAdministratedCommunities': user(true),
  'AccountController.getUserCommunities': user(),
  'AccountController.getAuthChallenge': user(),
  'AccountController.findLinkedUsers': user(),
  'AccountController.getUserProfile': user(),
  'PasskeyController.getPasskeys': user(),
  'PasskeyController.renamePasskey': user('passkey', { name: 'Phone' }),
  'PasskeyController.deletePasskey': user('passkey'),
  'AccountController.changeUserProfile': user({ name: 'Ann' }),
  'AccountController.addWalletAddress': user({ address: ACCOUNT, message: 'm', signedMessage: '0x' }),
  'AccountController.deleteWallet': user(ACCOUNT),
  'AccountController.getWallets': user(10, 'token'),
  'AccountController.deleteWallets': user(),
  'CommunityController.listCommunities': scope(10),
  'CommunityController.createCommunity': user({ name: 'shop' }),
  'CommunityController.getCommunity': scope('community'),
  'CommunityController.changeCommunity': user('community', { name: 'shop' }),
  'CommunityController.deleteCommunity': user('community'),
  'CommunityController.changeOwner': user('community', { userId: 'user' }),
  'CommunityAdministratorController.listAdministrators': scope('community'),
  'CommunityAdministratorController.addAdministrator': user('community', 'user'),
  'CommunityAdministratorController.removeAdministrator': user('community', 'user'),
  'CommunityRoleController.listRoles': scope('community'),
  'CommunityRoleController.createRole': user('community', { name: 'whale' }),
  'CommunityRoleController.changeRole': user('community', 'role', { name: 'whale' }),
  'CommunityRoleController.deleteRole': user('community', 'role'),
  'CommunityRuleController.getRules': scope('community'),
  'CommunityRuleController.replaceRules': user('community', {
    rules: [{ roleId: 'whale', allOf: [{ type: 'NATIVE', chainId: 1 }] }],
  }),
  'CommunityInteractionController.reportInteractions': scope('community', {
    interactions: [{ id: 'post-1', platformUserId: '42', kind: 'post', at: '2026-01-01T00:00:00Z' }],
  }),
  'CommunityMemberController.listMembers': scope('community', 10, 'token'),
  'CommunityMemberController.joinCommunity': user('community', { invitation: 'code' }),
  'CommunityMemberController.leaveCommunity': user('community'),
  'CommunityMemberController.removeMember': scope('community', 'user'),
  'CommunityMemberController.upsertPlatformUsers': scope('community', {
    users: [{ platform: 'chat', platformUserId: '42' }],
  }),
  'PlatformWalletController.createChallenge': scope('community', '42'),
  'PlatformWalletController.linkWallet': scope('community', '42', {
    requestId: 'r',
    address: ACCOUNT,
    signature: '0x',
  }),
  'PlatformWalletController.listWallets': scope('community', '42'),
  'PlatformWalletController.removeWallet': scope('community', '42', ACCOUNT),
  'CommunityClientController.listClients': scope('community'),
  'CommunityClientController.attachClient': user('community', 'client_1'),
  'CommunityClientController.detachClient': user('community', 'client_1'),
  'BalanceCheckController.requestBalanceCheck': scope('community'),
  'BalanceCheckController.listBalanceChecks': scope('community', 10, 'token'),
  'BalanceCheckController.getBalanceCheck': scope('community', '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11'),
  'CommunityInvitationController.renewInvitation': user('community'),
  'CommunityInvitationController.getInvitation': call(404, 'community', 'code'),
  'AnalyticsController.getRolesPie': call(404, 'community', '7d', FILTERS),
  'AnalyticsController.getRolesAdded': call(404, 'community', '7d'),
  'AnalyticsController.getLetsGo': call(404, 'community', '7d'),
  'AnalyticsController.getWalletConnections': call(404, 'community'),
  'CommunityEventController.listEvents': call(404, 'community', 10),
  'AssetOwnershipController.getAssets': call(OK, SOLANA_ACCOUNT, [`eip155:1/erc721:${ACCOUNT}`]),
  'AssetOwnershipController.getOwnership': call(OK, SOLANA_ACCOUNT, [`eip155:1/erc721:${ACCOUNT}`]),
  'AssetOwnershipController.generateJwt': user('jwt'),
  'AssetOwnershipController.verifyOwnership': call(404, 'token'),
  'CatalogueController.listChains': call(OK),
  'CatalogueController.listRuleTypes': call(OK),
  'CatalogueController.readToken': call(400, 999_999, ACCOUNT),
  'CredentialIssuerController.getIssuer': call(OK),
  'CredentialIssuerController.getType': call(OK, 'asset-ownership'),
  'CredentialIssuerController.getStatusList': call(404, '1'),
  'VerifiableCredentialController.createNonce': user(),
  'VerifiableCredentialController.issueCredential': user(CREDENTIAL_REQUEST),
  'VerifiableCredentialController.listCredentials': user(),
  'VerifiableCredentialController.getCredential': user('0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11'),
  'VerifiableCredentialController.revokeCredential': user('0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11'),
  'VerifiableCredentialController.listPublicCredentials': scope(ACCOUNT),
  'VerifiableCredentialController.getPublicCredential': scope('0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11'),
  'VerifiableCredentialController.verifyCredential': call(OK, { credential: 'none' }),
  'JwksController.getJwks': call(OK),
  'AuthorizationController.resume': call(400, 'uid'),
  'OAuth2Controller.getOpenIdConfig': call(OK),
  'OAuthMetadataController.getAuthorizationServer': call(OK),
  'OAuthMetadataController.getProtectedResource': call(OK),
  'OAuthLogoutController.logout': call(OK, 'client'),
  'OAuthLogoutController.logoutByForm': call(OK, { client_id: 'client' }),
  'AuthorizationController.authorizeByForm': call(400, {
    response_type: 'code',
    client_id: 'client',
    redirect_uri: 'https://app.example/cb',
  }),
  'OAuth2Controller.authorize': call(400, 'code', 'client', 'https://app.example/cb', 'user:read', 'state'),
  'OAuth2Controller.token': call(401, {
    grant_type: 'authorization_code',
    code: 'c',
    client_id: 'i',
    client_secret: 's',
  }),
  'OAuth2Controller.introspect': call(400, { token: 't' }),
  'OAuth2Controller.revoke': call(400, { token: 't' }),
  'OAuth2Controller.userinfo': user(),
  'UserInfoController.postUserInfo': user(),
  // The origin is not registered by the client application.
  'EthereumLoginController.getChallenge': call(400, {
    state: 's',
    uri: 'https://app.example',
    resources: [],
  }),
  'EthereumLoginController.loginBySiwe': call(401, {
    requestId: '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11',
    signatureType: 'eip191',
    signature: `0x${'11'.repeat(65)}`,
    accountId: ACCOUNT,
  }),
  'EthereumCredentialController.revokeCredential': user({ credential: 'c' }),
  'PublishableIdController.listPublishableIds': user('client'),
  'PublishableIdController.createPublishableId': user('client', { origins: ['https://shop.example'] }),
  'PublishableIdController.revokePublishableId': user('client', 'id'),
  'PublishedRuleController.getPublishedRules': call(404, 'client'),
  'PublishedRuleController.replacePublishedRules': call(404, 'client', { rules: [] }),
  'PublishedRuleController.checkPublishedRules': call(404, { account: ACCOUNT, rules: ['holders'] }),
  'CallbackEndpointController.listCallbackEndpoints': call(404, 'client'),
  'CallbackEndpointController.createCallbackEndpoint': call(404, 'client', {
    url: 'https://shop.example/events',
    events: ['role.granted'],
  }),
  'CallbackEndpointController.getCallbackEndpoint': call(404, 'client', 'endpoint'),
  'CallbackEndpointController.changeCallbackEndpoint': call(404, 'client', 'endpoint', {
    description: 'bot',
  }),
  'CallbackEndpointController.deleteCallbackEndpoint': call(404, 'client', 'endpoint'),
  'CallbackEndpointController.rotateCallbackEndpointSecret': call(404, 'client', 'endpoint'),
  'CallbackEndpointController.testCallbackEndpoint': call(404, 'client', 'endpoint'),
  'CallbackEndpointController.listCallbackEndpointDeliveries': call(404, 'client', 'endpoint', 10),
  'CallbackEndpointController.redeliverToCallbackEndpoint': call(404, 'client', 'endpoint', 'msg'),
  'CallbackEndpointController.recoverCallbackEndpoint': call(404, 'client', 'endpoint', {
    since: '2026-11-20T00:00:00Z',
  }),
  'ClientApplicationController.listApplications': user(),
  'ClientApplicationController.createApplication': user({ name: 'shop' }),
  'ClientApplicationController.getUsage': user(),
  'ClientApplicationController.getApplication': user('client_1'),
  'ClientApplicationController.changeApplication': user('client_1', { name: 'shop' }),
  'ClientApplicationController.deleteApplication': user('client_1'),
  'ClientApplicationController.rotateSecret': user('client_1', {}),
  'ClientApplicationController.listApiKeys': user('client_1'),
  'ClientApplicationController.createApiKey': user('client_1'),
  'ClientApplicationController.rotateApiKey': user('client_1', 'key', {}),
  'ClientApplicationController.revokeApiKey': user('client_1', 'key'),
  'AccountPolicyController.getPolicy': user('client_1'),
  'AccountPolicyController.setPolicy': user('client_1', {}),
  'AccountPolicyController.removePolicy': user('client_1'),
  'AccountFreezeController.listFreezes': user(),
  'AccountFreezeController.setFreeze': user('everything', { reason: 'r' }),
  'AccountFreezeController.removeFreeze': user('everything'),
  'OperatorController.listPendingApplications': user(),
  'OperatorController.approveApplication': user('client_1', { revision: 1 }),
  'OperatorController.rejectApplication': user('client_1', { revision: 1, reason: 'r' }),
  'OperatorController.setPlan': user('owner_1', { plan: 'paid' }),
  'OperatorController.eraseUser': user('user_1'),
  'OperatorController.giveUsername': user('ada', { userId: 'user_1' }),
  'OperatorController.freeUsername': user('ada'),
  'OperatorController.getCommunity': user('community_1'),
  'OperatorController.suspendCommunity': user('community_1', { reason: 'r' }),
  'OperatorController.resumeCommunity': user('community_1'),
  'OperatorController.listAuditRecords': user(),
  'OperationCallbackController.getOperationCallback': call(404),
  'OperationCallbackController.registerOperationCallback': call(400, { callbackUrl: 'http://10.0.0.1/' }),
  'OperationCallbackController.removeOperationCallback': call(404),
  'AccountKitController.getAccounts': call(TOKEN_INVALID, 'bot-token'),
  'AccountKitController.mint': call(TOKEN_INVALID, 'bot-token', 31337, {
    name: 'n',
    symbol: 's',
    metadata: {},
    recipient: ACCOUNT,
  }),
  'AccountKitController.submitUserOperation': call(TOKEN_INVALID, 'bot-token', 31337, OPERATION),
  'AccountKitController.getUserOperationReceipt': call(
    TOKEN_INVALID,
    'bot-token',
    31337,
    `0x${'22'.repeat(32)}`,
  ),
  'AccountKitController.executeCustomAction': call(TOKEN_INVALID, 'bot-token', 31337, {
    actionIpfs: 'Qm',
    actionJsParams: {},
  }),
  'AccountKitController.submitSolanaTransaction': call(TOKEN_INVALID, 'bot-token', 'SOL_DEVNET', TRANSACTION),
  'AccountKitController.getSolanaTransaction': call(TOKEN_INVALID, 'bot-token', 'SOL_DEVNET', '1'.repeat(64)),
  'AccountKitController.calculateAccountAddress': call(OK, { platform: 'chat', userId: '42' }),
  'AccountKitController.getPlatformAccounts': call(TOKEN_INVALID, 'access-token', 'chat'),
  'AccountKitController.submitPlatformUserOperation': call(TOKEN_INVALID, 'access-token', 'chat', 31337, {
    userOps: [OPERATION],
  }),
  'AccountKitController.submitPlatformSolanaTransaction': call(
    TOKEN_INVALID,
    'access-token',
    'chat',
    'SOL_DEVNET',
    TRANSACTION,
  ),
  'SolanaSponsorController.listSolanaSponsors': call(POLICY_REQUIRED),
  'UserOperationController.listUserOperations': call(TOKEN_INVALID, 'access-token', 'chat', 10),
  'UserOperationController.cancelUserOperation': call(
    TOKEN_INVALID,
    `0x${'22'.repeat(32)}`,
    'access-token',
    'chat',
  ),
};

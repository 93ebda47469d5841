/**
 * Values of examples in the OpenAPI document, as `npm start` makes them. Those in braces exist only at run time: the
 * gateway of the local profile fills them in (EXAMPLE_VALUES_FILE).
 */
export const EXAMPLES = {
  chainId: 31337,
  holder: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  holderId: 'user_7VkIqevX1qo2K1mIvdlcNo',
  /** Holds nothing; the holder has delegated everything to it. */
  outsider: '0xBcd4042DE499D14e55001CcbB24a551F3b954096',
  outsiderId: 'user_2VlSkzb0fBXVUg23Ejdwy8',
  /** The wallet of the chat user of the demo community. */
  chatter: '0x71bE63f3384f5fb98995898A86B02Fb2426c5788',
  erc20: '0x004f51B029eBd789c471B2AFaa9c11593d7cb077',
  erc721: '0xFB40D1Ae33f121c5d89F32824E759Ac134b8eC56',
  erc1155: '0xc849fa9aFfa47bc0e92C84d7f9FF27167b5AC6ca',
  origin: 'http://localhost:3006',
  receiverUrl: 'http://127.0.0.1:3005/',
  communityId: '{communityId}',
  clientId: '{clientId}',
  /** A chat user of the demo community. */
  platformUserId: '4242',
  requestId: '{calledBackRequestId}',
  /** A public verifiable credential of the holder: its id, and the credential. */
  credentialId: '{credentialId}',
  credential: '{credential}',
  /** A time of the last days. */
  startedAt: '{startedAt}',
  /** A token of the demo bot, whose account has made the operation. */
  botToken: '{botToken}',
  userOperationHash: '{userOperationHash}',
  safe: '{safe}',
  erc900: '{erc900}',
  /** An ERC-721 contract whose tokens have metadata. */
  hats: '{hats}',
  /** A contract whose members have keys that expire. */
  membership: '{membership}',
  poapEvent: '{poapEvent}',
  openSeaCollection: '{openSeaCollection}',
  solanaChainId: 8_000_000_000_103,
  /** A payment of the demo bot, which is on the local cluster already, and its signature. */
  solanaTransaction: '{solanaTransaction}',
  solanaSignature: '{solanaSignature}',
  solanaHolder: '{solanaHolder}',
  solanaMint: '{solanaMint}',
  solanaCollection: '{solanaCollection}',
} as const;

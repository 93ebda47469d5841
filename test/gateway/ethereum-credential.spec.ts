import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatSignInMessage, recoverSigner, type SignInMessage } from '@app/chain/sign-in';
import fc from 'fast-check';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  EthereumStrategy,
  validateEthereumCredential,
} from '../../apps/gateway/src/pipeline/authenticate/ethereum.strategy.js';
import { ContractWalletSignatureService } from '../../apps/gateway/src/credentials/contract-wallet-signature.service.js';
import { TokenKeyCache } from '../../apps/gateway/src/credentials/token-key-cache.js';
import { until } from '../support/until.js';
import { ScriptedIdentity } from './scripted-identity.js';
import { TokenFactory } from './token-factory.js';

const PUBLIC_URL = 'https://gatehouse.example';
const MINUTE = 60_000;
const mint = new TokenFactory(PUBLIC_URL);
const nonceKeyOf = (kid: string) => (kid === mint.nonce.kid ? mint.nonce.key : undefined);
const read = (text: string) => validateEthereumCredential(text, PUBLIC_URL, nonceKeyOf);
const good = () => mint.credential({ clientId: 'client_1' });

describe('validateEthereumCredential', () => {
  it('validateEthereumCredential: returns address, client application and scopes', async () => {
    expect(read(await good())).toMatchObject({
      message: { address: mint.wallet.address, chainId: 1 },
      clientId: 'client_1',
      scopes: ['$public', 'user:read'],
    });
    const scopes = ['user:wallet:read', 'user:community:read', 'user:verifiable-credential:read'];
    expect(read(await mint.credential({ clientId: 'client_1', scopes }))?.scopes).toEqual(scopes);
  });

  it('validateEthereumCredential: accepts a lifetime of a day and not a millisecond more', async () => {
    const issued = Date.now() - MINUTE;
    const permanent = (ms: number) => ({
      issuedAt: new Date(issued).toISOString(),
      expirationTime: new Date(issued + ms).toISOString(),
    });
    const day = 24 * 60 * MINUTE;
    const make = (ms: number) => mint.credential({ clientId: 'client_1', message: permanent(ms) });
    expect(read(await make(day))?.expiresAtMs).toBe(issued + day);
    expect(read(await make(day + 1))).toBeUndefined();
  });

  it.each<[string, (issued: SignInMessage) => Partial<SignInMessage>]>([
    ['statement', () => ({ statement: 'Claim your airdrop.' })],
    ['missing statement', () => ({ statement: undefined })],
    ['scheme', () => ({ scheme: 'https' })],
    ['uri', () => ({ uri: `${PUBLIC_URL}/elsewhere` })],
    ['chain', () => ({ chainId: 137 })],
    ['issue time', () => ({ issuedAt: new Date(Date.now() - MINUTE).toISOString() })],
    ['expiry', () => ({ expirationTime: new Date(Date.now() + MINUTE).toISOString() })],
    ['start', ({ issuedAt }) => ({ notBefore: issuedAt })],
    ['request id', () => ({ requestId: 'r' })],
    ['scope', ({ resources = [] }) => ({ resources: [...resources, 'urn:scope:user:wallet:read'] })],
  ])(
    'T58: validateEthereumCredential: rejects a credential whose user signed another %s than was issued',
    async (_what, change) => {
      const statement = 'Let an application act for you.';
      const issued = mint.credentialMessage({ clientId: 'client_1', message: { statement } });
      const sign = (message: SignInMessage) => mint.signed(formatSignInMessage(message));
      expect(read(await sign(issued))).toBeDefined();
      expect(read(await sign({ ...issued, ...change(issued) }))).toBeUndefined();
    },
  );

  it('validateEthereumCredential: rejects arbitrary text', () => {
    const parts = fc.tuple(fc.base64String(), fc.string());
    fc.assert(fc.property(fc.string(), (text) => read(text) === undefined));
    fc.assert(fc.property(parts, ([one, two]) => read(`${one}.0x${two}`) === undefined));
  });

  it('validateEthereumCredential: rejects a credential with one changed character, or another signer', async () => {
    const text = await good();
    const original = read(text)?.text;
    const isSigned = (credential: string): boolean => {
      const found = read(credential);
      return found !== undefined && recoverSigner(found.text, found.signature) === found.message.address;
    };
    expect(isSigned(text)).toBe(true);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        // A signature has several encodings (upper case, parity); the signed message has one.
        return !isSigned(changed) || read(changed)?.text === original;
      }),
    );
  });
});

describe('the Ethereum strategy with a contract wallet', () => {
  let identity: ScriptedIdentity;
  let keys: TokenKeyCache;
  let strategy: EthereumStrategy;

  beforeAll(async () => {
    const answers = {
      '/internal/token-keys': () => mint.keys,
      '/internal/ethereum-credentials': () => ({ isValid: true }),
    };
    identity = await ScriptedIdentity.start(answers, PUBLIC_URL);
    const { client, config, context } = identity;
    keys = new TokenKeyCache(client, context);
    keys.onModuleInit();
    strategy = new EthereumStrategy(keys, new ContractWalletSignatureService(client), config);
    await until('the keys are known', () => keys.isTrusted);
  });

  afterAll(async () => {
    await keys.onApplicationShutdown();
    await identity.stop();
  });

  const endOf = async (options: Parameters<TokenFactory['credential']>[0]): Promise<number> => {
    const token = await strategy.validate(await mint.credential(options));
    if (!token) throw new Error('The credential was rejected');
    return token.expiresAtMs;
  };

  it('Ethereum strategy with a contract wallet: caches a contract wallet credential for a minute at most, that of a key until it expires', async () => {
    const owner = { clientId: 'client_1', wallet: privateKeyToAccount(generatePrivateKey()) };
    const message = { address: mint.wallet.address };
    expect(await endOf({ ...owner, message })).toBeLessThanOrEqual(Date.now() + MINUTE);
    const expirationTime = new Date(Date.now() + 5_000).toISOString();
    expect(await endOf({ ...owner, message: { ...message, expirationTime } })).toBe(
      Date.parse(expirationTime),
    );
    expect(await endOf({ clientId: 'client_1' })).toBeGreaterThan(Date.now() + MINUTE);
  });
});

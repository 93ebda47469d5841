// Sign-in messages that plain keys signed, and those who check them, in a process by itself.
import { randomBytes } from 'node:crypto';
import { createPublicClient, custom } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { verifySiweMessage } from 'viem/siwe';
import { root } from '../../scripts/local/project.mjs';
import { answerAsks } from './asks.mjs';

const load = (path) => import(`${root}/dist/${path}.js`);
const { createSignInNonce, NONCE_PLACEHOLDER } = await load('libs/auth/src/index');
const { formatSignInMessage, recoverSigner } = await load('libs/chain/src/sign-in/index');
const { EthereumSignatureVerifier } = await load(
  'apps/identity/src/ethereum-login/challenges/ethereum-signature-verifier',
);
const { validateEthereumCredential } = await load(
  'apps/gateway/src/pipeline/authenticate/ethereum-credential',
);

const MESSAGES = 200;
const PUBLIC_URL = 'https://gatehouse.example';
const DOMAIN = new URL(PUBLIC_URL).host;
const CLIENT_ID = 'client_1';
const nonceKey = { kid: 'nonce123', key: randomBytes(32) };
const keyOf = (kid) => (kid === nonceKey.kid ? nonceKey.key : undefined);

/** No chain has anything to say about these. */
const neverAsked = () => Promise.reject(new Error('A chain was asked about the signature of a plain key'));
const client = createPublicClient({ transport: custom({ request: neverAsked }) });
const proof = new EthereumSignatureVerifier({ isValidSignature: neverAsked });

const checks = {
  viem: ({ message, signature }) =>
    verifySiweMessage(client, { message, signature, domain: DOMAIN, mode: 'eoa' }),
  login: async ({ message, signature, account }) =>
    (await proof.verify({ message, signature, account })) !== undefined,
  credential: ({ address, credential }) => {
    const read = validateEthereumCredential(credential, PUBLIC_URL, keyOf);
    return read !== undefined && recoverSigner(read.text, read.signature) === address;
  },
};

const signed = await Promise.all(Array.from({ length: MESSAGES }, sign));

answerAsks({
  /** @returns {Promise<number>} milliseconds of CPU for one message */
  async check({ by, times }) {
    await runThrough(checks[by], times / 4);
    const before = process.cpuUsage();
    await runThrough(checks[by], times);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / times;
  },
});

async function runThrough(check, times) {
  for (let time = 0; time < times; time += 1) {
    if (!(await check(signed[time % signed.length]))) throw new Error('A good signature was refused');
  }
}

async function sign() {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const { address } = wallet;
  const expirationTime = new Date(Date.now() + 3_600_000).toISOString();
  const fields = {
    domain: DOMAIN,
    address,
    statement: 'Use this service as a client application.',
    uri: PUBLIC_URL,
    chainId: 1,
    issuedAt: new Date().toISOString(),
    expirationTime,
    resources: [`${PUBLIC_URL}/#credential`, `urn:client:${CLIENT_ID}`, 'urn:scope:$public'],
  };
  const text = formatSignInMessage({ ...fields, nonce: NONCE_PLACEHOLDER });
  const nonce = createSignInNonce({ purpose: 'credential', clientId: CLIENT_ID, text }, nonceKey);
  const message = formatSignInMessage({ ...fields, nonce });
  const signature = await wallet.signMessage({ message });
  const account = { namespace: 'eip155', chainId: 1, address };
  return {
    message,
    signature,
    address,
    account,
    credential: `${Buffer.from(message).toString('base64url')}.${signature}`,
  };
}

// Sign-in messages that plain keys signed, and those who check them, in a process by itself.
import { randomBytes } from 'node:crypto';
import { createPublicClient, custom } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { verifySiweMessage } from 'viem/siwe';
import { importBuilt } from '../../scripts/build/import-built.mjs';
import { answerAsks } from './asks.mjs';
import { first } from './table.mjs';

const LOGIN = 'apps/identity/src/ethereum-login/challenges/ethereum-signature-verifier';
const CREDENTIAL = 'apps/gateway/src/pipeline/authenticate/ethereum.strategy';
const { createSignInNonce, NONCE_PLACEHOLDER } = /** @type {typeof import('@app/auth')} */ (
  await importBuilt('libs/auth/src/index.js')
);
const { formatSignInMessage, recoverSigner } = /** @type {typeof import('@app/chain/sign-in')} */ (
  await importBuilt('libs/chain/src/sign-in/index.js')
);
const { EthereumSignatureVerifier } =
  /** @type {typeof import('../../apps/identity/src/ethereum-login/challenges/ethereum-signature-verifier.js')} */ (
    await importBuilt(`${LOGIN}.js`)
  );
const { validateEthereumCredential } =
  /** @type {typeof import('../../apps/gateway/src/pipeline/authenticate/ethereum.strategy.js')} */ (
    await importBuilt(`${CREDENTIAL}.js`)
  );

/** @typedef {Awaited<ReturnType<typeof sign>>} Signed */
/** @typedef {(signed: Signed) => boolean | Promise<boolean>} Check */

const MESSAGES = 200;
const PUBLIC_URL = 'https://gatehouse.example';
const DOMAIN = new URL(PUBLIC_URL).host;
const PLAIN_KEY = { domain: DOMAIN, mode: 'eoa' };
const CLIENT_ID = 'client_1';
const nonceKey = { kid: 'nonce123', key: randomBytes(32) };
/** @param {string} kid */
const keyOf = (kid) => (kid === nonceKey.kid ? nonceKey.key : undefined);

/** No chain has anything to say about these. */
const neverAsked = () => Promise.reject(new Error('A chain was asked about the signature of a plain key'));
const client = createPublicClient({ transport: custom({ request: neverAsked }) });
const contracts = /** @type {unknown} */ ({ isValidSignature: neverAsked });
const proof = new EthereumSignatureVerifier(
  /** @type {ConstructorParameters<typeof EthereumSignatureVerifier>[0]} */ (contracts),
);

/** @type {Record<'viem' | 'login' | 'credential', Check>} */
const checks = {
  // `mode` is an option of viem's verifyHash, to which verifySiweMessage hands it on untyped.
  viem: ({ message, signature }) => verifySiweMessage(client, { message, signature, ...PLAIN_KEY }),
  login: async ({ message, signature, account }) =>
    (await proof.verify({ message, signature, account, requester: { clientId: CLIENT_ID } })) !== undefined,
  credential: ({ address, credential }) => {
    const read = validateEthereumCredential(credential, PUBLIC_URL, keyOf);
    return read !== undefined && recoverSigner(read.text, read.signature) === address;
  },
};

const signed = await Promise.all(Array.from({ length: MESSAGES }, sign));

answerAsks({
  /**
   * @param {{ by: keyof typeof checks, times: number }} question
   * @returns {Promise<number>} milliseconds of CPU for one message
   */
  async check({ by, times }) {
    await runThrough(checks[by], times / 4);
    const before = process.cpuUsage();
    await runThrough(checks[by], times);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / times;
  },
});

/** @param {Check} check @param {number} times */
async function runThrough(check, times) {
  for (let time = 0; time < times; time += 1) {
    if (!(await check(signed[time % signed.length] ?? first(signed))))
      throw new Error('A good signature was refused');
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
  const account = { namespace: /** @type {const} */ ('eip155'), chainId: 1, address };
  return {
    message,
    signature,
    address,
    account,
    credential: `${Buffer.from(message).toString('base64url')}.${signature}`,
  };
}
